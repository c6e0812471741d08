import { createHash } from 'node:crypto';
import type { FaultClass } from './fault.js';

/** What the dispatcher knows of the bytes that are to become one message. */
export interface Part {
  readonly id: string;
  /** Whose part it is: turns are shared between owners first, and between the objects of each then. */
  readonly ownerId: string;
  readonly objectId: string;
  readonly sizeBytes: number;
  /** Hexadecimal SHA-256 of the bytes, where it is known before they are sent. */
  readonly sha256?: string;
}

/** A message that Telegram has taken. */
export interface StoredPart {
  readonly botId: string;
  readonly chatId: number;
  /** Telegram's final id. */
  readonly messageId: number;
  /** The size of the document in the message. */
  readonly sizeBytes: number;
}

/** One send, as it is asked of the port. */
export interface SendRequest<P extends Part> {
  readonly botId: string;
  readonly chatId: number;
  readonly part: P;
  /** Aborted when nobody wants the message any more: take the pending message back, then settle. */
  readonly signal: AbortSignal;
  /** To be told of bytes that have left, so that a slow send is not taken for one that hangs. */
  readonly onProgress: (sentBytes: number) => void;
}

/**
 * Whoever sends. What it promises: a send opens the part's bytes anew each time, and settles once nothing of it runs any more,
 * whether it succeeded, failed or was aborted. The dispatcher holds the bot until then.
 */
export interface SendPort<P extends Part> {
  /** @throws SendError, or anything else, which then counts as transient */
  send(request: SendRequest<P>): Promise<StoredPart>;
  /** Looks for a message whose answer was lost. @returns undefined when it is not there, or cannot be known */
  find(request: Pick<SendRequest<P>, 'botId' | 'chatId' | 'part'>): Promise<StoredPart | undefined>;
}

/** Why a send failed, in the terms that the classes of faults are told by. */
export class SendError extends Error {
  constructor(
    message: string,
    /** TDLib's code; undefined where TDLib said nothing. */
    readonly code?: number,
    /**
     * `answer_lost` when the bytes may have arrived, `taken_back` when they may have and TDLib deletes them as soon as it hears of
     * it, `timeout` and `connection` when nothing is known to have.
     */
    readonly trouble?: 'answer_lost' | 'taken_back' | 'timeout' | 'connection',
  ) {
    super(message);
    this.name = 'SendError';
  }
}

/** A send that was made for a part. */
export interface Attempt {
  readonly botId: string;
  readonly fault: FaultClass;
  readonly message: string;
}

/** A message in a chat that no object refers to, or one that may be there. */
export interface Orphan {
  readonly botId: string;
  readonly chatId: number;
  readonly partId: string;
  /** Unknown where the answer was lost. */
  readonly messageId: number | undefined;
  readonly reason: 'cancelled' | 'wrong_answer' | 'answer_lost';
}

/** The SHA-256 that parts are compared by. */
export function sha256Of(bytes: Uint8Array): string {
  return createHash('sha256').update(bytes).digest('hex');
}
