import { Check, Column, Entity, Index, PrimaryColumn } from 'typeorm';

/** Who acted: the holder of the master token, by it or in the console, of a scoped one, nobody whom we know, or the product itself. */
export type AuditActor = 'master' | 'console' | 'token' | 'nobody' | 'system';

/** Something that was done, or refused. */
@Entity({ name: 'audit_events' })
@Check('audit_events_actor_known', `"actor" IN ('master', 'console', 'token', 'nobody', 'system')`)
@Index('audit_events_created_idx', ['createdAt', 'id'])
@Index('audit_events_action_idx', ['action', 'createdAt'])
@Index('audit_events_object_idx', ['objectId', 'createdAt'])
@Index('audit_events_session_idx', ['sessionId', 'createdAt'])
@Index('audit_events_request_idx', ['requestId'])
@Index('audit_events_token_idx', ['tokenId', 'createdAt'])
export class AuditEventEntity {
  @PrimaryColumn({ type: 'uuid', primaryKeyConstraintName: 'audit_events_pk' }) id!: string;
  @Column({ name: 'created_at', type: 'timestamp with time zone', precision: 3 }) createdAt!: Date;
  @Column({ type: 'text' }) actor!: AuditActor;
  @Column({ name: 'token_id', type: 'uuid', nullable: true }) tokenId!: string | null;
  /** What it was called at that time. */
  @Column({ name: 'token_name', type: 'text', nullable: true }) tokenName!: string | null;
  /** The client's, after TRUSTED_PROXIES. */
  @Column({ type: 'text' }) address!: string;
  @Column({ name: 'request_id', type: 'text' }) requestId!: string;
  /** The operation of the OpenAPI document. */
  @Column({ type: 'text' }) action!: string;
  @Column({ name: 'object_type', type: 'text', nullable: true }) objectType!: string | null;
  /** As it was asked for: it need not exist. */
  @Column({ name: 'object_id', type: 'text', nullable: true }) objectId!: string | null;
  @Column({ name: 'session_id', type: 'text', nullable: true }) sessionId!: string | null;
  /** The HTTP status of the answer. */
  @Column({ type: 'integer' }) status!: number;
  /** That of the refusal. */
  @Column({ type: 'text', nullable: true }) code!: string | null;
  @Column({ type: 'jsonb' }) details!: object;
  /** Of how many alike requests this tells. */
  @Column({ type: 'integer' }) count!: number;
}
