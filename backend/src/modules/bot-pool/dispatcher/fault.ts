import { messageOf } from '../../../common/errors/index.js';
import { SendError } from './part.js';

/**
 * Whose fault a failed send is, and so what is done about it: `rate` rests the bot, `transient` is tried again, `unknown` is
 * looked up before that, `bot` puts the bot aside, and `payload` fails the part, whoever would send it.
 */
export type FaultClass = 'rate' | 'transient' | 'unknown' | 'bot' | 'payload';

/** A failed send, told apart. */
export interface Fault {
  readonly class: FaultClass;
  readonly message: string;
  /** What Telegram asks a bot to wait; 0 when it named no time. Only of the class `rate`. */
  readonly retryAfterMs: number;
}

/**
 * Texts that ask for a pause. Telegram's come with code 420, TDLib's with 429, and some with 400 (tdlib/td #3003), so that the
 * text decides.
 */
const RATE_TEXTS: readonly RegExp[] = [
  /retry after\s+(\d+(?:\.\d+)?)/i,
  /\b(?:FLOOD_WAIT|FLOOD_PREMIUM_WAIT|SLOWMODE_WAIT)_(\d+(?:\.\d+)?)/,
];

/**
 * What Telegram says when it is this bot that may not, or is not there. TDLib reports `403 CHAT_WRITE_FORBIDDEN` of a send
 * with the code 400, so that only the text tells.
 */
const BOT_TEXTS =
  /UNAUTHORIZED|AUTH_KEY_|SESSION_REVOKED|SESSION_EXPIRED|USER_DEACTIVATED|ACCESS_TOKEN_|token (?:is )?(?:revoked|invalid)|CHAT_WRITE_FORBIDDEN|CHAT_ADMIN_REQUIRED|CHAT_SEND_\w+_FORBIDDEN|CHAT_RESTRICTED|CHANNEL_PRIVATE|CHANNEL_INVALID|CHAT_FORBIDDEN|CHAT_ID_INVALID|PEER_ID_INVALID|PEER_FLOOD|USER_NOT_PARTICIPANT|USER_BANNED_IN_CHANNEL|USER_IS_BLOCKED|FROZEN_METHOD_INVALID|kicked|not a member|chat not found|not enough rights|no rights|have no write access|need administrator rights|session .*(?:not authorized|is (?:expired|stopped|logged_out|revoked|banned))/i;

/** Faults of the bytes themselves, or of what was asked: no other bot would do better. */
const PAYLOAD_TEXTS =
  /file (?:is|must be) (?:empty|non-?empty|too big|too large)|FILE_PARTS_INVALID|FILE_PART_TOO_BIG|FILE_PART_EMPTY|FILE_EMIT_INVALID|MEDIA_EMPTY|MEDIA_INVALID|DOCUMENT_INVALID|CHECKSUM|MD5_CHECKSUM_INVALID|can't be empty|wrong file|invalid file/i;

/** Looks like a payload's fault and is none: the server has lost a piece of what was uploaded. */
const LOST_PIECE = /FILE_PART_\d*_?MISSING|FILE_REFERENCE_/;

/** Tells a failed send apart. What nobody has named yet counts as transient: it is tried again, but not for ever. */
export function faultOf(error: unknown): Fault {
  const message = messageOf(error);
  const { code, trouble } = error instanceof SendError ? error : { code: undefined, trouble: undefined };
  const retryAfterMs = retryAfterMsOf(message);
  if (retryAfterMs !== undefined || code === 429 || (code === 420 && !BOT_TEXTS.test(message))) {
    return { class: 'rate', message, retryAfterMs: retryAfterMs ?? 0 };
  }
  return { class: classOf(message, code, trouble), message, retryAfterMs: 0 };
}

function classOf(message: string, code: number | undefined, trouble: SendError['trouble']): FaultClass {
  if (trouble === 'answer_lost' || trouble === 'taken_back') return 'unknown';
  if (trouble !== undefined || LOST_PIECE.test(message)) return 'transient';
  if (code === 401 || BOT_TEXTS.test(message)) return 'bot';
  if (code === 413 || PAYLOAD_TEXTS.test(message)) return 'payload';
  return code === 403 ? 'bot' : 'transient';
}

function retryAfterMsOf(message: string): number | undefined {
  for (const pattern of RATE_TEXTS) {
    const seconds = pattern.exec(message)?.[1];
    if (seconds !== undefined) return Number(seconds) * 1_000;
  }
  return undefined;
}
