import { Type } from 'class-transformer';
import {
  ArrayMaxSize,
  Equals,
  IsArray,
  IsBoolean,
  IsIn,
  IsInt,
  IsISO8601,
  IsObject,
  IsString,
  Length,
  Matches,
  Max,
  MaxLength,
  Min,
  ValidateNested,
} from 'class-validator';
import { ApiProperty, ApiPropertyOptional, MayBeAbsent } from '../../common/http/index.js';
import {
  DELIVERY_ORDERS,
  type DeliveryOrder,
  SUBSCRIPTION_KINDS,
  type SubscriptionKind,
} from './subscription.entity.js';

const UUID = { type: 'string', format: 'uuid' } as const;
const DATE_TIME = { type: 'string', format: 'date-time' } as const;
const MAX_NAMES = 500;
const TYPE_NAME = /^[A-Za-z][A-Za-z0-9_.]{0,99}$/;
/** td_api's chat ids fit into a double. */
const MAX_CHAT_ID = Number.MAX_SAFE_INTEGER;

const TYPES = {
  type: 'array',
  items: { type: 'string' },
  maxItems: MAX_NAMES,
} as const;

/** Which updates are wanted. */
export class UpdateFiltersDto {
  @ApiPropertyOptional({
    ...TYPES,
    description: 'Only these `@type`s. Absent or empty: all of TDLib. Events of tgcontrol.* come only when named here.',
  })
  @MayBeAbsent()
  @IsArray()
  @ArrayMaxSize(MAX_NAMES)
  @Matches(TYPE_NAME, { each: true, message: 'each type must be a name such as updateNewMessage' })
  types?: string[];

  @ApiPropertyOptional({ ...TYPES, description: 'Not these `@type`s.' })
  @MayBeAbsent()
  @IsArray()
  @ArrayMaxSize(MAX_NAMES)
  @Matches(TYPE_NAME, { each: true, message: 'each type must be a name such as updateNewMessage' })
  exclude_types?: string[];

  @ApiPropertyOptional({
    type: 'array',
    items: { type: 'integer', format: 'int64' },
    maxItems: 1000,
    description: 'Only updates of these chats; updates of no chat are left out then.',
  })
  @MayBeAbsent()
  @IsArray()
  @ArrayMaxSize(1000)
  @IsInt({ each: true, message: 'each chat must be a chat id' })
  @Min(-MAX_CHAT_ID, { each: true, message: 'each chat must be a chat id' })
  @Max(MAX_CHAT_ID, { each: true, message: 'each chat must be a chat id' })
  chats?: number[];
}

const FILTERS = { type: () => UpdateFiltersDto, description: 'Absent: every update.' } as const;
const URL_FIELD = {
  type: String,
  maxLength: 2048,
  description: 'http or https, without credentials; must lead to a public address or into WEBHOOK_ALLOW_NETWORKS.',
} as const;
/** Receivers decode what follows the prefix of Standard Webhooks; any other secret is taken as it is. */
const SECRET_FORM = /^(?!whsec_)|^whsec_(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/;
const SECRET_WORDS = { message: 'what follows whsec_ must be base64' } as const;
const SECRET_FIELD = {
  type: String,
  minLength: 8,
  maxLength: 512,
  description: 'Signs the deliveries; made and shown once when absent.',
} as const;
const ORDER_FIELD = {
  type: String,
  enum: DELIVERY_ORDERS,
  description: 'chat: at most one delivery of a chat at a time, none overtakes another. Default none.',
} as const;
const CONNECTIONS_FIELD = {
  type: 'integer',
  minimum: 1,
  maximum: 100,
  description: 'Deliveries under way at most; it begins with 4 and grows while the receiver keeps up. Default 40.',
} as const;

/** Asks for updates of a session. */
export class CreateSubscriptionDto {
  @ApiPropertyOptional({
    type: String,
    enum: SUBSCRIPTION_KINDS,
    description: 'webhook: posted to `url`. stream: asked for at `/events`. Default webhook.',
  })
  @MayBeAbsent()
  @IsIn(SUBSCRIPTION_KINDS)
  kind?: SubscriptionKind;

  @ApiPropertyOptional({ ...URL_FIELD, description: `Of a webhook. ${URL_FIELD.description}` })
  @MayBeAbsent()
  @IsString()
  @MaxLength(2048)
  url?: string;

  @ApiPropertyOptional(SECRET_FIELD)
  @MayBeAbsent()
  @IsString()
  @Length(8, 512)
  @Matches(SECRET_FORM, SECRET_WORDS)
  secret?: string;

  @ApiPropertyOptional(FILTERS)
  @MayBeAbsent()
  @IsObject()
  @ValidateNested()
  @Type(() => UpdateFiltersDto)
  filters?: UpdateFiltersDto;

  @ApiPropertyOptional(ORDER_FIELD) @MayBeAbsent() @IsIn(DELIVERY_ORDERS) order?: DeliveryOrder;

  @ApiPropertyOptional(CONNECTIONS_FIELD) @MayBeAbsent() @IsInt() @Min(1) @Max(100) max_connections?: number;
}

/** What changes of a subscription; what is absent stays. */
export class UpdateSubscriptionDto {
  @ApiPropertyOptional(URL_FIELD) @MayBeAbsent() @IsString() @MaxLength(2048) url?: string;

  @ApiPropertyOptional({ ...FILTERS, description: 'In the place of those before.' })
  @MayBeAbsent()
  @IsObject()
  @ValidateNested()
  @Type(() => UpdateFiltersDto)
  filters?: UpdateFiltersDto;

  @ApiPropertyOptional({
    type: Boolean,
    description: 'Off: nothing is delivered and nothing new is kept; what waits stays for its day.',
  })
  @MayBeAbsent()
  @IsBoolean()
  enabled?: boolean;

  @ApiPropertyOptional({
    type: Boolean,
    enum: [true],
    description: 'Makes a new secret, shown once; the old one signs too for 24 hours.',
  })
  @MayBeAbsent()
  @Equals(true)
  rotate_secret?: true;

  @ApiPropertyOptional({ ...SECRET_FIELD, description: 'With rotate_secret: the new secret, instead of a made one.' })
  @MayBeAbsent()
  @IsString()
  @Length(8, 512)
  @Matches(SECRET_FORM, SECRET_WORDS)
  secret?: string;

  @ApiPropertyOptional(ORDER_FIELD) @MayBeAbsent() @IsIn(DELIVERY_ORDERS) order?: DeliveryOrder;

  @ApiPropertyOptional(CONNECTIONS_FIELD) @MayBeAbsent() @IsInt() @Min(1) @Max(100) max_connections?: number;
}

/** A subscription that was made. */
export class SubscriptionCreatedDto {
  @ApiProperty(UUID) id!: string;
  @ApiPropertyOptional({ type: String, description: 'When it was made here; shown once and never again.' })
  secret?: string;
  @ApiPropertyOptional({ type: 'array', items: { type: 'string' }, description: 'What may not be meant.' })
  warnings?: readonly string[];
}

/** The answer of a change. */
export class SubscriptionUpdatedDto {
  @ApiProperty({ type: String, enum: ['updated'] }) status!: 'updated';
  @ApiPropertyOptional({ type: String, description: 'The new secret, when it was made here; shown once.' })
  secret?: string;
  @ApiPropertyOptional({ type: 'array', items: { type: 'string' } }) warnings?: readonly string[];
}

/** A subscription and how its deliveries go. */
export class SubscriptionDto {
  @ApiProperty(UUID) id!: string;
  @ApiProperty({ type: String, enum: SUBSCRIPTION_KINDS }) kind!: SubscriptionKind;
  @ApiPropertyOptional({ type: String, description: 'Of a webhook.' }) url?: string;
  @ApiProperty({ type: () => UpdateFiltersDto }) filters!: UpdateFiltersDto;
  @ApiPropertyOptional({ type: String, enum: DELIVERY_ORDERS, description: 'Of a webhook.' }) order?: DeliveryOrder;
  @ApiPropertyOptional({ type: 'integer', description: 'Of a webhook.' }) max_connections?: number;
  @ApiPropertyOptional({ ...UUID, description: 'Whose it is; absent for the master token.' }) token_id?: string;
  @ApiPropertyOptional({ type: String, description: 'What its owner calls that token.' }) token_name?: string;
  @ApiProperty({ type: Boolean }) enabled!: boolean;
  @ApiPropertyOptional({ type: String, description: 'Why tgcontrol has switched it off.' }) disabled_reason?: string;
  @ApiProperty({
    type: String,
    enum: ['active', 'failing', 'disabled', 'token_disabled'],
    description: 'failing: the last attempt failed. token_disabled: its token is off or covers the session no more.',
  })
  state!: 'active' | 'failing' | 'disabled' | 'token_disabled';
  @ApiProperty({ type: 'integer', description: 'Deliveries that wait or are under way.' }) pending!: number;
  @ApiPropertyOptional({ ...DATE_TIME, description: 'Of the oldest that waits.' }) oldest_pending_at?: string;
  @ApiProperty({ type: 'integer', description: 'Given up within the last 24 hours.' }) failed!: number;
  @ApiProperty({ type: 'integer', description: 'Lost because too many waited to be stored.' }) dropped!: number;
  @ApiProperty({ type: 'integer' }) delivered!: number;
  @ApiPropertyOptional({ type: 'number', description: 'Of the attempts of the last 24 hours, 0 to 1.' })
  success_rate?: number;
  @ApiPropertyOptional(DATE_TIME) last_delivered_at?: string;
  @ApiPropertyOptional({ type: String }) last_error?: string;
  @ApiPropertyOptional(DATE_TIME) last_error_at?: string;
  @ApiPropertyOptional({ ...DATE_TIME, description: 'The first failure since the last success.' })
  failing_since?: string;
  @ApiPropertyOptional({ ...DATE_TIME, description: 'When the next repeat is due; never past.' })
  next_retry_at?: string;
  @ApiPropertyOptional({ ...DATE_TIME, description: 'Until when the secret before the last one signs too.' })
  former_secret_until?: string;
  @ApiProperty(DATE_TIME) created_at!: string;
}

/** A subscription in a list over all sessions. */
export class SessionSubscriptionDto extends SubscriptionDto {
  @ApiProperty(UUID) session_id!: string;
  @ApiProperty({ type: String, enum: ['bot', 'user'] }) session_kind!: 'bot' | 'user';
}

/** Filters to try. */
export class PreviewFiltersDto {
  @ApiPropertyOptional(FILTERS)
  @MayBeAbsent()
  @IsObject()
  @ValidateNested()
  @Type(() => UpdateFiltersDto)
  filters?: UpdateFiltersDto;
}

/** What filters would have let pass. */
export class FilterPreviewDto {
  @ApiProperty({ type: 'integer' }) matched!: number;
  @ApiProperty({ type: 'integer', description: 'How many were looked at: the newest that are stored, at most 100.' })
  of!: number;
  @ApiProperty({
    type: 'object',
    additionalProperties: { type: 'integer' },
    description: 'How many of each type were looked at.',
  })
  types!: Readonly<Record<string, number>>;
}

/** From when on what was given up is tried again. */
export class RecoverDto {
  @ApiProperty({ ...DATE_TIME, description: 'Not older than 24 hours counts.' })
  @IsISO8601({ strict: true })
  since!: string;
}

/** What is tried again. */
export class RecoveredDto {
  @ApiProperty({ type: 'integer' }) requeued!: number;
}

/** A delivery that was put in line. */
export class QueuedDeliveryDto {
  @ApiProperty({ ...UUID, description: 'Of the delivery.' }) id!: string;
}
