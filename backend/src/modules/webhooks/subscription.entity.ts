import { Check, Column, Entity, ForeignKey, Index, PrimaryColumn, UpdateDateColumn } from 'typeorm';
import { SessionEntity } from '../sessions/index.js';
import { ApiTokenEntity } from '../tokens/index.js';
import type { UpdateFilters } from './filters.js';

/** How a subscriber gets its updates: they are posted to it, or it asks for them. */
export const SUBSCRIPTION_KINDS = ['webhook', 'stream'] as const;
export type SubscriptionKind = (typeof SUBSCRIPTION_KINDS)[number];

/** `chat`: at most one delivery of a chat is under way, and none overtakes another. */
export const DELIVERY_ORDERS = ['none', 'chat'] as const;
export type DeliveryOrder = (typeof DELIVERY_ORDERS)[number];

/** Who wants which updates of a session. What is to be delivered is in tables that only hand-written SQL knows. */
@Entity({ name: 'subscriptions' })
@Index('subscriptions_session_idx', ['sessionId', 'createdAt', 'id'])
@Index('subscriptions_token_idx', ['tokenId'])
@Check('subscriptions_kind_known', `"kind" IN ('webhook', 'stream')`)
@Check('subscriptions_order_known', `"delivery_order" IN ('none', 'chat')`)
@Check(
  'subscriptions_webhook_has_target',
  `("kind" = 'webhook') = ("url" IS NOT NULL) AND ("url" IS NULL) = ("secret_sealed" IS NULL)`,
)
export class SubscriptionEntity {
  @PrimaryColumn({ type: 'uuid', primaryKeyConstraintName: 'subscriptions_pk' }) id!: string;
  @ForeignKey(() => SessionEntity, { name: 'subscriptions_session_fk', onDelete: 'CASCADE' })
  @Column({ name: 'session_id', type: 'uuid' })
  sessionId!: string;
  /** Whose it is; null for the master's. */
  @ForeignKey(() => ApiTokenEntity, { name: 'subscriptions_token_fk', onDelete: 'CASCADE' })
  @Column({ name: 'token_id', type: 'uuid', nullable: true })
  tokenId!: string | null;
  @Column({ type: 'text' }) kind!: SubscriptionKind;
  @Column({ type: 'text', nullable: true }) url!: string | null;
  @Column({ name: 'secret_sealed', type: 'text', nullable: true }) secretSealed!: string | null;
  /** The one before the last rotation; it signs too until then. */
  @Column({ name: 'former_secret_sealed', type: 'text', nullable: true }) formerSecretSealed!: string | null;
  @Column({ name: 'former_secret_until', type: 'timestamp with time zone', nullable: true })
  formerSecretUntil!: Date | null;
  @Column({ type: 'jsonb' }) filters!: UpdateFilters;
  @Column({ name: 'delivery_order', type: 'text' }) order!: DeliveryOrder;
  @Column({ name: 'max_connections', type: 'integer' }) maxConnections!: number;
  @Column({ type: 'boolean', default: true }) enabled!: boolean;
  /** Why the product has switched it off, in words; null when its owner has. */
  @Column({ name: 'disabled_reason', type: 'text', nullable: true }) disabledReason!: string | null;
  /** The worker that delivers, and how often that has changed: what a former one writes changes nothing. */
  @Column({ name: 'lane_worker', type: 'text', nullable: true }) laneWorker!: string | null;
  @Column({ name: 'lane_epoch', type: 'integer', default: 0 }) laneEpoch!: number;
  @Column({ type: 'bigint', default: 0 }) delivered!: string;
  /** All attempts to deliver, of which `delivered` succeeded. */
  @Column({ type: 'bigint', default: 0 }) attempts!: string;
  /** Updates that were lost because too many waited to be stored. */
  @Column({ type: 'bigint', default: 0 }) dropped!: string;
  @Column({ name: 'last_delivered_at', type: 'timestamp with time zone', nullable: true })
  lastDeliveredAt!: Date | null;
  @Column({ name: 'last_error', type: 'text', nullable: true }) lastError!: string | null;
  @Column({ name: 'last_error_at', type: 'timestamp with time zone', nullable: true }) lastErrorAt!: Date | null;
  /** The first failure since the last success. */
  @Column({ name: 'failing_since', type: 'timestamp with time zone', nullable: true }) failingSince!: Date | null;
  /** To the millisecond, as a Date is: lists page by it. */
  @Column({ name: 'created_at', type: 'timestamp with time zone', precision: 3, default: () => 'now()' })
  createdAt!: Date;
  @UpdateDateColumn({ name: 'updated_at', type: 'timestamp with time zone' }) updatedAt!: Date;
}
