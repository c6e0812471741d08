import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

/** Often enough to keep the buffers of one stream few, seldom enough to cost nothing: it takes a millisecond or two. */
const COLLECT_EVERY = 4 * 1024 * 1024;

setFlagsFromString('--expose-gc');
const collect = runInNewContext('gc') as (options: { type: 'minor' }) => void;

let passed = 0;

/**
 * Notes bytes of a large body that have gone through this process in buffers of their own. V8 sees of a buffer only its small head,
 * and lets tens of MiB of them lie before it collects; here they are given back every few MiB.
 */
export function notePassed(bytes: number): void {
  passed += bytes;
  if (passed < COLLECT_EVERY) return;
  passed = 0;
  collect({ type: 'minor' });
}
