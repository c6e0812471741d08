import { Check, Column, Entity, ForeignKey, Index, PrimaryColumn, UpdateDateColumn } from 'typeorm';
import { AppEntity } from '../apps/index.js';
import { ProxyEntity } from '../proxies/index.js';

/** Where a session stands; health is told apart from it. */
export const SESSION_STATUSES = [
  'connecting',
  'awaiting_code',
  'awaiting_password',
  'awaiting_qr',
  'awaiting_email',
  'awaiting_email_code',
  'awaiting_registration',
  'authorized',
  'stopped',
  'logged_out',
  'banned',
  'expired',
  'error',
] as const;
export type SessionStatus = (typeof SESSION_STATUSES)[number];

/** One TDLib client with its database, as the registry knows it. */
@Entity({ name: 'sessions' })
@Index('sessions_created_idx', ['createdAt', 'id'])
@Index('sessions_app_idx', ['appId'])
@Index('sessions_proxy_idx', ['proxyId'])
@Index('sessions_worker_idx', ['workerId', 'status'])
@Index('sessions_bot_id_key', ['botId'], { unique: true, where: 'NOT "allow_duplicate"' })
@Index('sessions_pending_phone_key', ['phone'], {
  unique: true,
  where: `"status" IN ('connecting', 'awaiting_code', 'awaiting_password', 'awaiting_qr', 'awaiting_email', 'awaiting_email_code', 'awaiting_registration')`,
})
@Check('sessions_kind_known', `"kind" IN ('bot', 'user')`)
@Check('sessions_health_known', `"health" IN ('ok', 'degraded', 'down')`)
@Check('sessions_status_known', `"status" IN (${SESSION_STATUSES.map((status) => `'${status}'`).join(', ')})`)
export class SessionEntity {
  @PrimaryColumn({ type: 'uuid', primaryKeyConstraintName: 'sessions_pk' }) id!: string;
  @Column({ type: 'text' }) kind!: 'bot' | 'user';
  @ForeignKey(() => AppEntity, { name: 'sessions_app_fk' })
  @Column({ name: 'app_id', type: 'uuid' })
  appId!: string;
  @ForeignKey(() => ProxyEntity, { name: 'sessions_proxy_fk' })
  @Column({ name: 'proxy_id', type: 'uuid', nullable: true })
  proxyId!: string | null;
  /** E.164 digits without the plus. */
  @Column({ type: 'text', nullable: true }) phone!: string | null;
  /** The number before the colon of the bot token; an int64, so a string. */
  @Column({ name: 'bot_id', type: 'bigint', nullable: true }) botId!: string | null;
  /** The Telegram id of a user account that has logged in; an int64, so a string. */
  @Column({ name: 'account_id', type: 'bigint', nullable: true }) accountId!: string | null;
  @Column({ type: 'text', nullable: true }) username!: string | null;
  @Column({ name: 'bot_token_sealed', type: 'text', nullable: true }) botTokenSealed!: string | null;
  /** TDLib's database encryption key, 32 random bytes. */
  @Column({ name: 'db_key_sealed', type: 'text' }) dbKeySealed!: string;
  @Column({ type: 'text', nullable: true }) label!: string | null;
  @Column({ name: 'allow_duplicate', type: 'boolean', default: false }) allowDuplicate!: boolean;
  @Column({ type: 'text' }) status!: SessionStatus;
  @Column({ type: 'timestamp with time zone', default: () => 'now()' }) since!: Date;
  /** What a session that is logging in again was before, and will be again when the login fails. */
  @Column({ name: 'former_status', type: 'text', nullable: true }) formerStatus!: SessionStatus | null;
  @Column({ name: 'former_since', type: 'timestamp with time zone', nullable: true }) formerSince!: Date | null;
  /** When an expired bot is to log in again by itself; null for never. */
  @Column({ name: 'login_again_at', type: 'timestamp with time zone', nullable: true }) loginAgainAt!: Date | null;
  @Column({ name: 'last_error', type: 'text', nullable: true }) lastError!: string | null;
  @Column({ type: 'text', default: 'ok' }) health!: 'ok' | 'degraded' | 'down';
  /** In words, when the health is not ok. */
  @Column({ name: 'health_cause', type: 'text', nullable: true }) healthCause!: string | null;
  @Column({ name: 'health_since', type: 'timestamp with time zone', default: () => 'now()' }) healthSince!: Date;
  @Column({ name: 'worker_id', type: 'text', nullable: true }) workerId!: string | null;
  /** Grows at each claim; a worker's writes carry it, and a stale one changes nothing. */
  @Column({ type: 'integer', default: 0 }) epoch!: number;
  /** The worker that it is being handed over to; until `moving_until` nobody else claims it. */
  @Column({ name: 'moving_to', type: 'text', nullable: true }) movingTo!: string | null;
  @Column({ name: 'moving_until', type: 'timestamp with time zone', nullable: true }) movingUntil!: Date | null;
  @Column({ name: 'is_premium', type: 'boolean', nullable: true }) isPremium!: boolean | null;
  @Column({ type: 'boolean', default: false }) frozen!: boolean;
  @Column({ name: 'frozen_since', type: 'timestamp with time zone', nullable: true }) frozenSince!: Date | null;
  @Column({ name: 'deletion_date', type: 'timestamp with time zone', nullable: true }) deletionDate!: Date | null;
  @Column({ name: 'appeal_link', type: 'text', nullable: true }) appealLink!: string | null;
  /** When PEER_FLOOD is taken to be over. */
  @Column({ name: 'spam_limited_until', type: 'timestamp with time zone', nullable: true })
  spamLimitedUntil!: Date | null;
  /** To the millisecond, as a Date is: lists page by it. */
  @Column({ name: 'created_at', type: 'timestamp with time zone', precision: 3, default: () => 'now()' })
  createdAt!: Date;
  @UpdateDateColumn({ name: 'updated_at', type: 'timestamp with time zone' }) updatedAt!: Date;
}
