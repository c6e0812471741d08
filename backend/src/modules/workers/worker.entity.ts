import { Column, Entity, PrimaryColumn } from 'typeorm';

/** A process that holds sessions. Its times are the database's, so that clocks need not agree. */
@Entity({ name: 'workers' })
export class WorkerEntity {
  @PrimaryColumn({ type: 'text', primaryKeyConstraintName: 'workers_pk' }) id!: string;
  /** Made anew by every process, which tells a process from a predecessor with the same id. */
  @Column({ type: 'uuid' }) instance!: string;
  /** Where gateways reach it. */
  @Column({ type: 'text' }) addr!: string;
  @Column({ type: 'integer' }) pid!: number;
  @Column({ type: 'integer' }) capacity!: number;
  @Column({ name: 'started_at', type: 'timestamp with time zone' }) startedAt!: Date;
  @Column({ name: 'last_seen_at', type: 'timestamp with time zone' }) lastSeenAt!: Date;
  /** The end of its lease: from then on its sessions may be claimed. */
  @Column({ name: 'expires_at', type: 'timestamp with time zone' }) expiresAt!: Date;
  @Column({ type: 'text', default: '' }) version!: string;
  /** Tells workers that have the same DATA_DIR from others; null for one of an older version. */
  @Column({ type: 'text', nullable: true }) volume!: string | null;
  @Column({ name: 'memory_bytes', type: 'bigint', default: 0 }) memoryBytes!: string;
  /** Above so much it opens no more sessions; 0 for no limit. */
  @Column({ name: 'memory_limit', type: 'bigint', default: 0 }) memoryLimit!: string;
  /** Processors that it kept busy lately: 0.5 is half of one. */
  @Column({ type: 'real', default: 0 }) load!: number;
  /** It hands its sessions over and takes no others. */
  @Column({ type: 'boolean', default: false }) draining!: boolean;
  /** Of the process of PostgreSQL that serves the connection on which it renews its lease; null before the first renewal. */
  @Column({ name: 'backend_pid', type: 'integer', nullable: true }) backendPid!: number | null;
}
