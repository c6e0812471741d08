import { ApiProperty } from '../../common/http/index.js';

export class WorkerDto {
  @ApiProperty({ type: String }) id!: string;
  @ApiProperty({ type: String, description: 'where gateways reach it' }) addr!: string;
  @ApiProperty({ type: String, format: 'date-time' }) started_at!: string;
  @ApiProperty({ type: String, format: 'date-time' }) last_seen_at!: string;
  @ApiProperty({ type: Boolean, description: 'its lease has not run out' }) alive!: boolean;
  @ApiProperty({ type: 'integer', description: 'authorized sessions it owns' }) sessions!: number;
  @ApiProperty({ type: 'integer', description: 'sessions it claims at most' }) capacity!: number;
}
