import type { SelectQueryBuilder } from 'typeorm';
import type { Page } from '../http/envelope.js';
import { pageOf, type PageRequest } from '../http/paging.js';

/**
 * One page of a list in (created_at, id) order. Rows that are created or deleted meanwhile move nobody to another page.
 * @param query selects from the entity under its alias, without order or limit
 */
export async function keysetPage<Row extends { readonly id: string; readonly createdAt: Date }>(
  query: SelectQueryBuilder<Row>,
  { limit, after }: PageRequest,
): Promise<Page<Row>> {
  const { alias } = query;
  query.orderBy(`${alias}.createdAt`, 'ASC').addOrderBy(`${alias}.id`, 'ASC');
  if (after) query.andWhere(`(${alias}.createdAt, ${alias}.id) > (:createdAt, :id)`, after);
  if (limit !== undefined) query.limit(limit + 1);
  return pageOf(await query.getMany(), limit);
}
