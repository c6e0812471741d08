import { ArrayMaxSize, IsArray, IsBoolean, IsIn, IsOptional, IsString, MaxLength, ValidateBy } from 'class-validator';
import { ApiProperty, ApiPropertyOptional, EachIs, isUuid, type PoolAccess } from '../../common/http/index.js';
import { parseDurationMs } from '../../config/index.js';
import { isKnownMethod, isReservedMethod, type MethodClass, METHOD_CLASSES } from '../../telegram/index.js';

const UUID = { type: 'string', format: 'uuid' } as const;
/** A token for more sessions than this is better given their app, or all. */
const MAX_IDS = 1000;
const IDS = { type: 'array', items: UUID, maxItems: MAX_IDS } as const;

const POOL_ACCESSES: PoolAccess[] = ['read', 'write'];
/** A week: who needs longer makes a second token. */
const MAX_OVERLAP_MS = 7 * 86_400_000;
/** A token's rights travel with each of its calls, in a header. */
const MAX_METHODS = 200;
const MAX_CHATS = 500;
const MAX_POOLS = 100;

/** ISO 8601 with its zone: a time without one would mean another moment to each reader. */
const MOMENT = /^(\d{4}-\d\d-\d\d)T\d\d:\d\d(:\d\d(\.\d+)?)?(Z|[+-]\d\d:\d\d)$/;

/** Whether this is a moment of a day that there is: Date.parse takes the 30th of February for the 2nd of March. */
function isMoment(value: unknown): boolean {
  const day = typeof value === 'string' ? MOMENT.exec(value)?.[1] : undefined;
  if (day === undefined || Number.isNaN(Date.parse(String(value)))) return false;
  return new Date(`${day}T00:00:00Z`).toISOString().startsWith(day);
}

const IsMoment = (): PropertyDecorator =>
  ValidateBy({
    name: 'isMoment',
    validator: {
      validate: isMoment,
      defaultMessage: (args) =>
        `${args?.property ?? 'this'} must be a time with its zone, such as 2030-01-31T12:00:00Z`,
    },
  });

const IsMethodOfTdApi = (): PropertyDecorator =>
  EachIs(
    (value) => typeof value === 'string' && isKnownMethod(value) && !isReservedMethod(value),
    (value) => `${shownIn(value)} is no method of td_api that a token may call`,
  );

const IsChatId = (): PropertyDecorator =>
  EachIs(
    (value) => Number.isSafeInteger(value) && value !== 0,
    (value) => `${shownIn(value)} is no chat id: a whole number as td_api has it`,
  );

const IsMethodClass = (): PropertyDecorator =>
  EachIs(
    (value) => METHOD_CLASSES.some((each) => each === value),
    (value) => `${shownIn(value)} is none of ${METHOD_CLASSES.join(', ')}`,
  );

/** What was given, as short as a message needs it. */
function shownIn(value: unknown): string {
  return JSON.stringify(value).slice(0, 80);
}

/** A limit under a wrong name would be no limit: other members that are unknown promise nothing and are ignored. */
const Misspells = (field: string): PropertyDecorator =>
  ValidateBy({
    name: 'misspells',
    validator: {
      validate: (value) => value === undefined,
      defaultMessage: () => `there is no such member: ${field} is meant`,
    },
  });

/** What changes of a token. What is absent or null stays; a list that is given replaces that list. */
export class UpdateTokenDto {
  @ApiPropertyOptional({ type: String, maxLength: 200, nullable: true, description: 'Empty or null for none.' })
  @IsOptional()
  @IsString()
  @MaxLength(200)
  name?: string | null;

  @ApiPropertyOptional({ type: Boolean, description: 'A disabled token is refused everywhere; a new one is enabled.' })
  @IsOptional()
  @IsBoolean()
  enabled?: boolean | null;

  @ApiPropertyOptional({ type: Boolean, description: 'Every session, also those to come.' })
  @IsOptional()
  @IsBoolean()
  all_sessions?: boolean | null;

  @ApiPropertyOptional({ ...IDS, description: 'Every session of these apps, also those to come.' })
  @IsOptional()
  @IsArray()
  @ArrayMaxSize(MAX_IDS)
  app_ids?: unknown[] | null;

  @ApiPropertyOptional({ ...IDS, description: 'These sessions.' })
  @IsOptional()
  @IsArray()
  @ArrayMaxSize(MAX_IDS)
  session_ids?: unknown[] | null;

  @ApiPropertyOptional({
    type: 'array',
    items: { type: 'string', enum: [...METHOD_CLASSES] },
    description: 'Of which classes it may call methods; read, send and manage for a new one. Empty for none.',
  })
  @IsOptional()
  @IsArray()
  @ArrayMaxSize(METHOD_CLASSES.length)
  @IsMethodClass()
  classes?: MethodClass[] | null;

  @ApiPropertyOptional({
    type: 'array',
    items: { type: 'string' },
    maxItems: MAX_METHODS,
    nullable: true,
    description: 'It may call these methods only, where its classes have them. Null for all, empty for none.',
  })
  @IsOptional()
  @IsArray()
  @ArrayMaxSize(MAX_METHODS)
  @IsMethodOfTdApi()
  methods?: string[] | null;

  @ApiPropertyOptional({
    type: 'array',
    items: { type: 'integer' },
    maxItems: MAX_CHATS,
    nullable: true,
    description: 'It may see and act in these chats only. Null for all, empty for none.',
  })
  @IsOptional()
  @IsArray()
  @ArrayMaxSize(MAX_CHATS)
  @IsChatId()
  chats?: number[] | null;

  @ApiPropertyOptional({
    type: String,
    format: 'date-time',
    nullable: true,
    description: 'From then on it is refused everywhere. Null for never.',
  })
  @IsOptional()
  @IsMoment()
  expires_at?: string | null;

  @ApiPropertyOptional({ type: 'array', items: UUID, maxItems: MAX_POOLS, description: 'Bot pools that it may use.' })
  @IsOptional()
  @IsArray()
  @ArrayMaxSize(MAX_POOLS)
  @EachIs((value) => typeof value === 'string' && isUuid(value), (value) => `${shownIn(value)} is no id`)
  pool_ids?: string[] | null;

  @ApiPropertyOptional({ enum: POOL_ACCESSES, description: 'write: it may put and delete objects in its pools too.' })
  @IsOptional()
  @IsIn(POOL_ACCESSES)
  pool_access?: PoolAccess | null;

  @Misspells('session_ids') session_id?: unknown;
  @Misspells('app_ids') app_id?: unknown;
  @Misspells('pool_ids') pool_id?: unknown;
  @Misspells('classes') class?: unknown;
  @Misspells('methods') method?: unknown;
  @Misspells('chats') chat?: unknown;
  @Misspells('chats') chat_id?: unknown;
  @Misspells('chats') chat_ids?: unknown;
  @Misspells('expires_at') expires?: unknown;
  @Misspells('expires_at') expire_at?: unknown;
}

/** A token to be made; what is absent gives it no access. */
export class CreateTokenDto extends UpdateTokenDto {}

/** How a token's secret is replaced. */
export class RotateTokenDto {
  @ApiPropertyOptional({
    type: String,
    example: '24h',
    description: 'How long the secrets before go on serving: 0s to 7d, 24h when absent. 0s ends them at once.',
  })
  @IsOptional()
  @ValidateBy({
    name: 'isOverlap',
    validator: {
      validate: (value) => typeof value === 'string' && (parseDurationMs(value) ?? Infinity) <= MAX_OVERLAP_MS,
      defaultMessage: () => 'overlap must be a duration from 0s to 7d, such as 30m or 24h',
    },
  })
  overlap?: string | null;
}

/** A token that was made. */
export class TokenCreatedDto {
  @ApiProperty(UUID) id!: string;
  @ApiProperty({ type: String, description: 'Shown here and never again.' }) token!: string;
}

/** A token whose secret was replaced. */
export class TokenRotatedDto extends TokenCreatedDto {
  @ApiProperty({
    type: String,
    format: 'date-time',
    description: 'Until when the secrets before serve, at the latest.',
  })
  former_secrets_until!: string;
}

/** A token, without its secret. */
export class TokenDto {
  @ApiProperty(UUID) id!: string;
  @ApiPropertyOptional({ type: String }) name?: string;
  @ApiProperty({ type: String, description: "The token's first characters, to know it by." }) prefix!: string;
  @ApiProperty({ type: Boolean }) enabled!: boolean;
  @ApiProperty({ type: Boolean }) all_sessions!: boolean;
  @ApiProperty({ type: 'array', items: UUID }) app_ids!: readonly string[];
  @ApiProperty({ type: 'array', items: UUID }) session_ids!: readonly string[];
  @ApiProperty({ type: String, format: 'date-time' }) created_at!: string;
  @ApiProperty({ type: 'array', items: { type: 'string', enum: [...METHOD_CLASSES] } })
  classes!: readonly MethodClass[];
  @ApiPropertyOptional({ type: 'array', items: { type: 'string' }, description: 'Absent for all of its classes.' })
  methods?: readonly string[];
  @ApiPropertyOptional({ type: 'array', items: { type: 'integer' }, description: 'Absent for all chats.' })
  chats?: readonly number[];
  @ApiPropertyOptional({ type: String, format: 'date-time', description: 'Absent for a token without end.' })
  expires_at?: string;
  @ApiProperty({ type: 'array', items: UUID }) pool_ids!: readonly string[];
  @ApiProperty({ enum: POOL_ACCESSES }) pool_access!: PoolAccess;
  @ApiPropertyOptional({
    type: String,
    format: 'date-time',
    description: 'Until when a secret serves that was replaced; absent when none does.',
  })
  former_secrets_until?: string;
  @ApiPropertyOptional({ type: String, format: 'date-time', description: 'To some seconds; absent until it is used.' })
  last_used_at?: string;
}

/** Who asks. The master has no lists: it may do everything that is not reserved. */
export class MeDto implements Partial<TokenDto> {
  @ApiProperty({ enum: ['master', 'token'] }) kind!: 'master' | 'token';
  @ApiPropertyOptional(UUID) id?: string;
  @ApiPropertyOptional({ type: String }) name?: string;
  @ApiPropertyOptional({ type: String, description: "The token's first characters." }) prefix?: string;
  @ApiProperty({ type: Boolean }) enabled!: boolean;
  @ApiProperty({ type: Boolean }) all_sessions!: boolean;
  @ApiPropertyOptional({ type: 'array', items: UUID }) app_ids?: readonly string[];
  @ApiPropertyOptional({ type: 'array', items: UUID }) session_ids?: readonly string[];
  @ApiProperty({ type: 'array', items: { type: 'string', enum: [...METHOD_CLASSES] } })
  classes!: readonly MethodClass[];
  @ApiPropertyOptional({ type: 'array', items: { type: 'string' }, description: 'Absent for all of its classes.' })
  methods?: readonly string[];
  @ApiPropertyOptional({ type: 'array', items: { type: 'integer' }, description: 'Absent for all chats.' })
  chats?: readonly number[];
  @ApiPropertyOptional({ type: String, format: 'date-time', description: 'Absent for a token without end.' })
  expires_at?: string;
  @ApiPropertyOptional({ type: 'array', items: UUID }) pool_ids?: readonly string[];
  @ApiProperty({ enum: POOL_ACCESSES }) pool_access!: PoolAccess;
  @ApiPropertyOptional({ type: String, format: 'date-time' }) created_at?: string;
  @ApiPropertyOptional({
    type: String,
    format: 'date-time',
    description: 'Until when a secret serves that was replaced: by then the new one has to be in use.',
  })
  former_secrets_until?: string;
  @ApiPropertyOptional({ type: String, format: 'date-time' }) last_used_at?: string;
}
