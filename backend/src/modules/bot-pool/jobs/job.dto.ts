import { IsIn, IsInt, IsNotEmpty, IsString, Max, MaxLength, Min } from 'class-validator';
import { ApiProperty, ApiPropertyOptional, MayBeAbsent } from '../../../common/http/index.js';
import type { JobKind, JobState } from './job.js';

const KINDS = ['scrub', 'gc', 'purge'] as const satisfies readonly JobKind[];
const STATES = ['waiting', 'running', 'done', 'failed', 'cancelled'] as const satisfies readonly JobState[];
const PROBLEMS = ['gone', 'damaged', 'unreadable'] as const;
const SAMPLE =
  'of a scrub: percent of the messages whose bytes are read; of the others it is seen whether they are there';
const PREFIX =
  "of a purge: only objects of the pool's own bucket whose keys begin so; all objects of the pool when absent";

export class CreatePoolJobDto {
  @ApiProperty({
    type: String,
    enum: KINDS,
    description:
      'scrub compares what is stored with what it was; gc deletes messages that nothing refers to; purge removes objects',
  })
  @IsIn(KINDS)
  kind!: JobKind;

  @ApiPropertyOptional({ type: 'integer', minimum: 0, maximum: 100, default: 100, description: SAMPLE })
  @MayBeAbsent()
  @IsInt()
  @Min(0)
  @Max(100)
  sample?: number;

  @ApiPropertyOptional({ type: String, description: PREFIX })
  @MayBeAbsent()
  @IsString()
  @IsNotEmpty()
  @MaxLength(1_024)
  prefix?: string;
}

export class PoolJobFindingDto {
  @ApiProperty({ type: 'integer' }) chat_id!: number;
  @ApiProperty({ type: 'integer' }) message_id!: number;
  @ApiProperty({ type: String, enum: PROBLEMS }) problem!: (typeof PROBLEMS)[number];
  @ApiProperty({ type: String }) reason!: string;
  @ApiProperty({ type: [String], description: 'of the objects that are made of it, the first ten' })
  keys!: readonly string[];
}

export class PoolJobDto {
  @ApiProperty({ type: String, format: 'uuid' }) id!: string;
  @ApiProperty({ type: String, enum: KINDS }) kind!: JobKind;
  @ApiProperty({ type: String, enum: STATES }) state!: JobState;
  @ApiPropertyOptional({ type: 'integer', description: SAMPLE }) sample?: number;
  @ApiPropertyOptional({ type: String, description: PREFIX }) prefix?: string;
  @ApiProperty({ type: 'integer', description: 'messages, or objects of a purge, that it is through with' })
  done!: number;
  @ApiPropertyOptional({ type: 'integer', description: 'how many there were when it began; absent of a gc' })
  total?: number;
  @ApiProperty({
    type: 'object',
    additionalProperties: { type: 'integer' },
    description:
      'of a scrub whole, gone, damaged, unreadable, released meanwhile, and bytes; of the others deleted, pending, not_possible',
  })
  counts!: Readonly<Record<string, number>>;
  @ApiProperty({ type: [PoolJobFindingDto], description: 'the first hundred' })
  findings!: readonly PoolJobFindingDto[];
  @ApiPropertyOptional({ type: String, description: 'why it failed' }) error?: string;
  @ApiProperty({ type: String, format: 'date-time' }) created_at!: string;
  @ApiPropertyOptional({ type: String, format: 'date-time' }) started_at?: string;
  @ApiPropertyOptional({ type: String, format: 'date-time' }) ended_at?: string;
}
