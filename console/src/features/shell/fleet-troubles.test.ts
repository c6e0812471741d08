import { aPool, aWorker } from '@/test/samples';
import { fleetTroubles } from './fleet-troubles';

const NOW = Date.parse('2026-11-30T10:00:00.000Z');
const texts = (workers: Parameters<typeof fleetTroubles>[0], pools: Parameters<typeof fleetTroubles>[1]): string[] =>
  fleetTroubles(workers, pools, NOW).map(({ text }) => text);
const dead = { ...aWorker, id: 'host-b', alive: false };
const aside = { session_id: 'a', state: 'quarantined', reason: 'kicked' } as const;

it('finds nothing where all is well, paused on purpose, or taken over already', () => {
  expect(texts([aWorker, { ...dead, sessions: 0 }], [aPool(), aPool({ paused: true, bots: [aside] })])).toEqual([]);
});

it('names a dead worker while its sessions wait', () => {
  expect(texts([aWorker, { ...dead, sessions: 2 }], [])).toEqual([
    'Worker host-b does not answer; 2 sessions wait for another.',
  ]);
});

it('says once that no worker is alive, and not of each pool that none runs it', () => {
  const { worker: _, ...orphan } = aPool();
  expect(texts([dead], [orphan])).toEqual(['No worker is alive, so that no session runs. Start a worker process.']);
});

it('names pools that store nothing: without a worker, or without a bot that may', () => {
  const { worker: _, ...orphan } = aPool();
  expect(texts([aWorker], [orphan, aPool({ name: 'films', bots: [aside] })])).toEqual([
    'Pool store is run by no worker at the moment.',
    'Pool films stores nothing: its bots are put aside.',
  ]);
});

it('waits until a new pool can have been taken', () => {
  const { worker: _, ...untaken } = aPool({ created_at: new Date(NOW - 5_000).toISOString() });
  expect(texts([aWorker], [untaken])).toEqual([]);
});
