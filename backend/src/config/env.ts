import {
  IsIn,
  IsInt,
  IsNumber,
  IsOptional,
  Matches,
  Max,
  Min,
  ValidateBy,
  type ValidationOptions,
} from 'class-validator';
import { parseProxyUrl } from './proxy-settings.js';
import { parseStoreLocation } from './store-location.js';
import { parseDurationMs, parseSizeBytes } from './units.js';

/** What a process does: answer the public API, hold sessions, or both. */
export type Role = 'gateway' | 'worker' | 'all';

function rule(name: string, validate: (value: string) => boolean, message: string): PropertyDecorator {
  const options: ValidationOptions = { message: `$property ${message}` };
  return ValidateBy(
    { name, validator: { validate: (value) => typeof value === 'string' && validate(value) } },
    options,
  );
}

const IsDuration = (): PropertyDecorator =>
  rule('isDuration', (value) => (parseDurationMs(value) ?? 0) > 0, 'must be a duration such as 500ms, 30s, 2h or 7d');
const IsSize = (): PropertyDecorator =>
  rule('isSize', (value) => (parseSizeBytes(value) ?? 0) > 0, 'must be a size such as 1048576, 64MiB or 2GiB');
const IsProxyUrl = (): PropertyDecorator =>
  rule(
    'isProxyUrl',
    (value) => parseProxyUrl(value) !== undefined,
    'must be socks5://user:pass@host:port, http://user:pass@host:port or tg://proxy?server=…&port=…&secret=…',
  );
const IsListenAddress = (): PropertyDecorator =>
  rule('isListenAddress', (value) => parseListenAddress(value) !== undefined, 'must be host:port or :port');
const IsPostgresUrl = (): PropertyDecorator =>
  rule(
    'isPostgresUrl',
    (value) => URL.canParse(value) && /^postgres(ql)?:$/.test(new URL(value).protocol),
    'must be a URL such as postgresql://user:password@host:5432/database',
  );
const IsHttpUrl = (): PropertyDecorator =>
  rule('isHttpUrl', (value) => URL.canParse(value) && /^https?:$/.test(new URL(value).protocol), 'must be an http URL');
const IsStoreLocation = (): PropertyDecorator =>
  rule(
    'isStoreLocation',
    (value) => parseStoreLocation(value) !== undefined,
    'must be file:///folder or s3://bucket/prefix?endpoint=https://host&region=name',
  );
const IsMasterKey = (): PropertyDecorator =>
  rule(
    'isMasterKey',
    (value) => /^[A-Za-z0-9+/]{43}=$/.test(value),
    'must be base64 of exactly 32 bytes (openssl rand -base64 32)',
  );
const IsTokenText = (): PropertyDecorator =>
  rule(
    'isTokenText',
    (value) => /^[\x21-\x7e]{8,512}$/.test(value),
    'must be 8 to 512 printable characters without spaces',
  );
const IsHostList = (): PropertyDecorator =>
  rule('isHostList', (value) => parseHostList(value) !== undefined, 'must be a comma list of host names');
const IsCidrList = (): PropertyDecorator =>
  rule('isCidrList', (value) => parseCidrList(value) !== undefined, 'must be a comma list of addresses or CIDRs');

/** `host:port`, `[v6]:port` or `:port`, which listens everywhere; undefined when it is none. */
export function parseListenAddress(text: string): { readonly host: string; readonly port: number } | undefined {
  const match = /^(\[[0-9a-fA-F:.]+\]|[^:[\]]*):(\d{1,5})$/.exec(text);
  const port = Number(match?.[2]);
  if (!match || port > 65_535) return undefined;
  const host = (match[1] ?? '').replace(/^\[(.*)\]$/, '$1');
  return { host: host === '' ? '0.0.0.0' : host, port };
}

/** The entries of a comma list of addresses and CIDRs; undefined when one is neither. */
export function parseCidrList(text: string): readonly string[] | undefined {
  const entries = text
    .split(',')
    .map((entry) => entry.trim())
    .filter((entry) => entry !== '');
  return entries.every((entry) => /^[0-9a-fA-F:.]+(\/\d{1,3})?$/.test(entry)) ? entries : undefined;
}

/** The entries of a comma list of host names, in lower case; undefined when one is none. */
export function parseHostList(text: string): readonly string[] | undefined {
  const entries = text
    .split(',')
    .map((entry) => entry.trim().toLowerCase())
    .filter((entry) => entry !== '');
  const label = '[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?';
  return entries.every((entry) => new RegExp(`^${label}(\\.${label})*$`).test(entry)) ? entries : undefined;
}

/** The only place that knows the names of environment variables. An empty variable is an absent one. */
export class Env {
  @IsIn(['gateway', 'worker', 'all']) ROLE: Role = 'all';

  /** Absent with ROLE=all: an embedded PostgreSQL under DATA_DIR. */
  @IsOptional() @IsPostgresUrl() DATABASE_URL?: string;
  @IsDuration() DATABASE_WAIT = '60s';
  @IsOptional() @IsTokenText() API_TOKEN?: string;
  @IsOptional() @IsTokenText() CLUSTER_TOKEN?: string;
  @IsOptional() @IsMasterKey() MASTER_KEY?: string;

  @IsOptional() @IsListenAddress() LISTEN_ADDR?: string;
  @IsOptional() @IsListenAddress() METRICS_LISTEN_ADDR?: string;
  /** Absent: there is no S3 endpoint. */
  @IsOptional() @IsListenAddress() S3_LISTEN_ADDR?: string;
  @IsOptional() @IsHostList() S3_DOMAINS?: string;
  @IsOptional() @IsCidrList() TRUSTED_PROXIES?: string;
  @IsInt() @Min(1) @Max(100_000) AUTH_FAILURES_PER_MINUTE = 10;
  @IsInt() @Min(1) @Max(100_000) HELD_REQUESTS_PER_TOKEN = 100;
  @IsInt() @Min(1) @Max(100_000) HELD_REQUESTS_PER_ADDRESS = 300;
  @IsOptional() @IsCidrList() WEBHOOK_ALLOW_NETWORKS?: string;

  @Matches(/\S/) DATA_DIR = './data';
  /** Absent: workers share a volume, and nothing is copied. */
  @IsOptional() @IsStoreLocation() STATE_STORE?: string;
  @IsOptional() @Matches(/\S/) STATE_STORE_ACCESS_KEY_ID?: string;
  @IsOptional() @Matches(/\S/) STATE_STORE_SECRET_ACCESS_KEY?: string;
  @IsDuration() STATE_SAVE_EVERY = '5m';
  @IsOptional() @IsStoreLocation() BACKUP_STORE?: string;
  @IsOptional() @Matches(/\S/) BACKUP_STORE_ACCESS_KEY_ID?: string;
  @IsOptional() @Matches(/\S/) BACKUP_STORE_SECRET_ACCESS_KEY?: string;
  @IsOptional() @IsMasterKey() BACKUP_KEY?: string;
  @IsDuration() BACKUP_FENCE_EVERY = '30s';
  @IsOptional() @Matches(/\S/) UPLOADS_DIR?: string;
  @IsDuration() UPLOAD_TTL = '2h';
  @IsSize() MAX_SINGLE_SHOT_BYTES = '64MiB';
  @IsSize() MAX_CHUNK_BYTES = '16MiB';
  @IsSize() MAX_UPLOAD_BYTES = '2GiB';
  @IsSize() UPLOAD_QUOTA = '50GiB';
  @IsSize() UPLOAD_QUOTA_PER_TOKEN = '10GiB';
  @IsSize() MIN_FREE_DISK = '256MiB';
  @IsDuration() DOWNLOAD_STALL_TIMEOUT = '30s';
  @IsSize() STORAGE_MAX_SIZE = '10GiB';
  @IsDuration() STORAGE_TTL = '30d';
  @IsDuration() STORAGE_IMMUNITY = '1h';
  @IsDuration() SEND_TTL = '7d';
  @IsDuration() AUDIT_TTL = '90d';

  @IsNumber() @Min(0) @Max(1_000) PACE_PER_SECOND = 1;
  @IsDuration() PACE_MAX_WAIT = '10s';
  @IsDuration() FLOOD_TTL = '90d';

  @IsOptional()
  @Matches(/^[A-Za-z0-9._-]{1,128}$/, { message: '$property must be 1 to 128 of A-Z a-z 0-9 . _ -' })
  WORKER_ID?: string;
  @IsOptional() @IsHttpUrl() WORKER_ADVERTISE?: string;
  @IsInt() @Min(1) @Max(100_000) WORKER_CAPACITY = 200;
  /** Absent: most of what the machine or its container has. */
  @IsOptional() @IsSize() WORKER_MEMORY?: string;
  @IsNumber() @Min(0.01) @Max(1_000) LOGINS_PER_SECOND = 5;

  @IsOptional() @Matches(/\S/) TDLIB_PATH?: string;
  @IsOptional() @IsProxyUrl() DEFAULT_PROXY?: string;
  @IsIn(['true', 'false', 'auto']) TDLIB_PROXY_ONLY: 'true' | 'false' | 'auto' = 'auto';
  @IsDuration() DEAF_AFTER = '30m';
  @IsIn(['true', 'false']) TELEGRAM_TEST_DC: 'true' | 'false' = 'false';

  @IsOptional() @Matches(/\S/) CONSOLE_DIR?: string;
  @IsIn(['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'])
  LOG_LEVEL: 'fatal' | 'error' | 'warn' | 'info' | 'debug' | 'trace' | 'silent' = 'info';
}
