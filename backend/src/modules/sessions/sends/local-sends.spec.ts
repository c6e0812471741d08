import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { SessionsRepository } from '../sessions.repository.js';
import { LocalSends } from './local-sends.js';
import { SendJournal } from './send-journal.js';
import type { SendTracker } from './send-tracker.js';
import type { SendsRepository } from './sends.repository.js';
import { SessionSends } from './session-sends.js';
import type { SendState } from './tracked-send.js';

const SESSION = { kind: 'bot', id: '22222222-2222-4222-8222-222222222222' } as const;
const LEFT: SendState = {
  id: '33333333-3333-4333-8333-333333333333',
  sessionId: SESSION.id,
  epoch: 1,
  chatId: -100,
  temporaryId: 9,
  told: true,
  fingerprint: 0,
  keyId: undefined,
  error: undefined,
  createdAt: new Date(0),
  decidedAt: new Date(1),
  status: 'sent',
  messageId: 2 ** 20,
};

describe('LocalSends', () => {
  let directory: string;

  beforeEach(() => {
    directory = mkdtempSync(join(tmpdir(), 'tgcontrol-sends-'));
  });

  afterEach(() => rmSync(directory, { recursive: true }));

  it('finds what a session has in its journal when it is opened just while the database is asked', async () => {
    const { journal } = SendJournal.open(directory);
    const lease = { sessionId: SESSION.id, workerId: 'w', epoch: 2 };
    const writer = { mark: () => undefined, failed: () => undefined, flush: () => Promise.resolve() };
    const session = new SessionSends('bot', lease, true, writer);
    const tracker = { of: () => session, flush: () => Promise.resolve() } as unknown as SendTracker;
    const repository = {
      find: () => {
        if (!session.isLoaded) {
          session.load(journal, [], [LEFT]);
        }
        return Promise.resolve(undefined);
      },
    } as unknown as SendsRepository;
    const sessions = {
      route: () => Promise.resolve({ kind: 'bot', status: 'authorized' }),
    } as unknown as SessionsRepository;
    const sends = new LocalSends(tracker, repository, sessions);

    const found = await sends.find(SESSION, { chatId: LEFT.chatId, messageId: LEFT.temporaryId }, 5_000);

    expect(found).toMatchObject({ status: 'sent', message_id: LEFT.messageId });
    session.close();
  });
});
