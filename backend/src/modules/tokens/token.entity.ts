import { Check, Column, Entity, ForeignKey, Index, PrimaryColumn, UpdateDateColumn } from 'typeorm';
import type { MethodClass, PoolAccess } from '../../common/http/index.js';

/** A scoped token; the secret itself is nowhere. */
@Entity({ name: 'api_tokens' })
@Check('api_tokens_pool_access_known', `"pool_access" IN ('read', 'write')`)
@Index('api_tokens_created_idx', ['createdAt', 'id'])
@Index('api_tokens_secret_hash_key', ['secretHash'], { unique: true })
export class ApiTokenEntity {
  @PrimaryColumn({ type: 'uuid', primaryKeyConstraintName: 'api_tokens_pk' }) id!: string;
  @Column({ type: 'text', nullable: true }) name!: string | null;
  /** SHA-256 of the token. It needs no salt: the token is 32 random bytes. */
  @Column({ name: 'secret_hash', type: 'bytea' }) secretHash!: Buffer;
  /** The token's first characters, to know it by. */
  @Column({ type: 'text' }) prefix!: string;
  @Column({ type: 'boolean', default: true }) enabled!: boolean;
  @Column({ name: 'all_sessions', type: 'boolean', default: false }) allSessions!: boolean;
  /** Of which classes it may call methods. */
  @Column({ type: 'text', array: true }) classes!: MethodClass[];
  /** Null for every method of its classes. */
  @Column({ type: 'text', array: true, nullable: true }) methods!: string[] | null;
  /** Null for all chats. */
  @Column({ type: 'bigint', array: true, nullable: true }) chats!: string[] | null;
  @Column({ name: 'expires_at', type: 'timestamp with time zone', nullable: true }) expiresAt!: Date | null;
  /** Bot pools that it may use, and how. */
  @Column({ name: 'pool_ids', type: 'uuid', array: true }) poolIds!: string[];
  @Column({ name: 'pool_access', type: 'text' }) poolAccess!: PoolAccess;
  /** To the millisecond, as a Date is: lists page by it. */
  @Column({ name: 'created_at', type: 'timestamp with time zone', precision: 3, default: () => 'now()' })
  createdAt!: Date;
  @UpdateDateColumn({ name: 'updated_at', type: 'timestamp with time zone' }) updatedAt!: Date;
  /** To some seconds: it is written for many requests at once. */
  @Column({ name: 'last_used_at', type: 'timestamp with time zone', nullable: true }) lastUsedAt!: Date | null;
}

/** All sessions of an app are within a token's scope, also those to come. */
@Entity({ name: 'api_token_apps' })
@Index('api_token_apps_app_idx', ['appId'])
export class ApiTokenAppEntity {
  @ForeignKey(() => ApiTokenEntity, { name: 'api_token_apps_token_fk', onDelete: 'CASCADE' })
  @PrimaryColumn({ name: 'token_id', type: 'uuid', primaryKeyConstraintName: 'api_token_apps_pk' })
  tokenId!: string;
  // By the name of the table: this module knows none of those above it.
  @ForeignKey('apps', { name: 'api_token_apps_app_fk', onDelete: 'CASCADE' })
  @PrimaryColumn({ name: 'app_id', type: 'uuid', primaryKeyConstraintName: 'api_token_apps_pk' })
  appId!: string;
}

/** A session within a token's scope. */
@Entity({ name: 'api_token_sessions' })
@Index('api_token_sessions_session_idx', ['sessionId'])
export class ApiTokenSessionEntity {
  @ForeignKey(() => ApiTokenEntity, { name: 'api_token_sessions_token_fk', onDelete: 'CASCADE' })
  @PrimaryColumn({ name: 'token_id', type: 'uuid', primaryKeyConstraintName: 'api_token_sessions_pk' })
  tokenId!: string;
  @ForeignKey('sessions', { name: 'api_token_sessions_session_fk', onDelete: 'CASCADE' })
  @PrimaryColumn({ name: 'session_id', type: 'uuid', primaryKeyConstraintName: 'api_token_sessions_pk' })
  sessionId!: string;
}

/** A secret that was replaced and serves until its overlap is over. */
@Entity({ name: 'api_token_former_secrets' })
@Index('api_token_former_secrets_token_idx', ['tokenId'])
export class ApiTokenFormerSecretEntity {
  /** SHA-256, as of the present one. */
  @PrimaryColumn({ name: 'secret_hash', type: 'bytea', primaryKeyConstraintName: 'api_token_former_secrets_pk' })
  secretHash!: Buffer;
  @ForeignKey(() => ApiTokenEntity, { name: 'api_token_former_secrets_token_fk', onDelete: 'CASCADE' })
  @Column({ name: 'token_id', type: 'uuid' })
  tokenId!: string;
  @Column({ name: 'expires_at', type: 'timestamp with time zone' }) expiresAt!: Date;
}
