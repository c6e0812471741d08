import { appendFileSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/**
 * Telegram numbers the messages of all private chats and basic groups of an account in one sequence, those of each supergroup
 * and channel in one of its own (https://core.telegram.org/api/updates#message-related-event-sequences).
 */
export const COMMON = 0;

/** By sequence the newest message that TDLib has handed over: a chat's id, or {@link COMMON}. The latest changed come last. */
export type NewestSeen = ReadonlyMap<number, number>;

/** Supergroups and channels are below this (td/telegram/DialogId.h). */
const SUPERGROUP_BASE = -1_000_000_000_000;

/** Whether the chat numbers its messages by itself. */
export const isNumberedAlone = (chatId: number): boolean => chatId < SUPERGROUP_BASE;

/** How much is remembered; the chats that were silent for longest are forgotten first. */
const MAX_CHATS = 10_000;
/** Changes that may be in memory only: so many messages are asked for in vain after a kill, at most. */
const MAX_UNWRITTEN = 50;
const NAME = 'seen';

/** What the file's first line says of the rest. */
const STATES = ['live', 'gap', 'closed'] as const;
/**
 * `live`: a client was open; what its journals hold was seen as well. `gap`: what came after these was not all looked for yet.
 * `closed`: TDLib has handed over everything.
 */
type State = (typeof STATES)[number];

interface Content {
  readonly state: State;
  readonly newest: Map<number, number>;
}

/**
 * Up to where TDLib has handed over the messages of a session, in a file in its folder. TDLib notes what Telegram has sent before
 * it hands it over, and does not ask for it again: after a kill this tells where to look for what was lost with the process.
 */
export class SeenMessages {
  private newest = new Map<number, number>();
  private readonly unwritten = new Set<number>();
  private state: State | undefined;
  private lines = 0;
  private readonly path: string;

  constructor(directory: string) {
    this.path = join(directory, NAME);
  }

  /**
   * The session's folder is this process's from now on.
   * @param journalled what the journals of the former client hold
   * @returns where the former client was killed; undefined when nothing can be missing
   */
  begin(journalled: Iterable<readonly [chatId: number, messageId: number]>): NewestSeen | undefined {
    const former = this.read();
    const seen = former?.newest ?? new Map<number, number>();
    const isMissing = former !== undefined && former.state !== 'closed';
    if (former?.state === 'live') for (const [chatId, messageId] of journalled) raise(seen, chatId, messageId);
    const younger = this.newest;
    this.newest = new Map(seen);
    this.write(isMissing ? 'gap' : 'live');
    for (const [sequence, messageId] of younger) this.note(sequence, messageId);
    return isMissing ? seen : undefined;
  }

  /** @param messageId as the server has given it */
  note(chatId: number, messageId: number): void {
    for (const sequence of raise(this.newest, chatId, messageId)) this.unwritten.add(sequence);
    if (this.newest.size > MAX_CHATS) {
      const [oldest] = this.newest.keys();
      this.newest.delete(oldest ?? 0);
    }
    if (this.unwritten.size >= MAX_UNWRITTEN) this.flush();
  }

  /** The newest message of a sequence; 0 for none. */
  newestOf(sequence: number): number {
    return this.newest.get(sequence) ?? 0;
  }

  /** Writes down what the journal is about to forget. */
  flush(): void {
    if (this.state !== 'live' || this.unwritten.size === 0) return;
    const lines = [...this.unwritten].map((sequence) => `${sequence} ${this.newest.get(sequence) ?? 0}\n`);
    this.lines += lines.length;
    if (this.lines > 4 * this.newest.size + 1_000) {
      this.write('live');
    } else {
      appendFileSync(this.path, lines.join(''));
      this.unwritten.clear();
    }
  }

  /** What was missing is found. */
  settle(): void {
    if (this.state === 'gap') this.write('live');
  }

  /** TDLib has handed over everything; what is still to be looked for, the next client looks for. */
  close(): void {
    if (this.state === 'live') this.write('closed');
  }

  /** Nobody wants messages: what comes now will never be missing. */
  forget(): void {
    this.newest.clear();
    this.unwritten.clear();
    this.state = undefined;
    rmSync(this.path, { force: true });
  }

  private write(state: State): void {
    const lines = [...this.newest].map(([sequence, messageId]) => `${sequence} ${messageId}\n`);
    writeFileSync(`${this.path}.new`, `${state}\n${lines.join('')}`, { mode: 0o600 });
    renameSync(`${this.path}.new`, this.path);
    this.state = state;
    this.lines = lines.length;
    this.unwritten.clear();
  }

  private read(): Content | undefined {
    let text: string;
    try {
      text = readFileSync(this.path, 'utf8');
    } catch {
      return undefined;
    }
    const [first, ...lines] = text.split('\n').slice(0, -1);
    const state = STATES.find((each) => each === first);
    if (state === undefined) return undefined;
    const newest = new Map<number, number>();
    for (const line of lines) {
      const [sequence = NaN, messageId = NaN] = line.split(' ').map(Number);
      if (Number.isSafeInteger(sequence) && Number.isSafeInteger(messageId)) set(newest, sequence, messageId);
    }
    return { state, newest };
  }
}

/**
 * A chat that has no sequence of its own moves the common one, and is remembered beside it.
 * @returns what has moved
 */
function raise(newest: Map<number, number>, chatId: number, messageId: number): readonly number[] {
  const sequences = isNumberedAlone(chatId) || chatId === COMMON ? [chatId] : [chatId, COMMON];
  const moved = sequences.filter((sequence) => messageId > (newest.get(sequence) ?? 0));
  for (const sequence of moved) set(newest, sequence, messageId);
  return moved;
}

function set(newest: Map<number, number>, sequence: number, messageId: number): void {
  newest.delete(sequence);
  newest.set(sequence, messageId);
}
