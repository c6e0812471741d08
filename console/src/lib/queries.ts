import { useQueryClient } from '@tanstack/react-query';
import { $api } from './api';
import { REFRESH_MS } from './query-client';
import type { SessionKind, SessionSummary } from './types';

/** A dead worker's lease ends after 5 s; with this it is seen within 8. */
const WORKERS_REFRESH_MS = 2_000;
const LIMITS_REFRESH_MS = 2_000;
/** It asks every worker, and changes slowly. */
const STORAGE_REFRESH_MS = 15_000;

/** Every session of the registry, newest answer kept while the next is fetched. */
export function useSessions() {
  return $api.useQuery('get', '/v1/sessions', {}, { select: ({ result }) => result, refetchInterval: REFRESH_MS });
}

/** Registered Telegram apps; they change rarely, so they are not polled. */
export function useApps() {
  return $api.useQuery('get', '/v1/apps', {}, { select: ({ result }) => result, staleTime: 15_000 });
}

/** Registered proxies; they change rarely, so they are not polled. */
export function useProxies() {
  return $api.useQuery('get', '/v1/proxies', {}, { select: ({ result }) => result, staleTime: 15_000 });
}

/** Workers with their load, polled so that a dead one is seen within its lease. */
export function useWorkers() {
  return $api.useQuery(
    'get',
    '/v1/workers',
    {},
    { select: ({ result }) => result, refetchInterval: WORKERS_REFRESH_MS },
  );
}

/** One session, asked of the worker that owns it. */
export function useSession(kind: SessionKind, id: string, refetchInterval: number | false = REFRESH_MS) {
  return $api.useQuery(
    'get',
    '/v1/{kind}/{id}',
    { params: { path: { kind, id } } },
    { select: ({ result }) => result, refetchInterval },
  );
}

/** Every method of the td_api that the server has; it changes with the server's version only. */
export function useTdMethods() {
  return $api.useQuery('get', '/v1/td/methods', {}, { select: ({ result }) => result, staleTime: Infinity });
}

/** Every type of that td_api. */
export function useTdTypes() {
  return $api.useQuery('get', '/v1/td/types', {}, { select: ({ result }) => result, staleTime: Infinity });
}

/** Scoped tokens; polled slowly, for their last use. */
export function useTokens() {
  return $api.useQuery('get', '/v1/tokens', {}, { select: ({ result }) => result, refetchInterval: 15_000 });
}

/** What a session takes on the disk of its worker; by kind of file only when asked, which looks at every file. */
export function useSessionStorage(
  { kind, id }: Pick<SessionSummary, 'kind' | 'id'>,
  { byType, isEnabled }: { byType: boolean; isEnabled: boolean },
) {
  return $api.useQuery(
    'get',
    '/v1/{kind}/{id}/storage',
    { params: { path: { kind, id }, query: byType ? { by_type: '1' } : {} } },
    { select: ({ result }) => result, enabled: isEnabled, staleTime: 10_000, placeholderData: (before) => before },
  );
}

/** What uploads and sessions take on every disk. */
export function useStorage() {
  return $api.useQuery(
    'get',
    '/v1/storage',
    {},
    { select: ({ result }) => result, refetchInterval: STORAGE_REFRESH_MS },
  );
}

/** The uploads that the server has, newest first, also those of programs. */
export function useServerUploads() {
  return $api.useQuery('get', '/v1/files', {}, { select: ({ result }) => result, refetchInterval: REFRESH_MS });
}

/** The subscriptions of a session, oldest first. */
export function useSubscriptions({ kind, id }: Pick<SessionSummary, 'kind' | 'id'>) {
  return $api.useQuery(
    'get',
    '/v1/{kind}/{id}/updates/subscriptions',
    { params: { path: { kind, id } } },
    { select: ({ result }) => result, refetchInterval: REFRESH_MS },
  );
}

/** What keeps a session back now. Its queue and its cooldowns change by the second. */
export function useSessionLimits({ kind, id }: Pick<SessionSummary, 'kind' | 'id'>) {
  return $api.useQuery(
    'get',
    '/v1/{kind}/{id}/limits',
    { params: { path: { kind, id } } },
    { select: ({ result }) => result, refetchInterval: LIMITS_REFRESH_MS },
  );
}

/** Every rule of how much may be done how often, oldest first, with the use of the session that has used most. */
export function useLimitRules() {
  return $api.useQuery('get', '/v1/limits', {}, { select: ({ result }) => result, refetchInterval: 10_000 });
}

/** The subscriptions of all sessions, oldest first. */
export function useAllSubscriptions() {
  return $api.useQuery(
    'get',
    '/v1/subscriptions',
    {},
    { select: ({ result }) => result, refetchInterval: STORAGE_REFRESH_MS },
  );
}

/** Every pool of bots, oldest first. */
export function usePools() {
  return $api.useQuery('get', '/v1/pools', {}, { select: ({ result }) => result, refetchInterval: REFRESH_MS });
}

/** The last jobs of a pool, newest first; one that runs is looked at by the second. */
export function usePoolJobs(pool: string) {
  return $api.useQuery(
    'get',
    '/v1/pools/{pool}/jobs',
    { params: { path: { pool } } },
    {
      select: ({ result }) => result,
      refetchInterval: ({ state: { data } }) =>
        data?.result.some(({ state }) => state === 'waiting' || state === 'running') === true
          ? LIMITS_REFRESH_MS
          : REFRESH_MS,
    },
  );
}

/** What a pool and its bots do; a bot that uploads, or rests, changes by the second. */
export function usePoolStatus(pool: string, refetchInterval = LIMITS_REFRESH_MS) {
  return $api.useQuery(
    'get',
    '/v1/pools/{pool}/status',
    { params: { path: { pool } } },
    { select: ({ result }) => result, refetchInterval },
  );
}

/** What to call after a change, so that every view of the thing shows it. */
export function useRefresh() {
  const client = useQueryClient();
  const refresh = (path: string) =>
    client.invalidateQueries({ predicate: ({ queryKey }) => typeof queryKey[1] === 'string' && queryKey[1] === path });
  return {
    sessions: async (): Promise<void> => {
      await Promise.all([refresh('/v1/sessions'), refresh('/v1/{kind}/{id}')]);
    },
    apps: () => refresh('/v1/apps'),
    proxies: () => refresh('/v1/proxies'),
    workers: () => refresh('/v1/workers'),
    tokens: () => refresh('/v1/tokens'),
    uploads: () => refresh('/v1/files'),
    subscriptions: async (): Promise<void> => {
      await Promise.all([
        refresh('/v1/subscriptions'),
        ...['', '/{sub}', '/{sub}/deliveries', '/{sub}/deliveries/{delivery}'].map((rest) =>
          refresh(`/v1/{kind}/{id}/updates/subscriptions${rest}`),
        ),
      ]);
    },
    storage: async (): Promise<void> => {
      await Promise.all([refresh('/v1/storage'), refresh('/v1/{kind}/{id}/storage')]);
    },
    limits: async (): Promise<void> => {
      await Promise.all([refresh('/v1/limits'), refresh('/v1/{kind}/{id}/limits'), refresh('/v1/{kind}/{id}')]);
    },
    pools: async (): Promise<void> => {
      await Promise.all([refresh('/v1/pools'), refresh('/v1/pools/{pool}/status')]);
    },
    poolLinks: () => refresh('/v1/pools/{pool}/links'),
    poolJobs: () => refresh('/v1/pools/{pool}/jobs'),
    objects: async (): Promise<void> => {
      await Promise.all([refresh('/v1/pools'), refresh('/v1/pools/{pool}/objects')]);
    },
    accessKeys: () => refresh('/v1/tokens/{id}/s3-keys'),
    sends: () => refresh('/v1/{kind}/{id}/sends'),
  };
}
