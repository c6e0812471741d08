import { existsSync } from 'node:fs';
import { hostname, networkInterfaces, totalmem } from 'node:os';
import { join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { validateSync } from 'class-validator';
import { ConfigError } from './config-error.js';
import { Env, parseCidrList, parseHostList, parseListenAddress, type Role } from './env.js';
import { type ProxySettings, parseProxyUrl } from './proxy-settings.js';
import { parseStoreLocation, type StoreSettings } from './store-location.js';
import { parseDurationMs, parseSizeBytes } from './units.js';

/** What only this installation may know. Which of them a process has depends on its role. */
export interface Secrets {
  /** The master token of the public API; never on a worker. */
  readonly apiToken?: string;
  /** Authenticates gateways and workers to each other. */
  readonly clusterToken?: string;
  /** 32 bytes; never on a gateway. */
  readonly masterKey?: Buffer;
}

interface Settings {
  readonly role: Role;
  readonly listen: { readonly host: string; readonly port: number };
  readonly metricsListen: { readonly host: string; readonly port: number } | undefined;
  readonly s3: {
    /** Undefined: there is no S3 endpoint. */
    readonly listen: { readonly host: string; readonly port: number } | undefined;
    /** The names below which the first part of a host is a bucket. */
    readonly domains: readonly string[];
  };
  readonly databaseUrl: string | undefined;
  /** How long a start waits for a database that is away. */
  readonly databaseWaitMs: number;
  readonly dataDir: string;
  /** Where workers without a shared disk keep the states of their sessions. */
  readonly states: {
    readonly store: StoreSettings | undefined;
    /** How often a session that goes on is saved, if something has changed. */
    readonly saveEveryMs: number;
  };
  /** Where backups of everything are, and the word that a copy has taken the place of this installation. */
  readonly backups: {
    readonly store: StoreSettings | undefined;
    /** 32 bytes: backups are encrypted with it, not with MASTER_KEY, which is in them. */
    readonly key: Buffer | undefined;
    readonly fenceEveryMs: number;
  };
  readonly uploads: {
    readonly dir: string;
    readonly ttlMs: number;
    readonly maxSingleShotBytes: number;
    readonly maxChunkBytes: number;
    readonly maxBytes: number;
    /** What all uploads may take together, and those of one token. */
    readonly quotaBytes: number;
    readonly quotaPerTokenBytes: number;
    /** What uploads must leave free on their disk. */
    readonly minFreeBytes: number;
  };
  /** How long a download may stand still before it is given up. */
  readonly downloadStallMs: number;
  /** What a session's downloaded files may take before the oldest are removed. */
  readonly storage: {
    readonly maxBytes: number;
    /** Files that nobody has used for so long are removed. */
    readonly ttlMs: number;
    /** Files that were used within this time stay, however many they are. */
    readonly immunityMs: number;
  };
  readonly sendTtlMs: number;
  /** How long what was done, and what was refused, is kept in the audit log. */
  readonly auditTtlMs: number;
  /** How fast a user account writes; 0 for as fast as it is asked to. Who would wait for longer is refused. */
  readonly pace: { readonly perSecond: number; readonly maxWaitMs: number };
  /** How long it is kept what Telegram has refused for being too often. */
  readonly floodTtlMs: number;
  readonly secrets: Secrets;
  readonly worker: {
    readonly id: string;
    readonly advertise: string;
    readonly capacity: number;
    /** Resident memory above which it opens no more sessions, in bytes. */
    readonly memoryBytes: number;
    /** How many bots it lets log in anew by themselves, a second. */
    readonly loginsPerSecond: number;
    readonly heartbeatMs: number;
    readonly leaseMs: number;
  };
  readonly telegram: {
    readonly libraryPath: string | undefined;
    readonly testDc: boolean;
    readonly proxyOnly: 'true' | 'false' | 'auto';
    readonly defaultProxy: ProxySettings | undefined;
    /** How long an authorized session may hear nothing before it is looked at. */
    readonly deafAfterMs: number;
  };
  readonly trustedProxies: readonly string[];
  /** Networks that webhooks may reach although they are not public. */
  readonly webhookNetworks: readonly string[];
  readonly authFailuresPerMinute: number;
  /** How many streams and waiting requests a process holds open at once. */
  readonly heldRequests: {
    readonly perToken: number;
    /** Of all scoped tokens that come from there. */
    readonly perAddress: number;
  };
  readonly console: { readonly dir: string | undefined };
  readonly log: { readonly level: Env['LOG_LEVEL'] };
  readonly warnings: readonly string[];
}

/** Values that stand in examples and so are known to everybody. */
const EXAMPLE_VALUE = /^(change[-_]?me|replace[-_]?me|your[-_]|example|secret$|password$|placeholder|<)/i;
const EXAMPLE_KEYS = new Set([
  Buffer.alloc(32).toString('base64'),
  Buffer.from('0123456789abcdef0123456789abcdef').toString('base64'),
]);
const SECRET_NAMES = ['API_TOKEN', 'CLUSTER_TOKEN', 'MASTER_KEY', 'BACKUP_KEY'] as const;

/** Which secrets a process of a split role cannot do without; `all` generates what is missing. */
const NEEDED: Readonly<Record<Role, readonly (typeof SECRET_NAMES)[number][]>> = {
  gateway: ['API_TOKEN', 'CLUSTER_TOKEN'],
  worker: ['MASTER_KEY', 'CLUSTER_TOKEN'],
  all: [],
};

function readEnv(source: NodeJS.ProcessEnv): { env: Env; mistakes: string[] } {
  const env = new Env();
  const given = env as unknown as Record<string, unknown>;
  const known = [...Object.keys(env), ...OPTIONAL_NAMES];
  for (const name of known) {
    const text = source[name]?.trim();
    if (text === undefined || text === '') continue;
    given[name] = typeof given[name] === 'number' ? Number(text) : text;
  }
  // One line a variable: class-validator lists the rule that was written first last.
  const mistakes = validateSync(env).flatMap((error) => Object.values(error.constraints ?? {}).slice(-1));
  // What the other checks go by; `all` needs nothing.
  if (!Object.hasOwn(NEEDED, env.ROLE)) env.ROLE = 'all';
  return { env, mistakes };
}

/** The variables of {@link Env} that have no default, and so do not exist on a new instance. */
const OPTIONAL_NAMES = [
  'DATABASE_URL',
  'API_TOKEN',
  'CLUSTER_TOKEN',
  'MASTER_KEY',
  'LISTEN_ADDR',
  'METRICS_LISTEN_ADDR',
  'STATE_STORE',
  'STATE_STORE_ACCESS_KEY_ID',
  'STATE_STORE_SECRET_ACCESS_KEY',
  'BACKUP_STORE',
  'BACKUP_STORE_ACCESS_KEY_ID',
  'BACKUP_STORE_SECRET_ACCESS_KEY',
  'BACKUP_KEY',
  'S3_LISTEN_ADDR',
  'S3_DOMAINS',
  'TRUSTED_PROXIES',
  'WEBHOOK_ALLOW_NETWORKS',
  'UPLOADS_DIR',
  'WORKER_ID',
  'WORKER_ADVERTISE',
  'WORKER_MEMORY',
  'TDLIB_PATH',
  'DEFAULT_PROXY',
  'CONSOLE_DIR',
] as const satisfies readonly (keyof Env)[];

/** Every variable that is read; `.env.example` is checked against it. */
export const VARIABLES: readonly string[] = [...Object.keys(new Env()), ...OPTIONAL_NAMES].sort();

function outboundHost(): string {
  const external = Object.values(networkInterfaces())
    .flatMap((addresses) => addresses ?? [])
    .filter((address) => !address.internal && !address.address.startsWith('fe80'));
  return (external.find(({ family }) => family === 'IPv4') ?? external[0])?.address ?? '127.0.0.1';
}

function advertised(listen: { host: string; port: number }): string {
  const host = listen.host === '0.0.0.0' || listen.host === '::' ? outboundHost() : listen.host;
  return `http://${host.includes(':') ? `[${host}]` : host}:${listen.port}`;
}

/** Of what the container or the machine has: a process that takes all is killed, with every session in it. */
function mostOfMemory(): number {
  // 0, or more than there is, without a limit.
  const limit = process.constrainedMemory();
  return Math.floor(0.85 * (limit > 0 ? Math.min(limit, totalmem()) : totalmem()));
}

/** `console/out` beside the backend, where `npm run build` puts the console. */
function builtConsole(): string | undefined {
  const dir = fileURLToPath(new URL('../../../console/out', import.meta.url));
  return existsSync(join(dir, 'index.html')) ? dir : undefined;
}

function secretMistakes(env: Env): string[] {
  const missing = NEEDED[env.ROLE].filter((name) => env[name] === undefined);
  const known = SECRET_NAMES.filter((name) => EXAMPLE_VALUE.test(env[name] ?? '') || EXAMPLE_KEYS.has(env[name] ?? ''));
  return [
    ...missing.map((name) => `${name} is required with ROLE=${env.ROLE}`),
    ...known.map((name) => `${name} is a value from the documentation: make your own (openssl rand -base64 32)`),
  ];
}

/** Keys of a store are given both or not at all. */
function storeMistakes(env: Env): string[] {
  return (['STATE_STORE', 'BACKUP_STORE'] as const)
    .map((name) => [`${name}_ACCESS_KEY_ID`, `${name}_SECRET_ACCESS_KEY`] as const)
    .filter(([id, secret]) => (env[id] === undefined) !== (env[secret] === undefined))
    .map(([id, secret]) => `${id} and ${secret} belong together: give both or none`);
}

function storeOf(
  url: string | undefined,
  id: string | undefined,
  secret: string | undefined,
): StoreSettings | undefined {
  const location = url === undefined ? undefined : parseStoreLocation(url);
  const credentials =
    id === undefined || secret === undefined ? undefined : { accessKeyId: id, secretAccessKey: secret };
  return location && { location, credentials };
}

/** What this process was told to do. Immutable; made once from the environment and injected everywhere. */
export class AppConfig implements Settings {
  readonly role!: Settings['role'];
  readonly listen!: Settings['listen'];
  readonly metricsListen!: Settings['metricsListen'];
  readonly s3!: Settings['s3'];
  readonly databaseUrl!: Settings['databaseUrl'];
  readonly databaseWaitMs!: Settings['databaseWaitMs'];
  readonly dataDir!: Settings['dataDir'];
  readonly states!: Settings['states'];
  readonly backups!: Settings['backups'];
  readonly uploads!: Settings['uploads'];
  readonly downloadStallMs!: Settings['downloadStallMs'];
  readonly storage!: Settings['storage'];
  readonly sendTtlMs!: Settings['sendTtlMs'];
  readonly auditTtlMs!: Settings['auditTtlMs'];
  readonly pace!: Settings['pace'];
  readonly floodTtlMs!: Settings['floodTtlMs'];
  readonly secrets!: Settings['secrets'];
  readonly worker!: Settings['worker'];
  readonly telegram!: Settings['telegram'];
  readonly trustedProxies!: Settings['trustedProxies'];
  readonly webhookNetworks!: Settings['webhookNetworks'];
  readonly authFailuresPerMinute!: Settings['authFailuresPerMinute'];
  readonly heldRequests!: Settings['heldRequests'];
  readonly console!: Settings['console'];
  readonly log!: Settings['log'];
  /** What the operator should hear about although it is no mistake. */
  readonly warnings!: Settings['warnings'];

  private constructor(settings: Settings) {
    Object.assign(this, settings);
    Object.freeze(this);
  }

  /** @throws ConfigError naming every variable that is wrong, so that one start shows all mistakes */
  static fromEnv(source: NodeJS.ProcessEnv): AppConfig {
    const { env, mistakes } = readEnv(source);
    mistakes.push(...secretMistakes(env), ...storeMistakes(env));
    if (env.ROLE !== 'all' && env.DATABASE_URL === undefined) {
      mistakes.push(`DATABASE_URL is required with ROLE=${env.ROLE}`);
    }
    const listenText = env.LISTEN_ADDR ?? (env.ROLE === 'all' ? '127.0.0.1:8080' : ':8080');
    const listen = parseListenAddress(listenText);
    if (mistakes.length > 0 || listen === undefined) throw new ConfigError(mistakes);

    const isGateway = env.ROLE !== 'worker';
    const isWorker = env.ROLE !== 'gateway';
    const ignored = isWorker ? (isGateway ? undefined : 'API_TOKEN') : 'MASTER_KEY';
    const dataDir = resolve(env.DATA_DIR);
    return new AppConfig({
      role: env.ROLE,
      listen,
      metricsListen: env.METRICS_LISTEN_ADDR === undefined ? undefined : parseListenAddress(env.METRICS_LISTEN_ADDR),
      s3: {
        listen: env.S3_LISTEN_ADDR === undefined ? undefined : parseListenAddress(env.S3_LISTEN_ADDR),
        domains: parseHostList(env.S3_DOMAINS ?? '') ?? [],
      },
      databaseUrl: env.DATABASE_URL,
      databaseWaitMs: parseDurationMs(env.DATABASE_WAIT) ?? 0,
      dataDir,
      states: {
        store: storeOf(env.STATE_STORE, env.STATE_STORE_ACCESS_KEY_ID, env.STATE_STORE_SECRET_ACCESS_KEY),
        saveEveryMs: parseDurationMs(env.STATE_SAVE_EVERY) ?? 0,
      },
      backups: {
        store: storeOf(env.BACKUP_STORE, env.BACKUP_STORE_ACCESS_KEY_ID, env.BACKUP_STORE_SECRET_ACCESS_KEY),
        key: env.BACKUP_KEY === undefined ? undefined : Buffer.from(env.BACKUP_KEY, 'base64'),
        fenceEveryMs: parseDurationMs(env.BACKUP_FENCE_EVERY) ?? 0,
      },
      uploads: {
        dir: env.UPLOADS_DIR === undefined ? join(dataDir, 'uploads') : resolve(env.UPLOADS_DIR),
        ttlMs: parseDurationMs(env.UPLOAD_TTL) ?? 0,
        maxSingleShotBytes: parseSizeBytes(env.MAX_SINGLE_SHOT_BYTES) ?? 0,
        maxChunkBytes: parseSizeBytes(env.MAX_CHUNK_BYTES) ?? 0,
        maxBytes: parseSizeBytes(env.MAX_UPLOAD_BYTES) ?? 0,
        quotaBytes: parseSizeBytes(env.UPLOAD_QUOTA) ?? 0,
        quotaPerTokenBytes: parseSizeBytes(env.UPLOAD_QUOTA_PER_TOKEN) ?? 0,
        minFreeBytes: parseSizeBytes(env.MIN_FREE_DISK) ?? 0,
      },
      downloadStallMs: parseDurationMs(env.DOWNLOAD_STALL_TIMEOUT) ?? 0,
      storage: {
        maxBytes: parseSizeBytes(env.STORAGE_MAX_SIZE) ?? 0,
        ttlMs: parseDurationMs(env.STORAGE_TTL) ?? 0,
        immunityMs: parseDurationMs(env.STORAGE_IMMUNITY) ?? 0,
      },
      sendTtlMs: parseDurationMs(env.SEND_TTL) ?? 0,
      auditTtlMs: parseDurationMs(env.AUDIT_TTL) ?? 0,
      pace: { perSecond: env.PACE_PER_SECOND, maxWaitMs: parseDurationMs(env.PACE_MAX_WAIT) ?? 0 },
      floodTtlMs: parseDurationMs(env.FLOOD_TTL) ?? 0,
      secrets: {
        ...(isGateway && env.API_TOKEN !== undefined && { apiToken: env.API_TOKEN }),
        ...(env.CLUSTER_TOKEN !== undefined && { clusterToken: env.CLUSTER_TOKEN }),
        ...(isWorker && env.MASTER_KEY !== undefined && { masterKey: Buffer.from(env.MASTER_KEY, 'base64') }),
      },
      worker: {
        id: env.WORKER_ID ?? `${hostname()}-${listen.port}`,
        advertise: (env.WORKER_ADVERTISE ?? advertised(listen)).replace(/\/+$/, ''),
        capacity: env.WORKER_CAPACITY,
        memoryBytes: parseSizeBytes(env.WORKER_MEMORY ?? '') ?? mostOfMemory(),
        loginsPerSecond: env.LOGINS_PER_SECOND,
        heartbeatMs: 1000,
        leaseMs: 5000,
      },
      telegram: {
        libraryPath: env.TDLIB_PATH === undefined ? undefined : resolve(env.TDLIB_PATH),
        testDc: env.TELEGRAM_TEST_DC === 'true',
        proxyOnly: env.TDLIB_PROXY_ONLY,
        defaultProxy: env.DEFAULT_PROXY === undefined ? undefined : parseProxyUrl(env.DEFAULT_PROXY),
        deafAfterMs: parseDurationMs(env.DEAF_AFTER) ?? 0,
      },
      trustedProxies: parseCidrList(env.TRUSTED_PROXIES ?? '') ?? [],
      webhookNetworks: parseCidrList(env.WEBHOOK_ALLOW_NETWORKS ?? '') ?? [],
      authFailuresPerMinute: env.AUTH_FAILURES_PER_MINUTE,
      heldRequests: { perToken: env.HELD_REQUESTS_PER_TOKEN, perAddress: env.HELD_REQUESTS_PER_ADDRESS },
      console: { dir: env.CONSOLE_DIR === undefined ? builtConsole() : resolve(env.CONSOLE_DIR) },
      log: { level: env.LOG_LEVEL },
      warnings:
        ignored !== undefined && env[ignored] !== undefined ? [`${ignored} is ignored with ROLE=${env.ROLE}`] : [],
    });
  }

  /** Whether this process answers the public API. */
  get isGateway(): boolean {
    return this.role !== 'worker';
  }

  /** Whether this process holds sessions. */
  get isWorker(): boolean {
    return this.role !== 'gateway';
  }

  /** The same configuration with what was found out at start: the embedded database, the generated secrets, the real port. */
  with(found: Partial<Pick<Settings, 'databaseUrl' | 'secrets' | 'listen'>>): AppConfig {
    return new AppConfig({ ...(this as Settings), ...found });
  }
}
