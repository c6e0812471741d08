const MASK = '***';
const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i;
/** Never shown, whatever is in them. */
const SECRET = /code|password|token|secret|hash|email|hint|username|first_name|last_name|ticket/;
/** Texts that may be read; every other one is masked, also those of fields to come. */
const OPEN = new Set([
  'access',
  'actions',
  'chats',
  'class',
  'classes',
  'delete',
  'enabled',
  'exclude_types',
  'expires_at',
  'host',
  'kind',
  'label',
  'level',
  'logout',
  'method',
  'methods',
  'name',
  'order',
  'overlap',
  'per',
  'pool_access',
  'reason',
  'scope',
  'since',
  'source',
  'status',
  'target',
  'timezone',
  'type',
  'types',
]);
const MAX_TEXT = 200;
const MAX_ITEMS = 50;
const MAX_DEPTH = 4;

/**
 * What may be kept of a request's body: numbers, truths, ids and the texts of fields that are known to hold nothing secret. Of a
 * phone number the last two digits, of an address its host.
 */
export function masked(value: unknown, field = '', depth = 0): unknown {
  if (value === null || value === undefined) return value;
  if (SECRET.test(field)) return MASK;
  if (field.includes('phone')) {
    return typeof value === 'string' ? `${MASK}${value.replace(/\D/g, '').slice(-2)}` : MASK;
  }
  if (typeof value === 'number' || typeof value === 'boolean') return value;
  if (typeof value === 'string') return maskedText(value, field);
  if (depth >= MAX_DEPTH) return MASK;
  if (Array.isArray(value)) return value.slice(0, MAX_ITEMS).map((item) => masked(item, field, depth + 1));
  return Object.fromEntries(
    Object.entries(value)
      .slice(0, MAX_ITEMS)
      .map(([name, member]) => [shown(name), masked(member, name, depth + 1)]),
  );
}

function maskedText(text: string, field: string): string {
  if (UUID.test(text) || OPEN.has(field)) return shown(text);
  // The path and the query of a webhook may be its key.
  const origin = field === 'url' && URL.canParse(text) ? new URL(text).origin : 'null';
  // Only of http and the like there is one.
  return origin === 'null' ? MASK : shown(origin);
}

/** A client's text as the database takes it: no U+0000 and no half of a surrogate pair, and not too long. */
export function shown(text: string): string {
  return text.slice(0, MAX_TEXT).replace(/[\0\uD800-\uDFFF]/gu, '\uFFFD');
}
