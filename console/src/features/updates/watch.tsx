import { $api } from '@/lib/api';
import { useRefresh } from '@/lib/queries';
import type { SessionRef } from '@/lib/td';
import type { Subscription } from '@/lib/types';
import { wantsAll } from './explain';

/** True for a stream that keeps every update for whoever holds the master token, as the console makes it. */
export function isWatch({ kind, filters, token_id: token }: Subscription): boolean {
  return kind === 'stream' && token === undefined && wantsAll(filters);
}

/** Makes and removes the stream by which the console sees the updates of a session. */
export function useWatch() {
  const refresh = useRefresh();
  const create = $api.useMutation('post', '/v1/{kind}/{id}/updates/subscriptions');
  const remove = $api.useMutation('delete', '/v1/{kind}/{id}/updates/subscriptions/{sub}');
  return {
    isPending: create.isPending || remove.isPending,
    error: create.error ?? remove.error,
    begin: async ({ kind, id }: SessionRef): Promise<void> => {
      await create.mutateAsync({ params: { path: { kind, id } }, body: { kind: 'stream' } }).catch(() => undefined);
      await refresh.subscriptions();
    },
    end: async ({ kind, id }: SessionRef, sub: string): Promise<void> => {
      await remove.mutateAsync({ params: { path: { kind, id, sub } } }).catch(() => undefined);
      await refresh.subscriptions();
    },
  };
}
