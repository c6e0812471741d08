import type { Part, StoredPart } from './dispatcher/part.js';
import type { FoundMessage, MessageSearch } from './message-search.js';

/** A part as it lies in the spool, where every worker can read it. */
export interface PoolPart extends Part {
  /** Absolute, below the folder of uploads. */
  readonly path: string;
  /** What it begins with when it is encrypted, in base64: parts travel as JSON. */
  readonly sealHead?: string;
}

/** One send of a part by one bot. */
export interface BotSend {
  readonly botId: string;
  readonly chatId: number;
  readonly part: PoolPart;
  readonly signal: AbortSignal;
  readonly onProgress: (sentBytes: number) => void;
}

/** A message of a bot. */
export interface BotMessage {
  readonly botId: string;
  readonly chatId: number;
  readonly messageId: number;
}

/** Sends parts, wherever the bots are. A bot sends one at a time, whoever asks. */
export abstract class PartSender {
  /** Settles once nothing of the send runs any more. @throws SendError */
  abstract send(send: BotSend): Promise<StoredPart>;

  /** Deletes a message that the bot has posted. @throws Error when it could not be */
  abstract erase(message: BotMessage): Promise<void>;

  /** Looks for messages as the bot sees the chat. @throws Error when it could not look */
  abstract find(botId: string, search: MessageSearch): Promise<readonly FoundMessage[]>;
}
