import { isUuid } from '../../common/http/index.js';
import { shown } from './masking.js';

/** What a request was about. */
export interface AuditObject {
  readonly type?: string;
  readonly id?: string;
}

/** One of the things that a part of a path names in the plural. */
function singular(word: string): string {
  return word.replace(/ies$/, 'y').replace(/(?<!s)s$/, '');
}

/** Sessions are found under their kind. */
function typeOf(part: string): string {
  return /^(:kind.*|bot|user)$/.test(part) ? 'session' : singular(part);
}

/**
 * The object of a request: the last that its path names by an id; where it names none, what the answer says was made.
 * @param pattern the route's path, such as `/v1/tokens/:id/rotate`
 * @param result that of the answer
 */
export function objectOf(pattern: string, params: unknown, result: unknown): AuditObject {
  const parts = pattern.split('/').filter((part) => part !== '');
  const at = parts.findLastIndex((part) => part.startsWith(':') && !part.startsWith(':kind'));
  if (at > 0) {
    const name = (parts[at] ?? '').slice(1).replace(/\(.*$/, '');
    const id = (params as Readonly<Record<string, unknown>>)[name];
    return { type: typeOf(parts[at - 1] ?? ''), ...(typeof id === 'string' && { id: asListed(id) }) };
  }
  const type = typeOf(parts.at(-1) ?? '');
  const id = idIn(result);
  return { type, ...(id !== undefined && { id }) };
}

/** Ids of ours are found however they were written; what else a path names is what it says, as a method. */
function asListed(id: string): string {
  return isUuid(id) ? id.toLowerCase() : shown(id);
}

/** `id`, or as some answers have it `app_id` and the like. */
function idIn(result: unknown): string | undefined {
  if (typeof result !== 'object' || result === null) return undefined;
  const [, id] = Object.entries(result).find(([name]) => name === 'id' || name.endsWith('_id')) ?? [];
  return typeof id === 'string' ? id : undefined;
}
