import { AsyncLocalStorage } from 'node:async_hooks';
import type { Access, Caller } from './access.js';

/** What belongs to the request that is being served. */
export interface RequestContext {
  readonly requestId: string;
  /** The client's address, after TRUSTED_PROXIES. */
  readonly remoteAddress: string;
  /** Set by the guard; absent on public routes. */
  caller?: Caller;
  /** The level of access whose credentials were found good before the body was read. */
  admitted?: Access;
}

const storage = new AsyncLocalStorage<RequestContext>();

/** Runs `work`, and whatever it awaits, inside `context`. */
export function runInContext<T>(context: RequestContext, work: () => T): T {
  return storage.run(context, work);
}

/** The context of the request being served; undefined in background work. */
export function currentContext(): RequestContext | undefined {
  return storage.getStore();
}

/** Who asks; the guard has let nobody in without knowing. For handlers of routes that are not public. */
export function currentCaller(): Caller {
  const caller = currentContext()?.caller;
  if (!caller) throw new Error('there is no caller: the route is public, or this is no request');
  return caller;
}
