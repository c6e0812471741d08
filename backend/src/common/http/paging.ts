import { IsInt, IsOptional, IsString, Max, MaxLength, Min } from 'class-validator';
import { Type } from 'class-transformer';
import { ValidationFailedError } from '../errors/index.js';
import { Page } from './envelope.js';
import { isUuid } from './ids.js';
import { ApiPropertyOptional } from './openapi.js';

/** Where a page begins: the row after this one in (created_at, id) order. */
export interface PagePosition {
  readonly createdAt: Date;
  readonly id: string;
}

/** What part of a list is asked for; without a limit, all of it. */
export interface PageRequest {
  readonly limit?: number;
  readonly after?: PagePosition;
}

/** The query of every list. */
export class PageQueryDto {
  @ApiPropertyOptional({ type: 'integer', minimum: 1, maximum: 1000, description: 'at most so many; absent: all' })
  @IsOptional()
  @Type(() => Number)
  @IsInt()
  @Min(1)
  @Max(1000)
  limit?: number;

  @ApiPropertyOptional({ description: "the previous page's next_cursor" })
  @IsOptional()
  @IsString()
  @MaxLength(500)
  cursor?: string;

  /** @throws ValidationFailedError for a cursor that is none of ours */
  toRequest(): PageRequest {
    return {
      ...(this.limit !== undefined && { limit: this.limit }),
      ...(this.cursor !== undefined && { after: decodeCursor(this.cursor) }),
    };
  }
}

/** The opaque text of a position. */
export function encodeCursor({ createdAt, id }: PagePosition): string {
  return Buffer.from(`${createdAt.getTime()} ${id}`, 'utf8').toString('base64url');
}

/** A page of rows that were read with one more than `limit`, to see whether others follow. */
export function pageOf<Row extends PagePosition>(rows: readonly Row[], limit: number | undefined): Page<Row> {
  const last = limit === undefined || rows.length <= limit ? undefined : rows[limit - 1];
  return last === undefined ? new Page(rows) : new Page(rows.slice(0, limit), encodeCursor(last));
}

/** @throws ValidationFailedError for a cursor that is none of ours */
export function decodeCursor(cursor: string): PagePosition {
  const match = /^(\d{1,15}) (\S+)$/.exec(Buffer.from(cursor, 'base64url').toString('utf8'));
  const [, time, id] = match ?? [];
  if (time === undefined || id === undefined || !isUuid(id)) {
    throw new ValidationFailedError([{ path: 'cursor', message: 'is not a cursor of this list' }]);
  }
  return { createdAt: new Date(Number(time)), id };
}
