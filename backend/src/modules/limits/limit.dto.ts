import {
  ArrayMaxSize,
  ArrayMinSize,
  IsArray,
  IsBoolean,
  IsIn,
  IsInt,
  IsOptional,
  IsString,
  Max,
  MaxLength,
  Min,
  ValidateBy,
} from 'class-validator';
import { ApiProperty, ApiPropertyOptional, MayBeAbsent } from '../../common/http/index.js';
import { LIMIT_LEVELS, type LimitLevel } from './limit-rule.js';
import { LIMIT_PERIODS, type LimitPeriod } from './limit-window.js';

const UUID = { type: 'string', format: 'uuid' } as const;
const DATE_TIME = { type: 'string', format: 'date-time' } as const;
const KINDS = ['bot', 'user'] as const;
const MAX_METHODS = 200;
const MAX_OF_ALL = 1_000_000_000_000;

const METHODS = {
  type: 'array',
  items: { type: 'string' },
  minItems: 1,
  maxItems: MAX_METHODS,
  description: 'td_api methods, groups of them such as @send, or * for whole calls.',
  example: ['@send'],
} as const;
const MAX_FIELD = {
  type: 'integer',
  format: 'int64',
  minimum: 1,
  maximum: MAX_OF_ALL,
  description: 'How much each session may do under it in one window.',
} as const;
const PER = { enum: LIMIT_PERIODS, enumName: 'LimitPeriod' } as const;
const TIMEZONE = {
  type: String,
  description: 'Of day and week: where the day begins at midnight, and the week on Monday. An IANA name.',
  default: 'Europe/Moscow',
} as const;

/** Whom a rule binds is decided when it is made: to take no notice of a change would leave the wrong ones bound. */
const Unchangeable = (): PropertyDecorator =>
  ValidateBy({
    name: 'unchangeable',
    validator: {
      validate: (value) => value === undefined,
      defaultMessage: (args) => `${args?.property ?? 'this'} cannot be changed: make another rule`,
    },
  });

/** A rule to be made. */
export class CreateLimitDto {
  @ApiProperty({
    enum: LIMIT_LEVELS,
    description: 'session: everybody who uses the session. token: the calls of one token.',
  })
  @IsIn(LIMIT_LEVELS)
  level!: LimitLevel;

  @ApiPropertyOptional({
    enum: KINDS,
    description: 'Level session: every session of this kind without a rule of its own.',
  })
  @MayBeAbsent()
  @IsIn(KINDS)
  kind?: 'bot' | 'user';

  @ApiPropertyOptional({ ...UUID, description: 'Level session: this session.' })
  @MayBeAbsent()
  @IsString()
  @MaxLength(100)
  session_id?: string;

  @ApiPropertyOptional({ ...UUID, description: 'Level token: the calls of this token, in each session.' })
  @MayBeAbsent()
  @IsString()
  @MaxLength(100)
  token_id?: string;

  @ApiProperty(METHODS)
  @IsArray()
  @ArrayMinSize(1)
  @ArrayMaxSize(MAX_METHODS)
  @IsString({ each: true })
  @MaxLength(100, { each: true })
  methods!: string[];

  @ApiProperty(MAX_FIELD)
  @IsInt()
  @Min(1)
  @Max(MAX_OF_ALL)
  max!: number;

  @ApiProperty(PER)
  @IsIn(LIMIT_PERIODS)
  per!: LimitPeriod;

  @ApiPropertyOptional(TIMEZONE)
  @MayBeAbsent()
  @IsString()
  @MaxLength(64)
  timezone?: string;

  @ApiPropertyOptional({ type: String, maxLength: 200 })
  @MayBeAbsent()
  @IsString()
  @MaxLength(200)
  label?: string;

  @ApiPropertyOptional({
    type: Boolean,
    default: true,
    description: 'A rule that is off counts nothing and replaces none.',
  })
  @MayBeAbsent()
  @IsBoolean()
  enabled?: boolean;
}

/** What changes of a rule: never whom it binds. */
export class UpdateLimitDto {
  @ApiPropertyOptional(METHODS)
  @MayBeAbsent()
  @IsArray()
  @ArrayMinSize(1)
  @ArrayMaxSize(MAX_METHODS)
  @IsString({ each: true })
  @MaxLength(100, { each: true })
  methods?: string[];

  @ApiPropertyOptional(MAX_FIELD)
  @MayBeAbsent()
  @IsInt()
  @Min(1)
  @Max(MAX_OF_ALL)
  max?: number;

  @ApiPropertyOptional(PER)
  @MayBeAbsent()
  @IsIn(LIMIT_PERIODS)
  per?: LimitPeriod;

  @ApiPropertyOptional(TIMEZONE)
  @MayBeAbsent()
  @IsString()
  @MaxLength(64)
  timezone?: string;

  @ApiPropertyOptional({ type: String, maxLength: 200, nullable: true, description: 'Empty or null for none.' })
  @IsOptional()
  @IsString()
  @MaxLength(200)
  label?: string | null;

  @ApiPropertyOptional({ type: Boolean })
  @MayBeAbsent()
  @IsBoolean()
  enabled?: boolean;

  @Unchangeable() level?: unknown;
  @Unchangeable() kind?: unknown;
  @Unchangeable() session_id?: unknown;
  @Unchangeable() token_id?: unknown;
}

/** How much of a rule is used. */
export class LimitUsageDto {
  @ApiProperty({ type: 'integer', format: 'int64' }) used!: number;
  @ApiProperty(DATE_TIME) window_end!: string;
}

/** A rule. */
export class LimitDto {
  @ApiProperty(UUID) id!: string;
  @ApiProperty({ enum: LIMIT_LEVELS }) level!: LimitLevel;
  @ApiPropertyOptional({ enum: KINDS }) kind?: 'bot' | 'user';
  @ApiPropertyOptional(UUID) session_id?: string;
  @ApiPropertyOptional(UUID) token_id?: string;
  @ApiProperty({ type: [String] }) methods!: readonly string[];
  @ApiProperty({ type: 'integer', format: 'int64' }) max!: number;
  @ApiProperty(PER) per!: LimitPeriod;
  @ApiPropertyOptional({ type: String, description: 'Of day and week.' }) timezone?: string;
  @ApiPropertyOptional({ type: String }) label?: string;
  @ApiProperty({ type: Boolean }) enabled!: boolean;
  @ApiProperty({ type: () => LimitUsageDto, description: 'In a list of all rules: of the session that has used most.' })
  usage!: LimitUsageDto;
  @ApiProperty(DATE_TIME) created_at!: string;
}

/** A rule as it is for one session. */
export class SessionLimitRuleDto extends LimitDto {
  @ApiPropertyOptional({ ...UUID, description: 'The rule that stands in its place: same methods, same time, closer.' })
  replaced_by?: string;
}

/** Something that Telegram has closed for a while. */
export class CooldownDto {
  @ApiProperty({
    type: String,
    description: 'A group of methods, a method, spam_limit, or @send:<chat id> for the slow mode of one chat.',
    example: '@send',
  })
  scope!: string;
  @ApiProperty(DATE_TIME) started_at!: string;
  @ApiProperty(DATE_TIME) until!: string;
  @ApiProperty({ type: 'integer', description: 'Seconds that are left.' }) retry_after!: number;
  @ApiProperty({ type: String, description: "Telegram's own words." }) reason!: string;
}

/** How fast a session writes. */
export class PaceDto {
  @ApiProperty({ type: Number }) per_second!: number;
  @ApiProperty({ type: Number, description: 'Who would have to wait for longer is refused, in seconds.' })
  max_wait!: number;
  @ApiProperty({ type: 'integer', description: 'How many calls wait for their turn.' }) length!: number;
  @ApiProperty({ type: Number, description: 'When the next may go, in seconds.' }) next_in!: number;
}
