import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { AppLogger } from '../../../common/log/app-logger.js';
import type { TdClient } from '../../../telegram/index.js';
import { SendTracker } from './send-tracker.js';
import type { SendsRepository } from './sends.repository.js';
import type { SessionSends } from './session-sends.js';

const LEASE = { sessionId: '22222222-2222-4222-8222-222222222222', workerId: 'w', epoch: 2 };
const answer = (id: number): string =>
  JSON.stringify({ '@type': 'message', id, chat_id: 1, sending_state: { '@type': 'messageSendingStatePending' } });

describe('SendTracker', () => {
  let directory: string;
  let tracker: SendTracker;
  let saved: string[][];
  let save: (ids: string[]) => Promise<readonly string[]>;
  let sends: SessionSends;

  const journal = (): string =>
    ['sends.0', 'sends.1'].map((name) => readFileSync(join(directory, name), 'utf8')).join('');
  const never = new Promise<TdClient | undefined>(() => undefined);

  beforeEach(async () => {
    directory = mkdtempSync(join(tmpdir(), 'tgcontrol-tracker-'));
    saved = [];
    save = () => Promise.resolve([LEASE.sessionId]);
    const repository: Pick<SendsRepository, 'save' | 'undecidedOf'> = {
      save: async (rows) => {
        const states = rows.map(({ state }) => `${state.temporaryId} ${state.status}`);
        const written = await save(states);
        saved.push(states);
        return written;
      },
      undecidedOf: () => Promise.resolve([]),
    };
    tracker = new SendTracker(repository as SendsRepository, AppLogger.create('silent'));
    sends = tracker.begin('bot', LEASE, false);
    await tracker.load(sends, directory, never);
  });

  afterEach(() => {
    tracker.onApplicationShutdown();
    rmSync(directory, { recursive: true, force: true });
  });

  it('writes many in one statement, each as it is by then, and empties the journal', async () => {
    sends.answered(answer(9));
    sends.answered(answer(17));
    sends.receive(
      'updateMessageSendSucceeded',
      JSON.stringify({ message: { '@type': 'message', id: 1 << 20, chat_id: 1 }, old_message_id: 9 }),
    );
    await tracker.flush();
    expect(saved).toEqual([['9 sent', '17 pending']]);
    expect(journal()).toBe('');
    await tracker.flush();
    expect(saved).toHaveLength(1);
  });

  it('writes again what changed while it was written', async () => {
    sends.answered(answer(9));
    save = () => {
      save = () => Promise.resolve([LEASE.sessionId]);
      sends.receive(
        'updateMessageSendSucceeded',
        JSON.stringify({ message: { '@type': 'message', id: 1 << 20, chat_id: 1 }, old_message_id: 9 }),
      );
      return save([]);
    };
    await tracker.flush();
    expect(sends.find(1, 9)?.status).toBe('sent');
    await tracker.flush();
    expect(saved).toEqual([['9 pending'], ['9 sent']]);
    expect(sends.find(1, 9)).toBeUndefined();
  });

  it('keeps everything while the database is away, in memory and in the journal', async () => {
    sends.answered(answer(9));
    save = () => Promise.reject(new Error('away'));
    await expect(tracker.flush()).rejects.toThrow('away');
    expect(journal()).toContain('"pending"');
    save = () => Promise.resolve([LEASE.sessionId]);
    await tracker.flush();
    expect(saved).toEqual([['9 pending']]);
    expect(journal()).toBe('');
  });

  it('leaves the journal to the next holder when the lease is lost', async () => {
    sends.answered(answer(9));
    save = () => Promise.resolve([]);
    await tracker.close(sends, false);
    expect(journal()).toContain('"pending"');
    expect(tracker.of(LEASE.sessionId)).toBeUndefined();
  });

  it('stores what it has when a session closes, and may be told twice', async () => {
    sends.answered(answer(9));
    await Promise.all([tracker.close(sends, false), tracker.close(sends, false)]);
    expect(saved).toEqual([['9 pending']]);
  });
});
