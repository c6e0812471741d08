import { IsIn, IsInt, IsISO8601, IsOptional, IsString, Max, MaxLength, Min } from 'class-validator';
import { Type } from 'class-transformer';
import { ApiProperty, ApiPropertyOptional, decodeCursor, type PagePosition } from '../../../common/http/index.js';
import { CooldownDto, type FloodsRequest, PaceDto, SessionLimitRuleDto } from '../../limits/index.js';
import { SessionListItemDto } from '../session.dto.js';

const UUID = { type: 'string', format: 'uuid' } as const;
const DATE_TIME = { type: 'string', format: 'date-time' } as const;
const DEFAULT_FLOODS = 100;

/** What Telegram keeps an account from, and what is closed and waits because of it. */
export class LiveLimitsDto {
  @ApiPropertyOptional({ type: Boolean, description: 'Absent until known, and for bots.' }) is_premium?: boolean;
  @ApiProperty({ type: Boolean, description: 'Telegram lets the account read, but not write.' }) frozen!: boolean;
  @ApiPropertyOptional(DATE_TIME) frozen_since?: string;
  @ApiPropertyOptional({ ...DATE_TIME, description: 'When Telegram deletes the frozen account.' })
  deletion_date?: string;
  @ApiPropertyOptional({ type: String }) appeal_link?: string;
  @ApiProperty({ type: Boolean, description: 'The cooldown spam_limit runs.' }) spam_limited!: boolean;
  @ApiProperty({ type: () => [CooldownDto] }) cooldowns!: readonly CooldownDto[];
  @ApiPropertyOptional({ type: () => PaceDto, description: 'Of a user account that is open.' }) pace?: PaceDto;
}

/** A cooldown that was ended early. */
export class LiftDto {
  @ApiProperty({ type: String, description: 'As of a cooldown.' }) scope!: string;
  @ApiProperty(DATE_TIME) at!: string;
  @ApiPropertyOptional({ type: String, description: 'What was said about it.' }) reason?: string;
}

/** The limits of a session. */
export class SessionLimitsDto extends LiveLimitsDto {
  @ApiProperty({ type: () => [SessionLimitRuleDto] }) rules!: readonly SessionLimitRuleDto[];
  @ApiPropertyOptional({
    type: () => [LiftDto],
    description: 'For the master token: the last lift of each scope, newest first, kept for FLOOD_TTL.',
  })
  lifts?: readonly LiftDto[];
}

/** A session with its limits. */
export class LimitedSessionDto extends SessionListItemDto {
  @ApiProperty({ type: () => [CooldownDto] }) cooldowns!: readonly CooldownDto[];
  @ApiProperty({ type: () => [SessionLimitRuleDto] }) rules!: readonly SessionLimitRuleDto[];
}

/** The limits of all sessions that a token may use. */
export class MyLimitsDto {
  @ApiProperty({ type: () => [LimitedSessionDto] }) sessions!: readonly LimitedSessionDto[];
  @ApiPropertyOptional({ type: String, description: 'Present when more follow and a limit was given.' })
  next_cursor?: string;
}

/** Why a cooldown is ended early. */
export class LiftQueryDto {
  @ApiPropertyOptional({
    type: String,
    maxLength: 500,
    description: 'Goes to the log, and is shown with the limits of the session.',
  })
  @IsOptional()
  @IsString()
  @MaxLength(500)
  reason?: string;
}

/** That a cooldown is over. */
export class CooldownLiftedDto {
  @ApiProperty({ type: String, enum: ['lifted'] }) status!: 'lifted';
}

/** Which floods are meant. */
export class FloodFilterDto {
  @ApiPropertyOptional({ ...DATE_TIME, description: 'Not before.' })
  @IsOptional()
  @IsISO8601({ strict: true })
  from?: string;

  @ApiPropertyOptional({ ...DATE_TIME, description: 'Before.' })
  @IsOptional()
  @IsISO8601({ strict: true })
  to?: string;

  @ApiPropertyOptional({ type: String, description: 'What was closed: a group, a method, or spam_limit.' })
  @IsOptional()
  @IsString()
  @MaxLength(100)
  scope?: string;

  @ApiPropertyOptional({ type: String })
  @IsOptional()
  @IsString()
  @MaxLength(100)
  method?: string;

  @ApiPropertyOptional({ type: 'integer', format: 'int64' })
  @IsOptional()
  @Type(() => Number)
  @IsInt()
  @Min(Number.MIN_SAFE_INTEGER)
  @Max(Number.MAX_SAFE_INTEGER)
  chat_id?: number;

  toRequest(): FloodsRequest {
    return {
      from: this.from === undefined ? undefined : new Date(this.from),
      to: this.to === undefined ? undefined : new Date(this.to),
      scope: this.scope,
      method: this.method,
      chatId: this.chat_id,
    };
  }
}

/** A page of floods. */
export class FloodsQueryDto extends FloodFilterDto {
  @ApiPropertyOptional({ type: 'integer', minimum: 1, maximum: 1000, default: DEFAULT_FLOODS })
  @IsOptional()
  @Type(() => Number)
  @IsInt()
  @Min(1)
  @Max(1000)
  limit?: number;

  @ApiPropertyOptional({ type: String, description: "the previous page's next_cursor" })
  @IsOptional()
  @IsString()
  @MaxLength(500)
  cursor?: string;

  /** @throws ValidationFailedError for a cursor that is none of ours */
  toPage(): { readonly limit: number; readonly before: PagePosition | undefined } {
    return {
      limit: this.limit ?? DEFAULT_FLOODS,
      before: this.cursor === undefined ? undefined : decodeCursor(this.cursor),
    };
  }
}

/** Floods in stretches of time. */
export class FloodCountsQueryDto extends FloodFilterDto {
  @ApiPropertyOptional({ enum: ['hour', 'day'], default: 'day', description: 'Of UTC.' })
  @IsOptional()
  @IsIn(['hour', 'day'])
  by?: 'hour' | 'day';
}

/** Telegram found that a session did something too often. */
export class FloodDto {
  @ApiProperty(UUID) id!: string;
  @ApiProperty(DATE_TIME) at!: string;
  @ApiProperty({ enum: ['call', 'send'], description: 'The answer of a call, or a message that was refused after it.' })
  origin!: 'call' | 'send';
  @ApiPropertyOptional({ type: String, description: 'Of a call.' }) method?: string;
  @ApiProperty({ type: String, description: 'What was closed for it; of a bot nothing is.' }) scope!: string;
  @ApiPropertyOptional({ type: 'integer', format: 'int64' }) chat_id?: number;
  @ApiProperty({ type: 'integer' }) code!: number;
  @ApiProperty({ type: String }) message!: string;
  @ApiPropertyOptional({ type: 'integer', description: 'Seconds; absent when Telegram named no time.' })
  retry_after?: number;
}

/** How many floods of one scope there were in a stretch of time. */
export class FloodCountDto {
  @ApiProperty({ ...DATE_TIME, description: 'Its begin.' }) at!: string;
  @ApiProperty({ type: String }) scope!: string;
  @ApiProperty({ type: 'integer' }) count!: number;
  @ApiProperty({ type: Number, description: 'The longest wait that Telegram asked for, in seconds.' }) longest!: number;
}

/** {@link LiveLimitsDto} as a value that is passed on. */
export type LiveLimits = { [Field in keyof LiveLimitsDto]: LiveLimitsDto[Field] };
