import { MutationCache, QueryCache, QueryClient } from '@tanstack/react-query';
import { ApiError } from './api-error';
import { endConsoleSession } from './console-session';

/** How often lists and states are asked again while the page is visible. */
export const REFRESH_MS = 4_000;

/**
 * One cache per page load. A 401 of our own server anywhere ends the console session once, with its reason, instead of
 * leaving every panel to show the same failure.
 */
export function createQueryClient(): QueryClient {
  const noticeSignOut = (thrown: unknown): void => {
    if (thrown instanceof ApiError && thrown.endsConsoleSession) endConsoleSession(client, 'expired');
  };
  const client: QueryClient = new QueryClient({
    queryCache: new QueryCache({ onError: noticeSignOut }),
    mutationCache: new MutationCache({ onError: noticeSignOut }),
    defaultOptions: {
      queries: {
        staleTime: 1_000,
        // The lists are polled anyway; one quick retry hides a flap without hiding an outage.
        retry: (failures, thrown) => failures < 1 && (!(thrown instanceof ApiError) || thrown.status >= 500),
        retryDelay: 500,
        networkMode: 'always',
      },
      mutations: { retry: false, networkMode: 'always' },
    },
  });
  return client;
}
