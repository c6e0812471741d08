import { Type } from 'class-transformer';
import {
  ArrayMaxSize,
  ArrayNotEmpty,
  ArrayUnique,
  IsArray,
  IsBoolean,
  IsIn,
  IsInt,
  IsOptional,
  IsUUID,
  Matches,
  Max,
  Min,
  ValidateNested,
} from 'class-validator';
import { ApiProperty, ApiPropertyOptional, MayBeAbsent } from '../../common/http/index.js';
import { MAX_BOTS } from './dispatcher/dispatcher.js';

const MIB = 1024 ** 2;
/** Letters, digits, dots and dashes: a bucket can have the name as well. */
const NAME = /^[a-z0-9][a-z0-9.-]{1,61}[a-z0-9]$/;
const NAME_MESSAGE =
  'name must have 3 to 63 lower-case letters, digits, dots or dashes, and begin and end with one of the first two';

/** How much a bot may send to one chat. */
export class PoolBudgetDto {
  @ApiProperty({ type: 'integer', minimum: 1, maximum: 1000, description: 'messages in a window' })
  @IsInt()
  @Min(1)
  @Max(1000)
  max!: number;

  @ApiProperty({ type: 'integer', minimum: 1, maximum: 3600, description: 'length of the window' })
  @IsInt()
  @Min(1)
  @Max(3600)
  window_s!: number;

  @ApiProperty({ type: 'integer', minimum: 0, maximum: 60_000, description: 'pause between two messages' })
  @IsInt()
  @Min(0)
  @Max(60_000)
  gap_ms!: number;
}

/** How a pool is scrubbed by itself. */
export class PoolScrubDto {
  @ApiProperty({ type: 'integer', minimum: 1, maximum: 8_760, description: 'hours from the end of one to the next' })
  @IsInt()
  @Min(1)
  @Max(8_760)
  every_h!: number;

  @ApiProperty({
    type: 'integer',
    minimum: 0,
    maximum: 100,
    description: 'percent of the messages whose bytes are read',
  })
  @IsInt()
  @Min(0)
  @Max(100)
  sample!: number;
}

const ENCRYPTION = {
  type: Boolean,
  description: 'whether new messages are encrypted, so that nobody reads them in the chat',
} as const;

const JANITOR = {
  type: String,
  format: 'uuid',
  nullable: true,
  description: 'a user, administrator of the chat: deletes what bots may not, 48 hours after it was stored',
} as const;

export class CreatePoolDto {
  @ApiProperty({ type: String, pattern: NAME.source }) @Matches(NAME, { message: NAME_MESSAGE }) name!: string;

  @ApiProperty({ type: 'integer', description: 'the channel or supergroup that keeps the messages' })
  @IsInt()
  chat_id!: number;

  @ApiProperty({ type: [String], minItems: 1, maxItems: MAX_BOTS, description: 'bots, administrators of the chat' })
  @IsArray()
  @ArrayNotEmpty()
  @ArrayMaxSize(MAX_BOTS)
  @ArrayUnique()
  @IsUUID('all', { each: true })
  session_ids!: string[];

  @ApiPropertyOptional({
    type: 'integer',
    minimum: MIB,
    maximum: 2000 * MIB,
    description: 'bytes a message; 64 MiB when absent',
  })
  @MayBeAbsent()
  @IsInt()
  @Min(MIB)
  @Max(2000 * MIB)
  chunk_size?: number;

  @ApiPropertyOptional({ type: PoolBudgetDto, description: '20 a minute and one a second when absent' })
  @IsOptional()
  @ValidateNested()
  @Type(() => PoolBudgetDto)
  budget?: PoolBudgetDto;

  @ApiPropertyOptional({ ...ENCRYPTION, default: false }) @MayBeAbsent() @IsBoolean() encryption?: boolean;

  @ApiPropertyOptional(JANITOR) @IsOptional() @IsUUID() janitor_session_id?: string | null;

  @ApiPropertyOptional({ type: PoolScrubDto, nullable: true, description: 'never by itself when absent' })
  @IsOptional()
  @ValidateNested()
  @Type(() => PoolScrubDto)
  scrub?: PoolScrubDto | null;
}

export class UpdatePoolDto {
  @ApiPropertyOptional({ type: String, pattern: NAME.source })
  @MayBeAbsent()
  @Matches(NAME, { message: NAME_MESSAGE })
  name?: string;

  @ApiPropertyOptional({ type: 'integer', minimum: MIB, maximum: 2000 * MIB, description: 'of new messages' })
  @MayBeAbsent()
  @IsInt()
  @Min(MIB)
  @Max(2000 * MIB)
  chunk_size?: number;

  @ApiPropertyOptional({ type: PoolBudgetDto })
  @IsOptional()
  @ValidateNested()
  @Type(() => PoolBudgetDto)
  budget?: PoolBudgetDto;

  @ApiPropertyOptional({ type: Boolean, description: 'while paused nothing is sent; what is being sent goes on' })
  @MayBeAbsent()
  @IsBoolean()
  paused?: boolean;

  @ApiPropertyOptional(ENCRYPTION) @MayBeAbsent() @IsBoolean() encryption?: boolean;

  @ApiPropertyOptional({ ...JANITOR, description: `${JANITOR.description}; null for none` })
  @IsOptional()
  @IsUUID()
  janitor_session_id?: string | null;

  @ApiPropertyOptional({ type: PoolScrubDto, nullable: true, description: 'null for never' })
  @IsOptional()
  @ValidateNested()
  @Type(() => PoolScrubDto)
  scrub?: PoolScrubDto | null;
}

export class AddPoolBotDto {
  @ApiProperty({ type: String, format: 'uuid' }) @IsUUID() session_id!: string;
}

export class UpdatePoolBotDto {
  @ApiProperty({ type: String, enum: ['active', 'paused'] }) @IsIn(['active', 'paused']) state!: 'active' | 'paused';
}

export class AddPoolChatDto {
  @ApiProperty({ type: 'integer' }) @IsInt() chat_id!: number;
}

export class PoolBotDto {
  @ApiProperty({ type: String, format: 'uuid' }) session_id!: string;
  @ApiProperty({ type: String, enum: ['active', 'paused', 'quarantined'] }) state!: string;
  @ApiPropertyOptional({ type: String, description: 'why it was put aside' }) reason?: string;
}

export class PoolDto {
  @ApiProperty({ type: String, format: 'uuid' }) id!: string;
  @ApiProperty({ type: String }) name!: string;
  @ApiProperty({ type: [Number], description: 'new messages go to the last' }) chat_ids!: readonly number[];
  @ApiProperty({ type: 'integer' }) chunk_size!: number;
  @ApiProperty({ type: PoolBudgetDto }) budget!: PoolBudgetDto;
  @ApiProperty({ type: Boolean }) paused!: boolean;
  @ApiProperty(ENCRYPTION) encryption!: boolean;
  @ApiPropertyOptional({ type: String, format: 'uuid' }) janitor_session_id?: string;
  @ApiPropertyOptional({ type: PoolScrubDto }) scrub?: PoolScrubDto;
  @ApiPropertyOptional({ type: String, description: 'the worker that runs it' }) worker?: string;
  @ApiProperty({ type: 'integer' }) objects!: number;
  @ApiProperty({ type: 'integer' }) bytes!: number;
  @ApiProperty({ type: [PoolBotDto] }) bots!: readonly PoolBotDto[];
  @ApiProperty({ type: String, format: 'date-time' }) created_at!: string;
}

export class PoolBacklogDto {
  @ApiProperty({ type: 'integer' }) parts!: number;
  @ApiProperty({ type: 'integer' }) bytes!: number;
  @ApiProperty({ type: 'integer', description: 'how long the oldest has waited, in seconds' }) oldest_s!: number;
}

export class PoolRunningDto {
  @ApiProperty({ type: String }) object_id!: string;
  @ApiProperty({ type: String }) part_id!: string;
  @ApiProperty({ type: 'integer' }) bytes!: number;
  @ApiProperty({ type: 'integer' }) sent!: number;
  @ApiProperty({ type: String, format: 'date-time' }) since!: string;
}

export class PoolBudgetUseDto {
  @ApiProperty({ type: 'integer' }) used!: number;
  @ApiProperty({ type: 'integer', description: 'less than what was set after Telegram has refused' }) of!: number;
  @ApiProperty({ type: 'integer' }) window_s!: number;
}

export class PoolCountersDto {
  @ApiProperty({ type: 'integer' }) ok!: number;
  @ApiProperty({ type: 'integer', description: 'refused for coming too soon' }) rate!: number;
  @ApiProperty({ type: 'integer' }) transient!: number;
  @ApiProperty({ type: 'integer', description: 'times it was put aside' }) fault!: number;
  @ApiProperty({ type: 'integer' }) bytes!: number;
}

export class PoolBotStatusDto {
  @ApiProperty({ type: String, format: 'uuid' }) session_id!: string;
  @ApiProperty({
    type: String,
    enum: ['idle', 'uploading', 'cooling', 'budget', 'paused', 'quarantined', 'leaving'],
  })
  state!: string;
  @ApiPropertyOptional({ type: String }) reason?: string;
  @ApiPropertyOptional({ type: PoolRunningDto }) running?: PoolRunningDto;
  @ApiPropertyOptional({ type: String, format: 'date-time' }) rate_limited_until?: string;
  @ApiPropertyOptional({ type: String, format: 'date-time', description: 'when its limits let it send' })
  eligible_at?: string;
  @ApiProperty({ type: PoolBudgetUseDto }) budget!: PoolBudgetUseDto;
  @ApiPropertyOptional({ type: String }) last_error?: string;
  @ApiPropertyOptional({ type: String, format: 'date-time' }) last_ok_at?: string;
  @ApiProperty({ type: PoolCountersDto }) counters!: PoolCountersDto;
}

export class PoolStatusDto {
  @ApiProperty({ type: String, enum: ['ok', 'degraded', 'saturated', 'unavailable', 'paused'] }) state!: string;
  @ApiProperty({ type: PoolBacklogDto }) backlog!: PoolBacklogDto;
  @ApiProperty({ type: [PoolBotStatusDto] }) bots!: readonly PoolBotStatusDto[];
}
