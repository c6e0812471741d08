import { fetchClient } from './api';
import type { SessionSummary } from './types';

/** Which session answers. */
export type SessionRef = Pick<SessionSummary, 'kind' | 'id'>;

/** True for what has fields. */
export const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** A text field of a td_api object; undefined when it is absent or empty. */
export function textOf(object: Record<string, unknown>, name: string): string | undefined {
  const value = object[name];
  return typeof value === 'string' && value !== '' ? value : undefined;
}

/** A number field of a td_api object. */
export function numberOf(object: Record<string, unknown>, name: string): number | undefined {
  const value = object[name];
  return typeof value === 'number' ? value : undefined;
}

/** An object field of a td_api object, such as the `photo` of a messagePhoto. */
export function objectOf(object: Record<string, unknown>, name: string): Record<string, unknown> | undefined {
  const value = object[name];
  return isRecord(value) ? value : undefined;
}

/** The objects of a list field. */
export function objectsOf(object: Record<string, unknown>, name: string): readonly Record<string, unknown>[] {
  const value = object[name];
  return Array.isArray(value) ? value.filter(isRecord) : [];
}

/**
 * One td_api call of the console itself, for its pages.
 *
 * @throws ApiError, also for what Telegram refuses
 */
export async function callTd(
  { kind, id }: SessionRef,
  method: string,
  params: Readonly<Record<string, unknown>>,
  signal?: AbortSignal,
): Promise<Record<string, unknown>> {
  const { data } = await fetchClient.POST('/v1/{kind}/{id}/call', {
    params: { path: { kind, id } },
    body: { method, params },
    ...(signal ? { signal } : {}),
  });
  const result: unknown = data?.result;
  return isRecord(result) ? result : {};
}
