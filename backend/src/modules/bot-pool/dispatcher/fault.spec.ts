import { type FaultClass, faultOf } from './fault.js';
import { SendError } from './part.js';

describe('24 the class of a fault', () => {
  it.each<[FaultClass, string, number | undefined]>([
    ['rate', 'Too Many Requests: retry after 41', 429],
    ['rate', 'Too Many Requests: retry after 5', 400],
    ['rate', 'Too Many Requests', 429],
    ['rate', 'FLOOD_WAIT_17', 420],
    ['rate', 'FLOOD_PREMIUM_WAIT_3', 420],
    ['rate', 'SLOWMODE_WAIT_9', 400],
    ['transient', 'Internal Server Error', 500],
    ['transient', 'WORKER_BUSY_TOO_LONG_RETRY', 500],
    ['transient', 'Bad Gateway', 502],
    ['transient', 'FILE_PART_7_MISSING', 400],
    ['transient', 'FILE_REFERENCE_EXPIRED', 400],
    ['transient', 'a text that nobody has seen before', 400],
    ['transient', 'a text without a code', undefined],
    ['bot', 'Unauthorized', 401],
    ['bot', 'anything at all', 401],
    ['bot', 'CHAT_WRITE_FORBIDDEN', 400],
    ['bot', 'CHAT_ADMIN_REQUIRED', 400],
    ['bot', 'CHANNEL_PRIVATE', 400],
    ['bot', 'Chat not found', 400],
    ['bot', 'Not enough rights to send documents to the chat', 400],
    ['bot', 'Have no write access to the chat', 400],
    ['bot', 'Forbidden: bot was kicked from the channel chat', 403],
    ['bot', 'Forbidden', 403],
    ['bot', 'FROZEN_METHOD_INVALID', 420],
    ['payload', 'File must be non-empty', 400],
    ['payload', 'FILE_PARTS_INVALID', 400],
    ['payload', 'File is too big', 400],
    ['payload', 'MEDIA_EMPTY', 400],
    ['payload', 'Request Entity Too Large', 413],
  ])('is %s of "%s" with code %s', (expected, message, code) => {
    expect(faultOf(new SendError(message, code)).class).toBe(expected);
  });

  it.each<[FaultClass, 'answer_lost' | 'timeout' | 'connection']>([
    ['unknown', 'answer_lost'],
    ['transient', 'timeout'],
    ['transient', 'connection'],
  ])('is %s of the trouble %s', (expected, trouble) => {
    expect(faultOf(new SendError('went wrong on the way', undefined, trouble)).class).toBe(expected);
  });

  it('is transient of whatever else is thrown', () => {
    expect(faultOf('a text').class).toBe('transient');
    expect(faultOf(new TypeError('a bug')).class).toBe('transient');
  });

  it('has the time that was asked for', () => {
    expect(faultOf(new SendError('Too Many Requests: retry after 86400', 429)).retryAfterMs).toBe(86_400_000);
    expect(faultOf(new SendError('FLOOD_WAIT_2.5', 420)).retryAfterMs).toBe(2_500);
  });
});
