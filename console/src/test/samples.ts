import type {
  App,
  Cooldown,
  Delivery,
  LimitRule,
  Pool,
  PoolBotStatus,
  PoolStatus,
  Proxy,
  SessionSummary,
  StoredObject,
  Subscription,
  Token,
  Worker,
} from '@/lib/types';

/** A ready bot, with what a test changes about it. */
export function aSession(changes: Partial<SessionSummary> = {}): SessionSummary {
  return {
    id: '6f1c2f8e-0000-4000-8000-000000000001',
    kind: 'bot',
    status: 'authorized',
    since: '2026-11-30T09:00:00.000Z',
    health: 'ok',
    health_since: '2026-11-30T09:00:00.000Z',
    created_at: '2026-11-29T09:00:00.000Z',
    app_id: 'app-1',
    app_label: 'acme',
    label: 'support-bot',
    username: 'acme_support_bot',
    worker_id: 'host-a',
    frozen: false,
    spam_limited: false,
    ...changes,
  };
}

/** A user account that waits for its code. */
export function aLogin(changes: Partial<SessionSummary> = {}): SessionSummary {
  const { username: _, ...rest } = aSession({
    id: '6f1c2f8e-0000-4000-8000-000000000002',
    kind: 'user',
    status: 'awaiting_code',
    label: 'ops',
    phone: '15550142',
  });
  return { ...rest, ...changes };
}

/** A registered app. */
export const anApp: App = { id: 'app-1', api_id: 12345, label: 'acme', created_at: '2026-11-29T09:00:00.000Z' };

/** A registered proxy. */
export const aProxy: Proxy = {
  id: 'proxy-1',
  type: 'socks5',
  host: '10.0.0.5',
  port: 1080,
  username: 'fra',
  label: 'Frankfurt',
  created_at: '2026-11-29T09:00:00.000Z',
};

/** A worker that is alive. */
export const aWorker: Worker = {
  id: 'host-a',
  addr: '10.0.0.1:8080',
  alive: true,
  started_at: '2026-11-29T09:00:00.000Z',
  last_seen_at: '2026-11-30T09:00:00.000Z',
  lease_age_ms: 400,
  draining: false,
  sessions: 3,
  capacity: 200,
  version: '0.1.0',
  memory_bytes: 268_435_456,
  memory_limit: 0,
  load: 0.25,
};

/** A token for an app and a session. */
export const aToken: Token = {
  id: 'token-1',
  name: 'billing service',
  prefix: 'tgc_abcd',
  enabled: true,
  all_sessions: false,
  app_ids: [anApp.id],
  session_ids: [aSession().id],
  classes: ['read', 'send', 'manage'],
  pool_ids: [],
  pool_access: 'read',
  created_at: '2026-11-29T09:00:00.000Z',
};

/** A webhook that works, with what a test changes about it. */
export function aSubscription(changes: Partial<Subscription> = {}): Subscription {
  return {
    id: '6f1c2f8e-0000-4000-8000-00000000000a',
    kind: 'webhook',
    url: 'https://example.com/hook',
    filters: {},
    order: 'none',
    max_connections: 40,
    enabled: true,
    state: 'active',
    pending: 0,
    failed: 0,
    dropped: 0,
    delivered: 12,
    success_rate: 1,
    created_at: '2026-11-29T09:00:00.000Z',
    ...changes,
  };
}

/** A delivery that arrived at once. */
export function aDelivery(changes: Partial<Delivery> = {}): Delivery {
  return {
    id: '6f1c2f8e-0000-4000-8000-00000000000b',
    status: 'delivered',
    type: 'updateNewMessage',
    chat_id: -100,
    at: '2026-11-30T10:00:00.000Z',
    attempts: 1,
    decided_at: '2026-11-30T10:00:00.100Z',
    last_attempt: { attempt: 1, at: '2026-11-30T10:00:00.010Z', duration_ms: 12, status: 200, answer: 'thanks' },
    ...changes,
  };
}

/** What Telegram closed a minute ago, for five. */
export function aCooldown(changes: Partial<Cooldown> = {}): Cooldown {
  return {
    scope: '@send',
    started_at: new Date(Date.now() - 60_000).toISOString(),
    until: new Date(Date.now() + 240_000).toISOString(),
    retry_after: 240,
    reason: 'Too Many Requests: retry after 300',
    ...changes,
  };
}

/** A rule for every user account, with what a test changes about it. */
export function aRule(changes: Partial<LimitRule> = {}): LimitRule {
  return {
    id: '6f1c2f8e-0000-4000-8000-00000000000c',
    level: 'session',
    kind: 'user',
    methods: ['@send'],
    max: 200,
    per: 'day',
    timezone: 'Europe/Berlin',
    enabled: true,
    usage: { used: 50, window_end: '2999-01-01T00:00:00.000Z' },
    created_at: '2026-11-29T09:00:00.000Z',
    ...changes,
  };
}

/** A pool of one bot, with what a test changes about it. */
export function aPool(changes: Partial<Pool> = {}): Pool {
  return {
    id: '6f1c2f8e-0000-4000-8000-00000000000d',
    name: 'store',
    chat_ids: [-1001234567890],
    chunk_size: 64 * 1_024 * 1_024,
    budget: { max: 20, window_s: 60, gap_ms: 1_000 },
    paused: false,
    worker: aWorker.id,
    objects: 2,
    bytes: 3 * 1_024 * 1_024,
    bots: [{ session_id: aSession().id, state: 'active' }],
    created_at: '2026-11-29T09:00:00.000Z',
    ...changes,
  };
}

/** A bot of a pool that has nothing to do. */
export function aPoolBot(changes: Partial<PoolBotStatus> = {}): PoolBotStatus {
  return {
    session_id: aSession().id,
    state: 'idle',
    budget: { used: 3, of: 20, window_s: 60 },
    counters: { ok: 12, rate: 0, transient: 0, fault: 0, bytes: 1_024 },
    ...changes,
  };
}

/** A small object, with what a test changes about it. */
export function anObject(changes: Partial<StoredObject> = {}): StoredObject {
  return {
    key: 'images/1.tar',
    version: 'v1',
    size: 2_048,
    etag: '900150983cd24fb0d6963f7d28e17f72',
    sha256: 'ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad',
    content_type: 'application/x-tar',
    metadata: {},
    created_at: '2026-11-30T09:00:00.000Z',
    ...changes,
  };
}

/** What a pool does at rest. */
export function aPoolStatus(changes: Partial<PoolStatus> = {}): PoolStatus {
  return { state: 'ok', backlog: { parts: 0, bytes: 0, oldest_s: 0 }, bots: [aPoolBot()], ...changes };
}
