import { Check, Column, Entity, Index, PrimaryColumn } from 'typeorm';

/** A request that came with an Idempotency-Key, and how it was answered. */
@Entity({ name: 'idempotency_keys' })
@Index('idempotency_keys_key', ['owner', 'method', 'path', 'key'], { unique: true })
@Index('idempotency_keys_created_idx', ['createdAt'])
@Check('idempotency_keys_state_known', `"state" IN ('running', 'answered')`)
@Check('idempotency_keys_answered', `("state" = 'answered') = ("status" IS NOT NULL)`)
export class IdempotencyKeyEntity {
  @PrimaryColumn({ type: 'uuid', primaryKeyConstraintName: 'idempotency_keys_pk' }) id!: string;
  /** Whose key it is: `master`, or `token:` and the token's id. */
  @Column({ type: 'text' }) owner!: string;
  @Column({ type: 'text' }) method!: string;
  /** Without the query. */
  @Column({ type: 'text' }) path!: string;
  @Column({ type: 'text' }) key!: string;
  /** SHA-256 of the body, hexadecimal. */
  @Column({ name: 'body_hash', type: 'text' }) bodyHash!: string;
  @Column({ type: 'text' }) state!: 'running' | 'answered';
  /** Kept ahead by the process that serves the request; a running request that has passed it died unanswered. */
  @Column({ name: 'running_until', type: 'timestamp with time zone' }) runningUntil!: Date;
  /** HTTP status of the answer. */
  @Column({ type: 'integer', nullable: true }) status!: number | null;
  /** JSON of the envelope's members; null when it was too large to keep. */
  @Column({ type: 'text', nullable: true }) answer!: string | null;
  /** SHA-256 of the answer, hexadecimal. */
  @Column({ name: 'answer_hash', type: 'text', nullable: true }) answerHash!: string | null;
  @Column({ name: 'answer_bytes', type: 'integer', nullable: true }) answerBytes!: number | null;
  @Column({ name: 'created_at', type: 'timestamp with time zone', default: () => 'now()' }) createdAt!: Date;
}
