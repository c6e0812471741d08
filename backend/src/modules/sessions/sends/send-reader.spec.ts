import fc from 'fast-check';
import { deletedOf, fingerprintOf, isScheduledId, isServerId, outcomeOf, pendingMessagesOf } from './send-reader.js';

const PENDING = { '@type': 'messageSendingStatePending', sending_id: 0 };
const message = (id: number, more: object = {}): Record<string, unknown> & { '@type': string } => ({
  '@type': 'message',
  id,
  chat_id: -100,
  sending_state: PENDING,
  content: { '@type': 'messageText', text: { '@type': 'formattedText', text: 'hello', entities: [] } },
  ...more,
});
const ids = (object: object): number[] =>
  pendingMessagesOf(JSON.stringify(object)).map(({ temporaryId }) => temporaryId);

describe('pendingMessagesOf', () => {
  it('finds the message of an answer, of an update, and each of several', () => {
    expect(ids(message(9))).toEqual([9]);
    expect(ids({ '@type': 'updateNewMessage', message: message(9) })).toEqual([9]);
    expect(ids({ '@type': 'messages', total_count: 3, messages: [message(9), null, message(17)] })).toEqual([9, 17]);
  });

  it('finds nothing that is not on its way', () => {
    expect(ids({ '@type': 'ok' })).toEqual([]);
    expect(ids(message(1 << 20, { sending_state: null }))).toEqual([]);
    expect(ids(message(9, { sending_state: { '@type': 'messageSendingStateFailed' } }))).toEqual([]);
    expect(ids({ '@type': 'text', text: JSON.stringify(message(9)) })).toEqual([]);
  });

  it('leaves scheduled messages out', () => {
    expect(ids(message(1_048_581))).toEqual([]);
  });
});

describe('message ids', () => {
  it('are told apart by their last bits', () => {
    expect([1_048_577, 1_048_576 + 4, 5 * 2 ** 20, 2 ** 52 + 5].map(isScheduledId)).toEqual([false, true, false, true]);
    expect([1_048_577, 1_048_576, 5 * 2 ** 20, 2 ** 52].map(isServerId)).toEqual([false, true, true, true]);
  });
});

describe('outcomeOf', () => {
  it('tells the lasting id', () => {
    const update = { '@type': 'updateMessageSendSucceeded', message: message(1 << 20), old_message_id: 9 };
    expect(outcomeOf(JSON.stringify(update))).toEqual({
      chatId: -100,
      temporaryId: 9,
      outcome: { status: 'sent', messageId: 1 << 20 },
    });
  });

  it("tells Telegram's refusal", () => {
    const error = { '@type': 'error', code: 400, message: 'PEER_FLOOD' };
    const update = { '@type': 'updateMessageSendFailed', message: message(10), old_message_id: 9, error };
    expect(outcomeOf(JSON.stringify(update))).toEqual({
      chatId: -100,
      temporaryId: 9,
      outcome: { status: 'failed', error: { code: 400, message: 'PEER_FLOOD', source: 'tdlib' } },
    });
  });

  it('says nothing about scheduled messages', () => {
    const update = { '@type': 'updateMessageSendSucceeded', message: message(1_048_580), old_message_id: 1_048_581 };
    expect(outcomeOf(JSON.stringify(update))).toBeUndefined();
  });
});

describe('deletedOf', () => {
  const update = {
    '@type': 'updateDeleteMessages',
    chat_id: -100,
    message_ids: [9, 17],
    is_permanent: true,
    from_cache: false,
  };

  it('names what was deleted for good', () => {
    expect(deletedOf(JSON.stringify(update))).toEqual({ chatId: -100, messageIds: [9, 17] });
  });

  it('names nothing that only left the memory', () => {
    expect(deletedOf(JSON.stringify({ ...update, is_permanent: false, from_cache: true })).messageIds).toEqual([]);
  });
});

describe('fingerprintOf', () => {
  const document = (file: object, caption: string): ReturnType<typeof message> => ({
    '@type': 'messageDocument',
    document: {
      '@type': 'document',
      file_name: 'a.txt',
      mime_type: 'text/plain',
      document: { '@type': 'file', ...file },
    },
    caption: { '@type': 'formattedText', text: caption, entities: [] },
  });

  it('differs with the text, and with the type', () => {
    const text = (words: string) => ({ '@type': 'messageText', text: { '@type': 'formattedText', text: words } });
    expect(fingerprintOf(text('a'))).not.toBe(fingerprintOf(text('b')));
    expect(fingerprintOf({ ...text('a'), '@type': 'messageOther' })).not.toBe(fingerprintOf(text('a')));
  });

  it('is the same whatever becomes of the files', () => {
    const before = document({ id: 1, size: 0, remote: { is_uploading_active: true } }, 'c');
    expect(fingerprintOf(document({ id: 77, size: 5, remote: { id: 'x' } }, 'c'))).toBe(fingerprintOf(before));
    expect(fingerprintOf(document({ id: 1 }, 'd'))).not.toBe(fingerprintOf(before));
  });

  it('fits a PostgreSQL integer, for any content', () => {
    fc.assert(
      fc.property(fc.object({ maxDepth: 10 }), (content) => {
        const fingerprint = fingerprintOf({ ...content, '@type': 'messageAny' });
        expect(fingerprint).toBe(fingerprint | 0);
      }),
    );
  });
});
