import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { SendJournal } from './send-journal.js';
import { SessionSends } from './session-sends.js';
import { type SendState, stateOf, type TrackedSend, untilDecided } from './tracked-send.js';

const CHAT = -100;
const content = (text: string): object => ({ '@type': 'messageText', text: { '@type': 'formattedText', text } });
const pending = (id: number, text = 'x', chat_id = CHAT): object => ({
  '@type': 'message',
  id,
  chat_id,
  sending_state: { '@type': 'messageSendingStatePending' },
  content: content(text),
});
const server = (number: number): number => number * 2 ** 20;

describe('SessionSends', () => {
  let directory: string;
  let marked: TrackedSend[];
  let failures: unknown[];
  let flushes: (() => void)[];
  let now: number;

  const open = (hasPast = false): SessionSends => {
    const lease = { sessionId: '22222222-2222-4222-8222-222222222222', workerId: 'w', epoch: 2 };
    const writer = {
      mark: (send: TrackedSend) => marked.push(send),
      failed: (reason: unknown) => failures.push(reason),
      flush: () => new Promise<void>((resolve) => flushes.push(resolve)),
    };
    return new SessionSends('bot', lease, hasPast, writer, () => now);
  };
  const fresh = (): SessionSends => {
    const sends = open();
    const { journal, left } = SendJournal.open(directory);
    sends.load(journal, [], left);
    return sends;
  };
  const succeed = (sends: SessionSends, old: number, id: number, chat_id = CHAT): void =>
    sends.receive(
      'updateMessageSendSucceeded',
      JSON.stringify({
        '@type': 'updateMessageSendSucceeded',
        message: { '@type': 'message', id, chat_id },
        old_message_id: old,
      }),
    );
  const resend = (sends: SessionSends, id: number, text: string): void =>
    sends.receive('updateNewMessage', JSON.stringify({ '@type': 'updateNewMessage', message: pending(id, text) }));
  /** What a former client of the session had in flight. */
  const formerly = (...texts: string[]): SendState[] => {
    const former = fresh();
    const states = texts.map((text, index) => {
      const [send] = former.answered(JSON.stringify(pending(9 + 8 * index, text)));
      return stateOf(send as TrackedSend);
    });
    former.end(false);
    former.close();
    rmSync(directory, { recursive: true });
    directory = mkdtempSync(join(tmpdir(), 'tgcontrol-sends-'));
    return states;
  };
  const resumed = (stored: readonly SendState[]): SessionSends => {
    const sends = open(true);
    const { journal, left } = SendJournal.open(directory);
    sends.load(journal, stored, left);
    return sends;
  };
  const told = (sends: SessionSends, id: number): unknown => {
    const send = sends.find(CHAT, id);
    return send && [send.status, send.messageId];
  };

  beforeEach(() => {
    directory = mkdtempSync(join(tmpdir(), 'tgcontrol-sends-'));
    marked = [];
    failures = [];
    flushes = [];
    now = 1_000_000;
  });

  afterEach(() => {
    rmSync(directory, { recursive: true, force: true });
    expect(failures).toEqual([]);
  });

  it('takes an outcome that comes after the answer', async () => {
    const sends = fresh();
    const [send] = sends.answered(JSON.stringify(pending(9)), 'key');
    const waiting = untilDecided(send ? [send] : [], 10_000);
    succeed(sends, 9, server(3));
    await waiting;
    expect(send).toMatchObject({ status: 'sent', messageId: server(3), keyId: 'key', epoch: 2 });
  });

  it('takes an outcome that comes before the answer', () => {
    const sends = fresh();
    succeed(sends, 9, server(3));
    const [send] = sends.answered(JSON.stringify(pending(9)));
    expect(send).toMatchObject({ status: 'sent', messageId: server(3) });
  });

  it('keeps chats apart: the same temporary id may be in use in many', () => {
    const sends = fresh();
    const [here] = sends.answered(JSON.stringify(pending(9)));
    const [there] = sends.answered(JSON.stringify(pending(9, 'x', -200)));
    succeed(sends, 9, server(5), -200);
    expect([here?.status, there?.messageId]).toEqual(['pending', server(5)]);
  });

  it('fails what is deleted before it is sent, and lets that stand', () => {
    const sends = fresh();
    const [send] = sends.answered(JSON.stringify(pending(9)));
    const update = { '@type': 'updateDeleteMessages', chat_id: CHAT, message_ids: [9], is_permanent: true };
    sends.receive('updateDeleteMessages', JSON.stringify(update));
    succeed(sends, 9, server(3));
    expect(send).toMatchObject({ status: 'failed', error: { code: 'deleted', source: 'gateway' } });
  });

  it('finds a send until it is decided and stored', () => {
    const sends = fresh();
    const [send] = sends.answered(JSON.stringify(pending(9)));
    if (send === undefined) throw new Error('no send');
    sends.stored(send);
    expect(told(sends, 9)).toEqual(['pending', undefined]);
    succeed(sends, 9, server(3));
    expect([told(sends, 9), sends.isBusy]).toEqual([['sent', server(3)], true]);
    sends.stored(send);
    expect([told(sends, 9), sends.isBusy]).toEqual([undefined, false]);
  });

  it('knows the sends of a former client again by order and content, whatever ids the present one gives them', () => {
    const sends = resumed(formerly('one', 'two', 'two', 'three'));
    resend(sends, 1, 'two');
    resend(sends, 9, 'two');
    resend(sends, 17, 'three');
    succeed(sends, 1, server(3));
    const left = sends.recovered(true);
    succeed(sends, 9, server(4));
    succeed(sends, 17, server(5));
    expect(left).toEqual([sends.find(CHAT, 9)]);
    expect([9, 17, 25, 33].map((id) => told(sends, id))).toEqual([
      ['pending', undefined],
      ['sent', server(3)],
      ['sent', server(4)],
      ['sent', server(5)],
    ]);
  });

  it('holds calls back until the former sends are known again', async () => {
    const sends = resumed(formerly('one'));
    const { recovering } = sends;
    let isOver = false;
    void recovering?.then(() => (isOver = true));
    await Promise.resolve();
    expect(isOver).toBe(false);
    sends.recovered(true);
    await recovering;
    expect(sends.recovering).toBeUndefined();
  });

  it('leaves everything pending when it could not learn what is sent again', () => {
    const sends = resumed(formerly('one'));
    sends.recovered(false);
    expect(told(sends, 9)).toEqual(['pending', undefined]);
  });

  it('finds a send after all that was given up as unknown', () => {
    const [state] = formerly('one');
    if (state === undefined) throw new Error('no send');
    const sends = resumed([{ ...state, status: 'unknown', decidedAt: new Date(now) }]);
    resend(sends, 1, 'one');
    sends.recovered(true);
    expect(told(sends, 9)).toEqual(['pending', undefined]);
    succeed(sends, 1, server(3));
    expect(told(sends, 9)).toEqual(['sent', server(3)]);
  });

  it('keeps what TDLib sends again and nobody has an answer to as a send of its own', () => {
    const sends = resumed([]);
    resend(sends, 1, 'unheard');
    sends.recovered(true);
    expect(sends.findCurrent(CHAT, 1)).toMatchObject({ told: false, status: 'pending' });
    succeed(sends, 1, server(3));
    expect(marked.at(-1)).toMatchObject({ told: false, epoch: 2, status: 'sent', messageId: server(3) });
  });

  it('never takes what TDLib sends again for a message that a caller was told by the same id', () => {
    const sends = resumed(formerly('one'));
    resend(sends, 1, 'one');
    resend(sends, 9, 'unheard');
    sends.recovered(true);
    succeed(sends, 9, server(4));
    succeed(sends, 1, server(3));
    expect(told(sends, 9)).toEqual(['sent', server(3)]);
  });

  it('concludes what it does not send again as soon as somebody knows, once', () => {
    const sends = resumed(formerly('one'));
    const left = sends.recovered(true);
    for (const send of left) {
      sends.concludeLeft(send, { status: 'sent', messageId: server(3) });
      sends.concludeLeft(send, { status: 'unknown' });
    }
    expect(told(sends, 9)).toEqual(['sent', server(3)]);
  });

  it('means the newest message by a temporary id that is used again', () => {
    const sends = resumed(formerly('one'));
    resend(sends, 1, 'one');
    sends.recovered(true);
    const [newer] = sends.answered(JSON.stringify(pending(9, 'newer')));
    expect(sends.find(CHAT, 9)).toBe(newer);
    succeed(sends, 9, server(7));
    succeed(sends, 1, server(6));
    expect(newer?.messageId).toBe(server(7));
  });

  it('keeps an outcome that no answer has asked for as a send of its own, once no answer can come', () => {
    const sends = fresh();
    succeed(sends, 9, server(3));
    sends.sweepEarly();
    expect(marked).toEqual([]);
    now += 76_000;
    sends.sweepEarly();
    expect(marked.at(-1)).toMatchObject({ temporaryId: 9, status: 'sent', messageId: server(3) });
    sends.sweepEarly();
    expect(new Set(marked).size).toBe(1);
  });

  it('takes from the journal what a killed process has not stored', () => {
    const former = fresh();
    former.answered(JSON.stringify(pending(9, 'one')));
    former.answered(JSON.stringify(pending(17, 'two')));
    succeed(former, 9, server(3));
    marked = [];
    const sends = resumed([]);
    expect(told(sends, 9)).toEqual(['sent', server(3)]);
    expect(told(sends, 17)).toEqual(['pending', undefined]);
    expect(marked).toHaveLength(2);
    former.close();
  });

  it('has the database keep what the journal does not take, before an answer tells of it', async () => {
    const sends = open();
    const { journal, left } = SendJournal.open(directory);
    sends.load(journal, [], left);
    sends.answered(JSON.stringify(pending(9)));
    await sends.secured();
    expect([flushes, failures]).toEqual([[], []]);
    jest.spyOn(journal, 'append').mockImplementation(() => {
      throw new Error('ENOSPC');
    });
    sends.answered(JSON.stringify(pending(17)));
    const first = sends.secured();
    sends.answered(JSON.stringify(pending(25)));
    flushes[0]?.();
    await first;
    // What came while the first was stored is not stored with it.
    const second = sends.secured();
    expect(flushes).toHaveLength(2);
    flushes[1]?.();
    await second;
    await sends.secured();
    expect([flushes.length, failures.splice(0).length]).toEqual([2, 2]);
  });

  it('releases who waits when the client is closed, and gives up what never opens again', async () => {
    const sends = fresh();
    const handedOver = sends.answered(JSON.stringify(pending(9)));
    const waiting = untilDecided(handedOver, 10_000);
    sends.end(false);
    await waiting;
    expect(handedOver).toMatchObject([{ status: 'pending' }]);
    const over = fresh();
    const lost = over.answered(JSON.stringify(pending(9)));
    over.end(true);
    expect(lost).toMatchObject([{ status: 'unknown' }]);
    for (const each of [sends, over]) each.close();
  });
});
