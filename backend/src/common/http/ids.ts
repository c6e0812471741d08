import { type FindableThing, NotFoundError } from '../errors/index.js';

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i;

/** Whether `text` can be an id of ours at all; PostgreSQL refuses others with an error of its own. */
export function isUuid(text: string): boolean {
  return UUID.test(text);
}

/** @throws NotFoundError for an id that cannot exist */
export function existingId(what: FindableThing, text: string): string {
  if (!isUuid(text)) throw new NotFoundError(what, text);
  return text.toLowerCase();
}
