import { ApiProperty } from '../../common/http/index.js';

export class WorkerDto {
  @ApiProperty({ type: String }) id!: string;
  @ApiProperty({ type: String, description: 'where gateways reach it' }) addr!: string;
  @ApiProperty({ type: String, format: 'date-time' }) started_at!: string;
  @ApiProperty({ type: String, format: 'date-time' }) last_seen_at!: string;
  @ApiProperty({ type: 'integer', description: 'how long ago it renewed its lease, in milliseconds' })
  lease_age_ms!: number;
  @ApiProperty({ type: Boolean, description: 'its lease has not run out' }) alive!: boolean;
  @ApiProperty({ type: Boolean, description: 'it hands its sessions over and takes no new ones' }) draining!: boolean;
  @ApiProperty({ type: 'integer', description: 'authorized sessions it owns' }) sessions!: number;
  @ApiProperty({ type: 'integer', description: 'sessions it claims at most' }) capacity!: number;
  @ApiProperty({ type: String, description: 'of tgcontrol; empty for one before 0.1.0' }) version!: string;
  @ApiProperty({ type: 'integer', description: 'resident memory of its process' }) memory_bytes!: number;
  @ApiProperty({ type: 'integer', description: 'above so much memory it opens no more sessions; 0 for no limit' })
  memory_limit!: number;
  @ApiProperty({ type: Number, description: 'processors that it kept busy in the last second: 0.5 is half of one' })
  load!: number;
}
