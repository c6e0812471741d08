import { Check, Column, Entity, Index, PrimaryColumn, UpdateDateColumn } from 'typeorm';
import type { ProxySettings } from '../../config/index.js';

/** A proxy towards Telegram that sessions may use. */
@Entity({ name: 'proxies' })
@Index('proxies_created_idx', ['createdAt', 'id'])
@Check('proxies_type_known', `"type" IN ('socks5', 'http', 'mtproto')`)
@Check('proxies_port_valid', `"port" BETWEEN 1 AND 65535`)
export class ProxyEntity {
  @PrimaryColumn({ type: 'uuid', primaryKeyConstraintName: 'proxies_pk' }) id!: string;
  @Column({ type: 'text' }) type!: ProxySettings['type'];
  @Column({ type: 'text' }) host!: string;
  @Column({ type: 'integer' }) port!: number;
  @Column({ type: 'text', nullable: true }) username!: string | null;
  /** The password of a socks5 or http proxy, or the secret of an mtproto one. */
  @Column({ name: 'secret_sealed', type: 'text', nullable: true }) secretSealed!: string | null;
  @Column({ type: 'text', nullable: true }) label!: string | null;
  /** To the millisecond, as a Date is: lists page by it. */
  @Column({ name: 'created_at', type: 'timestamp with time zone', precision: 3, default: () => 'now()' })
  createdAt!: Date;
  @UpdateDateColumn({ name: 'updated_at', type: 'timestamp with time zone' }) updatedAt!: Date;
}
