import { DatabaseUnavailableError } from '../../common/errors/index.js';
import { SendError, type SendRequest, type StoredPart } from './dispatcher/part.js';
import { JournaledSender } from './journaled-sender.js';
import type { FoundMessage, MessageSearch } from './message-search.js';
import { type BotSend, PartSender, type PoolPart } from './pool-part.js';
import type { PoolSendsRepository, StartedSend } from './pool-sends.repository.js';

const part: PoolPart = { id: 'part', ownerId: 'token', objectId: 'object', sizeBytes: 5, path: '/spool/name' };
const stored: StoredPart = { botId: 'bot', chatId: 1, messageId: 7, sizeBytes: 5 };
const lost = new SendError('the worker is gone', undefined, 'answer_lost');

/** A journal in memory, which may be away for its next writes. */
class MemoryJournal {
  readonly open = new Set<string>();
  readonly blobs: number[] = [];
  awayFor = 0;

  begin(poolId: string, { botId, chatId }: SendRequest<PoolPart>): Promise<StartedSend> {
    this.answer();
    const id = `send-${this.open.size + this.blobs.length}`;
    this.open.add(id);
    return Promise.resolve({ id, poolId, botId, chatId, fileName: 'name', afterMessageId: 3 });
  }

  end(id: string): Promise<void> {
    this.open.delete(id);
    return Promise.resolve();
  }

  stored({ id }: StartedSend, _part: PoolPart, { messageId }: StoredPart): Promise<void> {
    this.answer();
    this.open.delete(id);
    this.blobs.push(messageId);
    return Promise.resolve();
  }

  private answer(): void {
    if (this.awayFor === 0) return;
    this.awayFor -= 1;
    throw new DatabaseUnavailableError(new Error('refused'));
  }
}

class FakeSender extends PartSender {
  asked: string[] = [];
  found: readonly FoundMessage[] = [];
  gone: string | undefined;

  constructor(private readonly outcome: StoredPart | Error) {
    super();
  }

  override send(_send: BotSend): Promise<StoredPart> {
    return this.outcome instanceof Error ? Promise.reject(this.outcome) : Promise.resolve(this.outcome);
  }

  override erase(): Promise<void> {
    return Promise.resolve();
  }

  override find(botId: string, search: MessageSearch): Promise<readonly FoundMessage[]> {
    this.asked.push(botId);
    expect(search).toEqual({ chatId: 1, fileNames: ['name'], afterMessageId: 3 });
    return botId === this.gone ? Promise.reject(new Error('no live worker')) : Promise.resolve(this.found);
  }
}

describe('sends that are written down', () => {
  let journal: MemoryJournal;
  const request: SendRequest<PoolPart> = {
    botId: 'bot',
    chatId: 1,
    part,
    signal: new AbortController().signal,
    onProgress: () => undefined,
  };
  const through = (sender: FakeSender): JournaledSender =>
    new JournaledSender('pool', sender, journal as unknown as PoolSendsRepository, () => ['bot', 'other', 'third']);

  beforeEach(() => {
    journal = new MemoryJournal();
  });

  it('43 wait for a database that is away, before they begin and before they count as stored', async () => {
    journal.awayFor = 1;
    const sender = new FakeSender(stored);
    const send = jest.spyOn(sender, 'send').mockImplementation(() => {
      journal.awayFor = 1;
      return Promise.resolve(stored);
    });
    await expect(through(sender).send(request)).resolves.toEqual(stored);
    expect([send.mock.calls.length, journal.open.size, journal.blobs]).toEqual([1, 0, [7]]);
  });

  it('43 are not made when nobody wants them any more while the database is away', async () => {
    journal.awayFor = Infinity;
    const left = new AbortController();
    const work = through(new FakeSender(stored)).send({ ...request, signal: left.signal });
    left.abort();
    await expect(work).rejects.toThrow('taken back before it began');
  });

  it('are forgotten when it is known that there is no message', async () => {
    await expect(through(new FakeSender(new SendError('refused', 400))).send(request)).rejects.toThrow('refused');
    expect(journal.open.size).toBe(0);
  });

  it('42 stay known when their end is not, and so does a message of another size', async () => {
    await expect(through(new FakeSender(lost)).send(request)).rejects.toThrow(lost);
    await through(new FakeSender({ ...stored, sizeBytes: 1 })).send(request);
    expect([journal.open.size, journal.blobs]).toEqual([2, []]);
  });

  it('32 that were taken back are not looked for: TDLib deletes the message once it hears that it has arrived', async () => {
    const sender = new FakeSender(new SendError('its end is unknown', undefined, 'taken_back'));
    sender.found = [{ messageId: 9, fileName: 'name', sizeBytes: 5 }];
    const journaled = through(sender);
    await expect(journaled.send(request)).rejects.toThrow('its end is unknown');
    await expect(journaled.find(request)).resolves.toBeUndefined();
    // What arrives and stays is somebody's to be collected.
    expect([journal.open.size, journal.blobs]).toEqual([1, []]);
  });

  it('31 whose answer was lost are found by the name of their file, by another bot where their own is gone', async () => {
    const sender = new FakeSender(lost);
    sender.gone = 'bot';
    sender.found = [{ messageId: 9, fileName: 'name', sizeBytes: 5 }];
    const journaled = through(sender);
    await expect(journaled.send(request)).rejects.toThrow(lost);
    await expect(journaled.find(request)).resolves.toEqual({ ...stored, messageId: 9 });
    expect([sender.asked, journal.open.size, journal.blobs]).toEqual([['bot', 'other'], 0, [9]]);
  });

  it('31 whose message is not there stay known: it may still come', async () => {
    const journaled = through(new FakeSender(lost));
    await expect(journaled.send(request)).rejects.toThrow(lost);
    await expect(journaled.find(request)).resolves.toBeUndefined();
    expect(journal.open.size).toBe(1);
  });
});
