import type { Outcome } from './delivery-client.js';
import type { Subscriber } from './subscriber.js';

/** A delivery that this process has claimed. */
export interface LaneItem {
  readonly id: string;
  readonly part: number;
  /** Its place among all deliveries of the subscription: older ones have lower numbers. */
  readonly seq: number;
  readonly chatId: number | undefined;
  /** Which attempt comes now, from 1. */
  readonly attempt: number;
  readonly payload: string;
}

/** What became of an attempt. */
export interface Settled {
  readonly item: LaneItem;
  readonly outcome: Outcome;
  readonly status: 'delivered' | 'failed' | 'pending';
  /** While it is pending: when it is due. */
  readonly dueInMs: number;
  /** Given up while it was tried for all others: it is tried again when the receiver is back. */
  readonly wasProbe: boolean;
  /** Nothing was posted, since the receiver may not have it: says nothing of the receiver. */
  readonly isWithheld?: boolean;
}

/** What a lane asks the database for. */
export interface LoadRequest {
  readonly limit: number;
  /** Chats whose deliveries have to wait. */
  readonly except: readonly number[];
  /** The oldest alone, due or not. */
  readonly isProbe: boolean;
}

/** What it got. */
export interface Loaded {
  readonly items: readonly LaneItem[];
  /** Until the next one is due of those that were left; undefined when none is left. */
  readonly nextDueInMs: number | undefined;
  /** Chats that have to wait, as the database knows. */
  readonly blocked: readonly number[];
}

/** What a lane stands on. */
export interface LaneHost {
  /** Milliseconds of a clock that nobody sets: only differences mean something. */
  now(): number;
  /** @returns what cancels it */
  later(work: () => void, afterMs: number): () => void;
  /** Whether this process may post right now: its lease holds. */
  mayPost(): boolean;
  post(item: LaneItem, to: Subscriber): Promise<Outcome>;
  /** Claims what is due and was stored before it was called, oldest first. */
  load(of: Subscriber, request: LoadRequest): Promise<Loaded>;
  /** Writes it down, soon; settles when the database has it. */
  settle(settled: Settled, of: Subscriber): Promise<void>;
  /** Gives claims back that were not used; settles when the database has it. */
  release(items: readonly LaneItem[], of: Subscriber): Promise<void>;
  /** The receiver is back: what was given up as a probe, and what waits for its time, is due now. */
  recover(of: Subscriber): Promise<void>;
  /** Switches the subscription off. */
  disable(of: Subscriber, reason: string): void;
}
