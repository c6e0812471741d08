import { queryOptions } from '@tanstack/react-query';
import { fetchClient } from '@/lib/api';
import type { SessionRef } from '@/lib/td';
import type { Subscription } from '@/lib/types';

/** So many sessions are asked for their subscriptions: there is no list of all, and each is a request. */
export const WATCHED = 50;
const REFRESH_MS = 15_000;

/** The subscriptions of one of many sessions, asked for slowly. */
export function subscriptionsQuery({ kind, id }: SessionRef) {
  return queryOptions({
    // The second part is the path, by which everything that was loaded is found again after a change.
    queryKey: ['get', '/v1/{kind}/{id}/updates/subscriptions', { kind, id }, 'of many'],
    refetchInterval: REFRESH_MS,
    queryFn: async ({ signal }): Promise<readonly Subscription[]> => {
      const { data } = await fetchClient.GET('/v1/{kind}/{id}/updates/subscriptions', {
        params: { path: { kind, id } },
        signal,
      });
      return data?.result ?? [];
    },
  });
}
