import type { Departure } from '../../../telegram/index.js';
import type { SendError, SendStatus } from './send.entity.js';
import type { Outcome } from './send-reader.js';

/** What of a send never changes. */
export interface SendIdentity {
  readonly id: string;
  readonly sessionId: string;
  /** Of the session's lease when the call was answered. */
  readonly epoch: number;
  readonly chatId: number;
  /** The id in the call's answer. */
  readonly temporaryId: number;
  /** Whether an answer has named it. */
  readonly told: boolean;
  readonly fingerprint: number;
  readonly keyId: string | undefined;
  readonly createdAt: Date;
}

/** A send as it is at one moment. */
export interface SendState extends SendIdentity {
  readonly status: SendStatus;
  readonly messageId: number | undefined;
  readonly error: SendError | undefined;
  readonly decidedAt: Date | undefined;
}

/** A send as it is now, apart from what it becomes. */
export function stateOf(send: SendState): SendState {
  const { id, sessionId, epoch, chatId, temporaryId, told, fingerprint, keyId, createdAt } = send;
  const { status, messageId, error, decidedAt } = send;
  return {
    id,
    sessionId,
    epoch,
    chatId,
    temporaryId,
    told,
    fingerprint,
    keyId,
    createdAt,
    status,
    messageId,
    error,
    decidedAt,
  };
}

/** A send in the memory of the worker that holds its session: it can be waited for. */
export class TrackedSend implements SendState {
  status: SendStatus = 'pending';
  messageId: number | undefined;
  error: SendError | undefined;
  decidedAt: Date | undefined;
  private readonly listeners = new Set<() => void>();

  readonly id: string;
  readonly sessionId: string;
  readonly epoch: number;
  readonly chatId: number;
  readonly temporaryId: number;
  readonly told: boolean;
  readonly fingerprint: number;
  readonly keyId: string | undefined;
  readonly createdAt: Date;

  constructor(identity: SendIdentity) {
    this.id = identity.id;
    this.sessionId = identity.sessionId;
    this.epoch = identity.epoch;
    this.chatId = identity.chatId;
    this.temporaryId = identity.temporaryId;
    this.told = identity.told;
    this.fingerprint = identity.fingerprint;
    this.keyId = identity.keyId;
    this.createdAt = identity.createdAt;
  }

  get isPending(): boolean {
    return this.status === 'pending';
  }

  /** Telegram has decided, or it became clear that nobody will learn what. */
  settle(outcome: Outcome, at: Date): void {
    this.status = outcome.status;
    this.messageId = outcome.status === 'sent' ? outcome.messageId : undefined;
    this.error = outcome.status === 'failed' ? outcome.error : undefined;
    this.decidedAt = at;
    this.release();
  }

  /** It is in flight after all. */
  reopen(): void {
    this.status = 'pending';
    this.decidedAt = undefined;
  }

  /** Whoever waits need not wait any longer. */
  release(): void {
    const listeners = [...this.listeners];
    this.listeners.clear();
    for (const listener of listeners) {
      listener();
    }
  }

  /** Calls once it is decided. @returns what takes the listener away */
  onDecided(listener: () => void): () => void {
    this.listeners.add(listener);
    return () => this.listeners.delete(listener);
  }
}

/** Calls once it is decided, at once when it is. */
export function whenDecided(send: TrackedSend, listener: () => void): void {
  if (send.isPending) send.onDecided(listener);
  else listener();
}

/** Resolves when all are decided, when the time is over, or when the caller leaves. */
export function untilDecided(sends: readonly TrackedSend[], timeoutMs: number, caller?: Departure): Promise<void> {
  const pending = sends.filter(({ isPending }) => isPending);
  if (pending.length === 0 || timeoutMs <= 0 || caller?.left === true) {
    return Promise.resolve();
  }
  return new Promise((resolve) => {
    let left = pending.length;
    const finish = (): void => {
      clearTimeout(timer);
      caller?.notify(undefined);
      for (const cancel of cancels) {
        cancel();
      }
      resolve();
    };
    const decided = (): void => {
      left -= 1;
      if (left === 0) {
        finish();
      }
    };
    const timer = setTimeout(finish, timeoutMs);
    const cancels = pending.map((send) => send.onDecided(decided));
    caller?.notify(finish);
  });
}
