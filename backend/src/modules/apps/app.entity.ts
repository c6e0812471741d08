import { Check, Column, Entity, Index, PrimaryColumn, UpdateDateColumn } from 'typeorm';

/** An `api_id`/`api_hash` pair of my.telegram.org. */
@Entity({ name: 'apps' })
@Index('apps_created_idx', ['createdAt', 'id'])
@Check('apps_api_id_positive', `"api_id" > 0`)
export class AppEntity {
  @PrimaryColumn({ type: 'uuid', primaryKeyConstraintName: 'apps_pk' }) id!: string;
  @Column({ name: 'api_id', type: 'integer' }) apiId!: number;
  @Column({ name: 'api_hash_sealed', type: 'text' }) apiHashSealed!: string;
  @Column({ type: 'text', nullable: true }) label!: string | null;
  /** To the millisecond, as a Date is: lists page by it. */
  @Column({ name: 'created_at', type: 'timestamp with time zone', precision: 3, default: () => 'now()' })
  createdAt!: Date;
  @UpdateDateColumn({ name: 'updated_at', type: 'timestamp with time zone' }) updatedAt!: Date;
}
