import type { ChatView } from '../../telegram/index.js';
import type { CompiledFilters } from './filters.js';
import type { DeliveryOrder, SubscriptionKind } from './subscription.entity.js';

/** A subscription as the worker that holds its session works with it. */
export interface Subscriber {
  readonly id: string;
  readonly sessionId: string;
  readonly sessionKind: 'bot' | 'user';
  readonly kind: SubscriptionKind;
  readonly filters: CompiledFilters;
  /** What its token may see; undefined for the master's. */
  readonly view: ChatView | undefined;
  /** It is switched on, and its token too, which covers the session. */
  readonly isServed: boolean;
  /** When it was made or changed for the last time, in Unix milliseconds: what came before may not be wanted. */
  readonly since: number;
  /** Empty for a stream. */
  readonly url: string;
  /** The present one first; while it is young, the one before. */
  readonly secrets: readonly string[];
  readonly order: DeliveryOrder;
  readonly maxConnections: number;
  /** Under which this worker delivers. */
  readonly laneEpoch: number;
  /** Whether the last attempt failed. */
  readonly isFailing: boolean;
}
