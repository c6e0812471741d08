import { randomUUID } from 'node:crypto';
import type { SessionKind } from '../session.dto.js';
import type { Lease } from '../sessions.repository.js';
import { pairResends } from './resend-pairing.js';
import type { SendJournal } from './send-journal.js';
import {
  deletedOf,
  DELETED,
  type Outcome,
  outcomeOf,
  type OutcomeOf,
  type PendingMessage,
  pendingMessagesOf,
} from './send-reader.js';
import { type SendState, TrackedSend } from './tracked-send.js';

/** An outcome may come before the answer that names its message. No answer that is waited for comes later than this. */
const EARLY_FOR_MS = 75_000;

/** Takes what has changed and must be written to the database. */
export interface SendsWriter {
  mark(send: TrackedSend, of: SessionSends): void;
  /** The journal could not be written. */
  failed(reason: unknown, sessionId: string): void;
  /** Resolves when all that was marked is in the database. */
  flush(): Promise<void>;
}

interface Early extends OutcomeOf {
  readonly at: number;
}

/**
 * The sends of one open session: learns of them from answers, and of their outcomes from updates.
 *
 * What a former client had in flight is sent again by the next one, under other temporary ids; TDLib tells of it by
 * updateNewMessage before it answers anything. Until those are paired with what is stored, calls have to wait.
 */
export class SessionSends {
  /** Those in flight, by the temporary id that the present client uses. */
  private readonly current = new Map<string, TrackedSend>();
  /** Those in flight or not stored yet, by the temporary id that a caller was told; the newest of it. */
  private readonly told = new Map<string, TrackedSend>();
  /** All in flight or not stored yet. */
  private readonly open = new Set<TrackedSend>();
  private readonly early = new Map<string, Early>();
  private former: readonly TrackedSend[] = [];
  /** What the client sends again; undefined when that is over. */
  private resent: PendingMessage[] | undefined;
  private files: SendJournal | undefined;
  /** How often the journal was not written, and up to which time the database has what it lacks. */
  private unwritten = 0;
  private madeUpFor = 0;
  private closed = false;
  private recovery: Promise<void> | undefined;
  private endRecovery: () => void = () => undefined;

  /** @param hasPast whether the session had a client before */
  constructor(
    readonly kind: SessionKind,
    readonly lease: Lease,
    hasPast: boolean,
    private readonly writer: SendsWriter,
    private readonly now: () => number = Date.now,
  ) {
    if (hasPast) {
      this.resent = [];
      this.recovery = new Promise((resolve) => {
        this.endRecovery = resolve;
      });
    }
  }

  /** Settles when the former client's sends are known again; undefined when there is nothing to wait for. */
  get recovering(): Promise<void> | undefined {
    return this.recovery;
  }

  /** Undefined until the session's directory is surely ours. */
  get journal(): SendJournal | undefined {
    return this.files;
  }

  /** Whether what a former client has left is known. */
  get isLoaded(): boolean {
    return this.files !== undefined;
  }

  /** Whether something is in flight or not in the database. */
  get isBusy(): boolean {
    return this.open.size > 0;
  }

  get isClosed(): boolean {
    return this.closed;
  }

  /**
   * Takes up what the former client had in flight, and what its process has not stored.
   * @param stored what the database knows
   * @param left what the journal has, which may be not in the database
   */
  load(journal: SendJournal, stored: readonly SendState[], left: readonly SendState[]): void {
    this.files = journal;
    const known = new Map<string, SendState>();
    for (const state of [...stored, ...left]) {
      if (known.get(state.id)?.decidedAt === undefined) {
        known.set(state.id, state);
      }
    }
    const unstored = new Set(left.map(({ id }) => id));
    const former: TrackedSend[] = [];
    for (const state of [...known.values()].sort(bySending)) {
      const send = new TrackedSend(state);
      if (state.decidedAt !== undefined) {
        send.settle(outcomeIn(state), state.decidedAt);
      }
      // What was given up as unknown may be sent by this client after all.
      if (send.isPending || send.status === 'unknown') {
        former.push(send);
      }
      if (send.isPending || unstored.has(send.id)) {
        this.remember(send);
      }
      if (unstored.has(send.id)) {
        this.writer.mark(send, this);
      }
    }
    this.former = former;
  }

  /**
   * An answer to a call that may have sent something.
   * @param keyId of the Idempotency-Key that the call came with
   * @returns the sends it names
   */
  answered(answer: string, keyId?: string): readonly TrackedSend[] {
    return pendingMessagesOf(answer).map((message) => this.track(message, true, keyId));
  }

  /** Takes an update of the client; most types are none of its business and cost one comparison. */
  receive(type: string, update: string): void {
    switch (type) {
      case 'updateMessageSendSucceeded':
      case 'updateMessageSendFailed': {
        const outcome = outcomeOf(update);
        if (outcome !== undefined) {
          this.decide(outcome);
        }
        break;
      }
      case 'updateDeleteMessages':
        if (this.current.size > 0) {
          const { chatId, messageIds } = deletedOf(update);
          for (const messageId of messageIds) {
            this.settle(keyOf(chatId, messageId), DELETED);
          }
        }
        break;
      case 'updateNewMessage':
        this.resent?.push(...pendingMessagesOf(update));
        break;
      default:
        break;
    }
  }

  /** A send in flight or not stored yet, by the temporary id that a caller was told. */
  find(chatId: number, temporaryId: number): TrackedSend | undefined {
    return this.told.get(keyOf(chatId, temporaryId));
  }

  /** A send in flight, by the temporary id that TDLib's present client uses for it; nobody may ever have been told that one. */
  findCurrent(chatId: number, temporaryId: number): TrackedSend | undefined {
    return this.current.get(keyOf(chatId, temporaryId));
  }

  /** A send in flight or not stored yet. */
  findById(id: string): TrackedSend | undefined {
    return [...this.open].find((send) => send.id === id);
  }

  /**
   * Ends the recovery.
   * @param isKnown whether the client has told all that it sends again
   * @returns what the former client had in flight and the present one does not send again: it was sent, or is lost
   */
  recovered(isKnown: boolean): readonly TrackedSend[] {
    const { former, resent = [] } = this;
    const left: TrackedSend[] = [];
    this.former = [];
    this.resent = undefined;
    if (isKnown) {
      const resentIn = byChat(resent);
      for (const [chatId, sends] of byChat(former)) {
        left.push(...this.recoverChat(sends, resentIn.get(chatId) ?? []));
        resentIn.delete(chatId);
      }
      for (const messages of resentIn.values()) {
        this.recoverChat([], messages);
      }
    }
    this.recovery = undefined;
    this.endRecovery();
    return left;
  }

  /** What became of a send that the client does not know any more. */
  concludeLeft(send: TrackedSend, outcome: Outcome): void {
    if (send.isPending && !this.closed) {
      this.conclude(send, outcome);
    }
  }

  /** Those of a chat that the client is sending. */
  inFlight(chatId: number): readonly TrackedSend[] {
    return [...this.current.values()].filter((send) => send.chatId === chatId);
  }

  /** It is in the database as it is now. */
  stored(send: TrackedSend): void {
    if (send.isPending) {
      return;
    }
    this.open.delete(send);
    const key = keyOf(send.chatId, send.temporaryId);
    if (this.told.get(key) === send) {
      this.told.delete(key);
    }
  }

  /** Outcomes that no answer has asked for belong to calls whose answer was lost: they are kept as sends of their own. */
  sweepEarly(): void {
    const before = this.now() - EARLY_FOR_MS;
    for (const { at, chatId, temporaryId } of this.early.values()) {
      if (at > before) {
        break;
      }
      this.track({ chatId, temporaryId, fingerprint: 0 }, false);
    }
  }

  /**
   * The client is closed: nothing more is learned here, and nobody has to wait for it.
   * @param isOver whether no other client will learn it either
   */
  end(isOver: boolean): void {
    this.closed = true;
    this.recovered(false);
    for (const send of this.open) {
      if (isOver && send.isPending) {
        this.conclude(send, { status: 'unknown' });
      }
      send.release();
    }
    this.current.clear();
  }

  /** Leaves the journal to the next client. */
  close(): void {
    this.files?.close();
    this.files = undefined;
  }

  private recoverChat(former: readonly TrackedSend[], resent: readonly PendingMessage[]): readonly TrackedSend[] {
    const pairs = pairResends(former, resent);
    for (const [index, message] of resent.entries()) {
      const send = pairs[index];
      if (send === undefined) {
        this.track(message, false);
        continue;
      }
      if (!send.isPending) {
        send.reopen();
        this.remember(send);
        this.note(send);
      }
      this.follow(send, message.temporaryId);
    }
    const found = new Set(pairs);
    return former.filter((send) => send.isPending && !found.has(send));
  }

  private track({ chatId, temporaryId, fingerprint }: PendingMessage, told: boolean, keyId?: string): TrackedSend {
    const { sessionId, epoch } = this.lease;
    const createdAt = new Date(this.now());
    const id = randomUUID();
    const send = new TrackedSend({
      id,
      sessionId,
      epoch,
      chatId,
      temporaryId,
      told,
      fingerprint,
      keyId,
      createdAt,
    });
    this.remember(send);
    this.follow(send, temporaryId);
    if (send.isPending) {
      this.note(send);
    }
    return send;
  }

  private remember(send: TrackedSend): void {
    this.open.add(send);
    if (send.told) {
      this.told.set(keyOf(send.chatId, send.temporaryId), send);
    }
  }

  /** From now on the send is the one that the client knows under this id. */
  private follow(send: TrackedSend, temporaryId: number): void {
    const key = keyOf(send.chatId, temporaryId);
    this.current.set(key, send);
    const early = this.early.get(key);
    if (early !== undefined) {
      this.early.delete(key);
      this.settle(key, early.outcome);
    }
  }

  private decide({ chatId, temporaryId, outcome }: OutcomeOf): void {
    const key = keyOf(chatId, temporaryId);
    if (!this.settle(key, outcome)) {
      this.early.set(key, { chatId, temporaryId, outcome, at: this.now() });
    }
  }

  /** @returns whether there is such a send */
  private settle(key: string, outcome: Outcome): boolean {
    const send = this.current.get(key);
    if (send === undefined) {
      return false;
    }
    this.current.delete(key);
    this.conclude(send, outcome);
    return true;
  }

  /**
   * Resolves when what is known of the sends outlives this process: at once, unless the journal could not be written, as on a full
   * disk, on which TDLib ends the process. Then the database has to have it.
   */
  async secured(): Promise<void> {
    const { unwritten } = this;
    if (this.madeUpFor >= unwritten) return;
    await this.writer.flush();
    this.madeUpFor = Math.max(this.madeUpFor, unwritten);
  }

  private conclude(send: TrackedSend, outcome: Outcome): void {
    send.settle(outcome, new Date(this.now()));
    this.note(send);
  }

  private note(send: TrackedSend): void {
    try {
      this.files?.append(send);
    } catch (error) {
      this.unwritten += 1;
      this.writer.failed(error, this.lease.sessionId);
    }
    this.writer.mark(send, this);
  }
}

function keyOf(chatId: number, messageId: number): string {
  return `${chatId}:${messageId}`;
}

/** The order in which they were sent, within a chat. */
function bySending(a: SendState, b: SendState): number {
  return a.epoch - b.epoch || a.temporaryId - b.temporaryId;
}

function byChat<Item extends { readonly chatId: number }>(items: readonly Item[]): Map<number, Item[]> {
  const chats = new Map<number, Item[]>();
  for (const item of items) {
    const chat = chats.get(item.chatId);
    if (chat === undefined) {
      chats.set(item.chatId, [item]);
    } else {
      chat.push(item);
    }
  }
  return chats;
}

function outcomeIn({ status, messageId, error }: SendState): Outcome {
  if (status === 'sent' && messageId !== undefined) {
    return { status, messageId };
  }
  return status === 'failed' && error !== undefined ? { status, error } : { status: 'unknown' };
}
