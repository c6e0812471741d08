import { poolHref } from '@/lib/overlays';
import type { Pool, SessionSummary, Worker } from '@/lib/types';

/** A pool that was made a moment ago is taken by a worker just now. */
const TAKING_MS = 30_000;

/** Something of the fleet that is not as it should be, and where it is put right. */
export interface FleetTrouble {
  readonly id: string;
  readonly text: string;
  readonly href: string;
  readonly action: string;
}

/**
 * What keeps the fleet from its work: no worker, dead ones whose sessions nobody has taken over yet, sessions that wait for the files or the
 * memory of a worker, and pools that store nothing. A
 * worker that left and whose sessions are elsewhere is no trouble, nor is what somebody has paused.
 *
 * @param now in milliseconds
 */
export function fleetTroubles(
  workers: readonly Worker[],
  pools: readonly Pool[],
  sessions: readonly SessionSummary[],
  now: number,
): readonly FleetTrouble[] {
  const isAnyAlive = workers.some(({ alive }) => alive);
  const ofWorkers = { href: '/workers/', action: 'Workers' };
  const lost = workers.filter(({ alive, sessions }) => !alive && sessions > 0);
  return [
    ...(isAnyAlive
      ? lost.map(({ id, sessions }) => ({
          ...ofWorkers,
          id,
          text: `Worker ${id} does not answer; ${sessions} ${sessions === 1 ? 'session waits' : 'sessions wait'} for another.`,
        }))
      : [
          { ...ofWorkers, id: 'workers', text: 'No worker is alive, so that no session runs. Start a worker process.' },
        ]),
    ...(isAnyAlive ? waitingOf(sessions) : []),
    ...pools.flatMap((pool) => {
      const why = troubleOf(pool, isAnyAlive, now);
      return why === undefined
        ? []
        : [{ id: pool.id, text: `Pool ${pool.name} ${why}`, href: poolHref(pool), action: 'Open it' }];
    }),
  ];
}

/** What sessions wait for, in the server's words up to the first comma or the memory in use, which differs from one to the next. */
const WAITING = /waiting for (?:memory: worker \S+|[^,]+)/;

/** One trouble for each thing that sessions wait for. */
function waitingOf(sessions: readonly SessionSummary[]): readonly FleetTrouble[] {
  const counts = new Map<string, number>();
  for (const { health, health_cause: cause } of sessions) {
    const [what] = (health === 'down' && WAITING.exec(cause ?? '')) || [];
    if (what !== undefined) counts.set(what, (counts.get(what) ?? 0) + 1);
  }
  return [...counts].map(([what, count]) => ({
    id: what,
    text: `${count} ${count === 1 ? 'session is' : 'sessions are'} ${what}${what.startsWith('waiting for memory') ? ' has no more' : ', which stopped answering and still has their files'}.`,
    href: '/sessions/',
    action: 'Sessions',
  }));
}

function troubleOf(
  { paused, bots, worker, created_at: madeAt }: Pool,
  isAnyWorkerAlive: boolean,
  now: number,
): string | undefined {
  if (paused) return undefined;
  const aside = bots.filter(({ state }) => state === 'quarantined').length;
  if (aside > 0 && !bots.some(({ state }) => state === 'active')) return 'stores nothing: its bots are put aside.';
  const isUntaken = worker === undefined && isAnyWorkerAlive && now - Date.parse(madeAt) > TAKING_MS;
  return isUntaken ? 'is run by no worker at the moment.' : undefined;
}
