import { useUrlState } from './url-state';

/** Dialogs that can be opened from anywhere and linked to. */
export type CreateDialog = 'bot' | 'user' | 'app' | 'proxy' | 'token' | 'pool';

const CREATE = 'new';
const LOGIN = 'login';
const isCreateDialog = (value: string | null): value is CreateDialog =>
  value === 'bot' || value === 'user' || value === 'app' || value === 'proxy' || value === 'token' || value === 'pool';

/** Which dialog the address asks for, and how to open and close one. A closed dialog leaves nothing in the address. */
export function useOverlays(): {
  readonly creating: CreateDialog | undefined;
  readonly loginId: string | undefined;
  readonly openCreate: (what: CreateDialog) => void;
  readonly openLogin: (sessionId: string) => void;
  readonly close: () => void;
} {
  const url = useUrlState();
  const creating = url.get(CREATE);
  return {
    creating: isCreateDialog(creating) ? creating : undefined,
    loginId: url.get(LOGIN) ?? undefined,
    openCreate: (what) => url.push({ [CREATE]: what, [LOGIN]: null }),
    openLogin: (sessionId) => url.push({ [LOGIN]: sessionId, [CREATE]: null }),
    close: () => url.replace({ [CREATE]: null, [LOGIN]: null }),
  };
}

/** The parts of a session's page. */
export type SessionTab = 'summary' | 'files' | 'events' | 'webhooks' | 'limits';

/** Where a session has its page. */
export function sessionHref(session: { readonly id: string }, tab: SessionTab = 'summary'): string {
  const href = `/sessions/view/?id=${encodeURIComponent(session.id)}`;
  return tab === 'summary' ? href : `${href}&tab=${tab}`;
}

/** Where a subscription of a session has its page. */
export function subscriptionHref(session: { readonly id: string }, subscriptionId: string): string {
  return `${sessionHref(session, 'webhooks')}&sub=${encodeURIComponent(subscriptionId)}`;
}

/** The parts of a pool's page. */
export type PoolTab = 'bots' | 'objects' | 'jobs';

/** Where a pool has its page; of its objects, those in a folder. */
export function poolHref(pool: { readonly id: string }, tab: PoolTab = 'bots', prefix = ''): string {
  const query = new URLSearchParams({
    id: pool.id,
    ...(tab === 'bots' ? {} : { tab }),
    ...(prefix === '' ? {} : { prefix }),
  });
  return `/pools/view/?${query.toString()}`;
}

/** Where the playground is for a session; with a method it begins with that one. */
export function playgroundHref(session: { readonly id: string }, method?: string): string {
  const query = new URLSearchParams({ session: session.id, ...(method === undefined ? {} : { method }) });
  return `/playground/?${query.toString()}`;
}
