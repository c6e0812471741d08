import { Column, Entity, ForeignKey, Index, PrimaryColumn } from 'typeorm';

/** An access key of S3. Its secret follows from CLUSTER_TOKEN and the id, its rights are those of the token. */
@Entity({ name: 's3_keys' })
@Index('s3_keys_token_idx', ['tokenId'])
export class S3KeyEntity {
  @PrimaryColumn({ type: 'text', primaryKeyConstraintName: 's3_keys_pk' }) id!: string;
  @ForeignKey('api_tokens', { name: 's3_keys_token_fk', onDelete: 'CASCADE' })
  @Column({ name: 'token_id', type: 'uuid' })
  tokenId!: string;
  @Column({ name: 'created_at', type: 'timestamp with time zone', precision: 3, default: () => 'now()' })
  createdAt!: Date;
}
