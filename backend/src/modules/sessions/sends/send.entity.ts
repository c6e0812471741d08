import { Check, Column, Entity, ForeignKey, Index, PrimaryColumn } from 'typeorm';
import { IdempotencyKeyEntity } from '../../../common/idempotency/index.js';
import { SessionEntity } from '../session.entity.js';

/** What has become of a message. `unknown`: the worker's disk is lost, and with it the way to learn the outcome. */
export const SEND_STATUSES = ['pending', 'sent', 'failed', 'unknown'] as const;
export type SendStatus = (typeof SEND_STATUSES)[number];

/** Why a message was not sent: Telegram's refusal, or that it was deleted while it waited. */
export interface SendError {
  readonly code: number | string;
  readonly message: string;
  readonly source: 'tdlib' | 'gateway';
}

/**
 * A message on its way, or what became of it. A temporary id is unique in a chat while one TDLib client lives; the next client
 * of the session may use it again, so the epoch under which the client was opened belongs to the identity.
 */
@Entity({ name: 'sends' })
@Index('sends_temporary_key', ['sessionId', 'chatId', 'temporaryId', 'epoch'], { unique: true })
@Index('sends_message_idx', ['sessionId', 'chatId', 'messageId'], { where: `"message_id" IS NOT NULL` })
@Index('sends_newest_idx', ['sessionId', 'createdAt', 'id'])
@Index('sends_undecided_idx', ['sessionId'], { where: `"status" IN ('pending', 'unknown')` })
@Index('sends_key_idx', ['keyId'], { where: `"key_id" IS NOT NULL` })
@Index('sends_created_idx', ['createdAt'])
@Check('sends_status_known', `"status" IN (${SEND_STATUSES.map((status) => `'${status}'`).join(', ')})`)
@Check('sends_sent_has_message', `("status" = 'sent') = ("message_id" IS NOT NULL)`)
@Check('sends_failed_has_error', `("status" = 'failed') = ("error" IS NOT NULL)`)
export class SendEntity {
  @PrimaryColumn({ type: 'uuid', primaryKeyConstraintName: 'sends_pk' }) id!: string;
  @ForeignKey(() => SessionEntity, { name: 'sends_session_fk', onDelete: 'CASCADE' })
  @Column({ name: 'session_id', type: 'uuid' })
  sessionId!: string;
  /** Of the session's lease when the call was answered. */
  @Column({ type: 'integer' }) epoch!: number;
  @Column({ name: 'chat_id', type: 'bigint' }) chatId!: string;
  /** The id in the call's answer. */
  @Column({ name: 'temporary_id', type: 'bigint' }) temporaryId!: string;
  /** Whether an answer has named it; what TDLib only sends again may bear an id that somebody knows from before. */
  @Column({ type: 'boolean' }) told!: boolean;
  @Column({ type: 'text' }) status!: SendStatus;
  /** The lasting id, once sent. */
  @Column({ name: 'message_id', type: 'bigint', nullable: true }) messageId!: string | null;
  @Column({ type: 'jsonb', nullable: true }) error!: SendError | null;
  /** Of the content, to know the message again when TDLib sends it anew under another temporary id. */
  @Column({ type: 'integer' }) fingerprint!: number;
  /** The Idempotency-Key of the request that sent it. */
  @ForeignKey(() => IdempotencyKeyEntity, { name: 'sends_key_fk', onDelete: 'SET NULL' })
  @Column({ name: 'key_id', type: 'uuid', nullable: true })
  keyId!: string | null;
  /** To the millisecond, as a Date is: lists page by it. */
  @Column({ name: 'created_at', type: 'timestamp with time zone', precision: 3, default: () => 'now()' })
  createdAt!: Date;
  @Column({ name: 'decided_at', type: 'timestamp with time zone', precision: 3, nullable: true })
  decidedAt!: Date | null;
}
