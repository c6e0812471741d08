import { aPool, aSession, aWorker } from '@/test/samples';
import { fleetTroubles } from './fleet-troubles';

const NOW = Date.parse('2026-11-30T10:00:00.000Z');
type Given = Parameters<typeof fleetTroubles>;
const texts = (workers: Given[0], pools: Given[1], sessions: Given[2] = []): string[] =>
  fleetTroubles(workers, pools, sessions, NOW).map(({ text }) => text);
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

it('says what sessions wait for, once for each thing', () => {
  const locked = "waiting for w1, which stopped answering but still has the session's database open; it goes on when …";
  const memory = (used: number): string =>
    `no live worker holds the session: waiting for memory: worker w2 has ${used} MiB in use, and WORKER_MEMORY is 600 MiB`;
  const down = (id: string, health_cause: string) => aSession({ id, health: 'down', health_cause });
  const sessions = [
    down('1', locked),
    down('2', locked),
    down('3', memory(601)),
    down('4', memory(602)),
    down('5', memory(603)),
    down('6', 'no answer from Telegram through the direct connection'),
    aSession({ id: '7' }),
  ];
  expect(texts([aWorker], [], sessions)).toEqual([
    '2 sessions are waiting for w1, which stopped answering and still has their files.',
    '3 sessions are waiting for memory: worker w2 has no more.',
  ]);
  expect(texts([dead], [], sessions)).toHaveLength(1);
});
