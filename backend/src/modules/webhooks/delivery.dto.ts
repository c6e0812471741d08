import { Type } from 'class-transformer';
import { IsIn, IsInt, Matches, Max, Min } from 'class-validator';
import { ApiProperty, ApiPropertyOptional, MayBeAbsent } from '../../common/http/index.js';

const UUID = { type: 'string', format: 'uuid' } as const;
const DATE_TIME = { type: 'string', format: 'date-time' } as const;
const CURSOR = { message: '$property is no cursor of ours' } as const;

/** `stored`: of a stream, whose readers come for it. */
export const DELIVERY_STATUSES = ['pending', 'delivered', 'failed', 'stored'] as const;
export type DeliveryStatus = (typeof DELIVERY_STATUSES)[number];

/** A place in the order of a subscription's events: what {@link toCursor} made. */
const CURSOR_FORM = /^c[0-9a-z]{1,11}$/;

/** @param seq the number of a delivery, as PostgreSQL gives it @returns a text that `null` and `undefined` are not */
export function toCursor(seq: string): string {
  return `c${Number(seq).toString(36)}`;
}

/** @returns undefined for what {@link toCursor} did not make */
export function ofCursor(cursor: string): number | undefined {
  return CURSOR_FORM.test(cursor) ? Number.parseInt(cursor.slice(1), 36) : undefined;
}

/** How many are asked for at once. */
class LimitQueryDto {
  @ApiPropertyOptional({ type: 'integer', minimum: 1, maximum: 1000, description: 'Default 100.' })
  @MayBeAbsent()
  @Type(() => Number)
  @IsInt()
  @Min(1)
  @Max(1000)
  limit?: number;
}

/** The query of the log. */
export class DeliveriesQueryDto extends LimitQueryDto {
  @ApiPropertyOptional({ type: String, enum: DELIVERY_STATUSES })
  @MayBeAbsent()
  @IsIn(DELIVERY_STATUSES)
  status?: DeliveryStatus;

  @ApiPropertyOptional({ type: String, description: "The previous page's next_cursor." })
  @MayBeAbsent()
  @Matches(CURSOR_FORM, CURSOR)
  cursor?: string;

  get before(): number | undefined {
    return this.cursor === undefined ? undefined : ofCursor(this.cursor);
  }
}

/** The query of a stream. */
export class EventsQueryDto extends LimitQueryDto {
  @ApiPropertyOptional({
    type: String,
    description: 'A cursor; what came after it. `now`: only what comes from now on. Absent or 0: all that is kept.',
  })
  @MayBeAbsent()
  @Matches(/^(c[0-9a-z]{1,11}|0|now)$/, CURSOR)
  after?: string;

  @ApiPropertyOptional({
    type: 'integer',
    minimum: 0,
    maximum: 60,
    description: 'How many seconds to wait while there is nothing. Default 0.',
  })
  @MayBeAbsent()
  @Type(() => Number)
  @IsInt()
  @Min(0)
  @Max(60)
  timeout?: number;

  @ApiPropertyOptional({ type: String, description: 'Of POST /v1/events/ticket, instead of a token; serves once.' })
  @MayBeAbsent()
  @Matches(/^[\w-]{1,100}$/)
  ticket?: string;

  /** @returns undefined for what comes from now on */
  get position(): number | undefined {
    if (this.after === 'now') return undefined;
    return this.after === undefined || this.after === '0' ? 0 : ofCursor(this.after);
  }
}

/** One attempt to deliver. */
export class AttemptDto {
  @ApiProperty({ type: 'integer', description: 'As in the header X-Tgcontrol-Attempt.' }) attempt!: number;
  @ApiProperty(DATE_TIME) at!: string;
  @ApiProperty({ type: 'integer', description: 'How long it took.' }) duration_ms!: number;
  @ApiPropertyOptional({ type: 'integer', description: 'The HTTP status of the answer, when there was one.' })
  status?: number;
  @ApiPropertyOptional({ type: String, description: 'Why it failed.' }) error?: string;
  @ApiPropertyOptional({ type: String, description: 'The first KiB of the answer.' }) answer?: string;
}

/** A delivery in the log. */
export class DeliveryDto {
  @ApiProperty(UUID) id!: string;
  @ApiProperty({ type: String, enum: DELIVERY_STATUSES }) status!: DeliveryStatus;
  @ApiProperty({ type: String, description: "The update's `@type`." }) type!: string;
  @ApiPropertyOptional({ type: 'integer', format: 'int64' }) chat_id?: number;
  @ApiProperty({ ...DATE_TIME, description: 'When the update came.' }) at!: string;
  @ApiProperty({ type: 'integer' }) attempts!: number;
  @ApiPropertyOptional({ ...DATE_TIME, description: 'When it is to be tried, while it is pending.' }) due_at?: string;
  @ApiPropertyOptional({ ...DATE_TIME, description: 'When it was delivered or given up.' }) decided_at?: string;
  @ApiPropertyOptional({ type: () => AttemptDto, description: 'The last attempt.' }) last_attempt?: AttemptDto;
}

/** A delivery with all that is known of it. */
export class DeliveryDetailDto extends DeliveryDto {
  @ApiProperty({ type: () => [AttemptDto], description: 'Its last twenty attempts.' }) log!: readonly AttemptDto[];
  @ApiProperty({ type: 'object', additionalProperties: true, description: 'The update, as TDLib made it.' })
  update!: object;
}

/** What a stream gives. */
export class EventDto {
  @ApiProperty({ ...UUID, description: 'Stays the same when TDLib repeats the update; of a webhook: the delivery.' })
  id!: string;
  @ApiProperty({ type: String, description: 'To go on after it.' }) cursor!: string;
  @ApiProperty({ ...DATE_TIME, description: 'When the update came.' }) at!: string;
  @ApiProperty({ type: 'object', additionalProperties: true, description: 'The update, as TDLib made it.' })
  update!: object;
}

/** A ticket for one stream. */
export class EventTicketDto {
  @ApiProperty({ type: String, description: 'For `?ticket=`; serves one request, within a minute.' }) ticket!: string;
  @ApiProperty(DATE_TIME) expires_at!: string;
}
