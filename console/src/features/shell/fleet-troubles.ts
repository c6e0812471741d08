import { poolHref } from '@/lib/overlays';
import type { Pool, Worker } from '@/lib/types';

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
 * What keeps the fleet from its work: no worker, dead ones whose sessions nobody has taken over yet, and pools that store nothing. A
 * worker that left and whose sessions are elsewhere is no trouble, nor is what somebody has paused.
 *
 * @param now in milliseconds
 */
export function fleetTroubles(
  workers: readonly Worker[],
  pools: readonly Pool[],
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
    ...pools.flatMap((pool) => {
      const why = troubleOf(pool, isAnyAlive, now);
      return why === undefined
        ? []
        : [{ id: pool.id, text: `Pool ${pool.name} ${why}`, href: poolHref(pool), action: 'Open it' }];
    }),
  ];
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
