import { appendFileSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { SendJournal } from './send-journal.js';
import type { SendState } from './tracked-send.js';

const pending: SendState = {
  id: '11111111-1111-4111-8111-111111111111',
  sessionId: '22222222-2222-4222-8222-222222222222',
  epoch: 3,
  chatId: -1_003_000_000_001,
  temporaryId: 1_048_577,
  told: true,
  fingerprint: -7,
  keyId: undefined,
  createdAt: new Date(1_000),
  status: 'pending',
  messageId: undefined,
  error: undefined,
  decidedAt: undefined,
};
const sent: SendState = { ...pending, status: 'sent', messageId: 2 ** 21, decidedAt: new Date(2_000) };

describe('SendJournal', () => {
  let directory: string;
  const reopen = (): readonly SendState[] => {
    const { journal, left } = SendJournal.open(directory);
    journal.close();
    return left;
  };
  const contents = (): string[] => ['sends.0', 'sends.1'].map((name) => readFileSync(join(directory, name), 'utf8'));

  beforeEach(() => {
    directory = mkdtempSync(join(tmpdir(), 'tgcontrol-journal-'));
  });

  afterEach(() => rmSync(directory, { recursive: true, force: true }));

  it('gives the next opener the last state of each send, as it was', () => {
    const { journal, left } = SendJournal.open(directory);
    expect(left).toEqual([]);
    const failed: SendState = {
      ...pending,
      id: '33333333-3333-4333-8333-333333333333',
      keyId: '44444444-4444-4444-8444-444444444444',
      status: 'failed',
      error: { code: 400, message: 'line\nfeed "and" ü', source: 'tdlib' },
      decidedAt: new Date(3_000),
    };
    journal.append(pending);
    journal.append(failed);
    journal.append(sent);
    // Not closed: the process was killed.
    expect(reopen()).toEqual([sent, failed]);
    journal.close();
  });

  it('keeps what it has until that is stored, over openings', () => {
    const { journal } = SendJournal.open(directory);
    journal.append(pending);
    journal.close();
    expect(reopen()).toEqual([pending]);
    expect(reopen()).toEqual([pending]);
  });

  it('drops what is stored, and nothing that was appended meanwhile', () => {
    const { journal } = SendJournal.open(directory);
    journal.append(pending);
    journal.rotate();
    journal.append(sent);
    journal.stored();
    expect(reopen()).toEqual([sent]);
    journal.rotate();
    journal.stored();
    expect(contents()).toEqual(['', '']);
    journal.close();
  });

  it('keeps everything while storing fails', () => {
    const { journal } = SendJournal.open(directory);
    journal.append(pending);
    for (let attempt = 0; attempt < 3; attempt += 1) journal.rotate();
    journal.append(sent);
    expect(reopen()).toEqual([sent]);
    journal.rotate();
    journal.stored();
    expect(reopen()).toEqual([sent]);
    journal.close();
  });

  it('passes over a torn and over a damaged line', () => {
    const { journal } = SendJournal.open(directory);
    journal.append(pending);
    journal.close();
    appendFileSync(join(directory, 'sends.0'), 'not json\n[1,2]\n["torn"');
    expect(reopen()).toEqual([pending]);
  });
});
