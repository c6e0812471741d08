import type { ValidationIssue } from '../common/errors/index.js';

/** Whose session a query is for. */
export type AccountKind = 'user' | 'bot';

/** Says what is wrong with the parameters, undefined when nothing is. */
type Check = (params: Readonly<Record<string, unknown>>, kind: AccountKind | undefined) => ValidationIssue | undefined;

const SECRET_CHATS_OFF: Check = () => ({ path: 'method', message: 'secret chats are off' });

const needsObject =
  (name: string): Check =>
  (params) =>
    typeof params[name] === 'object' && params[name] !== null
      ? undefined
      : { path: `params.${name}`, message: `${name} is required` };

const typeOf = (value: unknown): unknown =>
  typeof value === 'object' && value !== null && '@type' in value ? value['@type'] : undefined;

/**
 * TDLib takes much for granted about its caller: with these queries 1.8.62 does not answer an error, it aborts the process,
 * with every session in it. `test/fuzz.e2e-spec.ts` looks for more of them.
 */
const CHECKS: Readonly<Record<string, Check>> = {
  closeSecretChat: SECRET_CHATS_OFF,
  createNewSecretChat: SECRET_CHATS_OFF,
  createInvoiceLink: ({ invoice }) =>
    typeOf(invoice) === 'inputMessageInvoice'
      ? undefined
      : { path: 'params.invoice', message: 'invoice must be an inputMessageInvoice' },
  getThemeParametersJsonString: needsObject('theme'),
};

/** Methods that TDLib takes a supergroup for known in; it has to be asked whether it is. */
const NEED_SUPERGROUP: ReadonlySet<string> = new Set(['toggleSupergroupIsBroadcastGroup']);

/** Whether a query is safe only for a supergroup that getSupergroup knows. */
export function needsKnownSupergroup(method: string): boolean {
  return NEED_SUPERGROUP.has(method);
}

/** Checks for every method. */
const COMMON: readonly Check[] = [
  // RecentDialogList.cpp counts on it; no list of td_api is asked for less than nothing.
  ({ limit }) =>
    (typeof limit === 'number' || typeof limit === 'string') && Number(limit) < 0
      ? { path: 'params.limit', message: 'limit must not be negative' }
      : undefined,
  // BusinessConnectionManager.cpp counts on it: business connections are bots'.
  ({ business_connection_id: id }, kind) =>
    kind === 'user' && id !== undefined && id !== null && id !== ''
      ? { path: 'params.business_connection_id', message: 'business connections are for bots only' }
      : undefined,
];

/** Finds parameters that would cost the process. @param kind undefined for a query without a session */
export function hazardOf(
  method: string,
  params: Readonly<Record<string, unknown>>,
  kind: AccountKind | undefined,
): ValidationIssue | undefined {
  for (const check of COMMON) {
    const issue = check(params, kind);
    if (issue !== undefined) return issue;
  }
  return Object.hasOwn(CHECKS, method) ? CHECKS[method]?.(params, kind) : undefined;
}
