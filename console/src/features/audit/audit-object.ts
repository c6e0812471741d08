import { sessionHref, subscriptionHref } from '@/lib/overlays';
import type { AuditEvent } from '@/lib/types';

/** Pages that list the things of a type. */
const LISTS: Readonly<Record<string, string>> = {
  app: '/apps/',
  proxy: '/proxies/',
  token: '/tokens/',
  limit: '/limits/',
  file: '/files/',
  worker: '/workers/',
};

/** Where the object of an event is seen; undefined when the console has no page for it. */
export function objectHref({ object_type, object_id, session_id }: AuditEvent): string | undefined {
  if (object_type === 'session') return object_id === undefined ? undefined : sessionHref({ id: object_id });
  if (session_id !== undefined) {
    if (object_type === 'subscription' && object_id !== undefined) {
      return subscriptionHref({ id: session_id }, object_id);
    }
    return sessionHref({ id: session_id }, object_type === 'cooldown' ? 'limits' : 'summary');
  }
  return object_type === undefined ? undefined : LISTS[object_type];
}

/** The name of an operation in words: "create token". */
export function actionWords(action: string): string {
  return action.replace(/([a-z])([A-Z])/g, '$1 $2').toLowerCase();
}
