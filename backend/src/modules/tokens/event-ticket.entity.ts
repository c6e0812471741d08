import { Column, Entity, ForeignKey, PrimaryColumn } from 'typeorm';
import { ApiTokenEntity } from './token.entity.js';

/** Opens one stream for the holder of a token, which stays where it is. The ticket itself is nowhere. */
@Entity({ name: 'event_tickets' })
export class EventTicketEntity {
  /** SHA-256 of the ticket. */
  @PrimaryColumn({ type: 'bytea', primaryKeyConstraintName: 'event_tickets_pk' }) hash!: Buffer;
  /** Null for the master's. */
  @ForeignKey(() => ApiTokenEntity, { name: 'event_tickets_token_fk', onDelete: 'CASCADE' })
  @Column({ name: 'token_id', type: 'uuid', nullable: true })
  tokenId!: string | null;
  @Column({ name: 'expires_at', type: 'timestamp with time zone' }) expiresAt!: Date;
}
