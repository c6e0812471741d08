import { hasRoom } from '../workers/index.js';

/** A worker as whoever shares sessions out sees it. */
export interface Holder {
  readonly id: string;
  readonly alive: boolean;
  /** Which DATA_DIR it has: sessions go from one worker to another only within one. */
  readonly volume: string | null;
  readonly sessions: number;
  readonly capacity: number;
  readonly memory_bytes: number;
  readonly memory_limit: number;
  readonly draining: boolean;
  /** How long it has been running, in milliseconds. */
  readonly age_ms: number;
}

/** Who comes and goes is not worth a move. */
const SETTLED_AFTER_MS = 10_000;

/** Whether a worker could take one more session of another one. */
export function canTake(target: Holder, from: Holder): boolean {
  return (
    target.id !== from.id &&
    target.alive &&
    !target.draining &&
    hasRoom(target) &&
    target.volume !== null &&
    target.volume === from.volume
  );
}

/** The worker with the fewest sessions that could take one of `from`. */
export function bestTarget<Worker extends Holder>(from: Holder, workers: readonly Worker[]): Worker | undefined {
  return workers.filter((worker) => canTake(worker, from)).toSorted((a, b) => a.sessions - b.sessions)[0];
}

/**
 * Where sessions of `from` should go now: one that is drained gives all, the others what they have above a fair share. Small
 * differences stay, since a move costs the session a moment.
 * @param most how many moves at most
 * @returns the id of a worker for each move
 */
export function fairMoves(from: Holder, workers: readonly Holder[], most: number): readonly string[] {
  const counts = new Map(workers.map(({ id, sessions }) => [id, sessions]));
  const current = (worker: Holder): Holder => ({ ...worker, sessions: counts.get(worker.id) ?? worker.sessions });
  const settled = workers.filter((worker) => from.draining || worker.age_ms >= SETTLED_AFTER_MS);
  const targets: string[] = [];
  let left = from.sessions;
  while (targets.length < most && left > 0) {
    const target = bestTarget(from, settled.map(current));
    if (target === undefined) break;
    const worthIt = Math.max(2, Math.ceil(left / 10));
    if (!from.draining && left - target.sessions < worthIt) break;
    targets.push(target.id);
    counts.set(target.id, target.sessions + 1);
    left -= 1;
  }
  return targets;
}
