import type { Account } from './accounts.js';
import type { VirtualClock } from './clock.js';
import type { WorldListener } from './listener.js';
import type { Draft } from './messages.js';
import type { PeerRef } from './peer.js';
import { samePeer } from './peer.js';
import type { Posted, Posting } from './posting.js';

/** A message that waits for its time (https://core.telegram.org/api/scheduled-messages). */
export interface ScheduledMessage {
  readonly id: number;
  readonly senderId: number;
  readonly peer: PeerRef;
  readonly draft: Draft;
  /** Unix seconds. */
  readonly date: number;
}

export interface ScheduledState {
  nextId: number;
  readonly waiting: Map<number, ScheduledMessage>;
}

/** Messages to be sent later, by the sandbox's clock. */
export class Scheduled {
  state: ScheduledState = Scheduled.emptyState();

  constructor(
    private readonly accountOf: (id: number) => Account | undefined,
    private readonly posting: Posting,
    private readonly clock: VirtualClock,
    private readonly listener: () => WorldListener,
  ) {}

  static emptyState(): ScheduledState {
    return { nextId: 1, waiting: new Map() };
  }

  add(senderId: number, peer: PeerRef, draft: Draft, date: number): ScheduledMessage {
    const message: ScheduledMessage = { id: this.state.nextId++, senderId, peer, draft, date };
    this.state.waiting.set(message.id, message);
    this.arm(message);
    return message;
  }

  of(senderId: number, peer: PeerRef): ScheduledMessage[] {
    return [...this.state.waiting.values()].filter(
      (message) => message.senderId === senderId && samePeer(message.peer, peer),
    );
  }

  /** Sends at once what still waits. */
  send(ids: readonly number[]): Posted[] {
    return ids.flatMap((id) => this.sendOne(id) ?? []);
  }

  remove(senderId: number, ids: readonly number[]): void {
    for (const id of ids) {
      if (this.state.waiting.get(id)?.senderId === senderId) this.state.waiting.delete(id);
    }
  }

  /** Sets the alarms anew, after a restore. */
  rearm(): void {
    for (const message of this.state.waiting.values()) this.arm(message);
  }

  private arm({ id, date }: ScheduledMessage): void {
    this.clock.at(date, () => this.sendOne(id));
  }

  private sendOne(id: number): Posted | undefined {
    const message = this.state.waiting.get(id);
    const sender = message && this.accountOf(message.senderId);
    this.state.waiting.delete(id);
    if (!message || !sender) return undefined;
    const posted = this.posting.post(sender, message.peer, { ...message.draft, fromScheduled: true });
    const gone = { type: 'scheduled-gone', peer: message.peer, ids: [id], sentIds: [posted.copy.id] } as const;
    this.listener().notice(sender.id, gone);
    return posted;
  }
}
