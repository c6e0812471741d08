import { randomBytes } from 'node:crypto';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { cpus, tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import pg from 'pg';
import { benchBinding, type BindingResult } from './binding.js';
import { benchCalls, type CallResult } from './calls.js';
import { benchFiles, type FileIds, type FilesResult } from './files.js';
import { Api } from './lib/api.js';
import { benchLimits, type LimitsResult } from './limits.js';
import type { Target } from './lib/load.js';
import { benchPool, type PoolResult } from './pool.js';
import { benchTurns, type TurnsResult } from './pool-turns.js';
import { benchSends, SENDING_BOTS, type SendsResult } from './sends.js';
import { freePort, type Helper, pssMiB, startHelper, startProduct } from './lib/processes.js';
import { UpdatesBench, type UpdatesResult } from './updates.js';

// npm run bench: what the product costs beside TDLib alone. `--quick` for a look, `--only=calls,sends,files,updates,limits,pool,memory,binding,start`;
// `--pool-bytes=1073741824` stores an object as large as a promise speaks of;
// `--profile` writes a CPU profile of each process that serves calls to bench/profiles (and makes them slower).
const RESULTS = fileURLToPath(new URL('../../../bench/results.json', import.meta.url));
const PROFILES = fileURLToPath(new URL('../../../bench/profiles', import.meta.url));
const quick = process.argv.includes('--quick');
const profiling = process.argv.includes('--profile') ? ['--cpu-prof', `--cpu-prof-dir=${PROFILES}`] : [];
const only = process.argv
  .find((argument) => argument.startsWith('--only='))
  ?.slice('--only='.length)
  .split(',');
const wanted = (name: string): boolean => only === undefined || only.includes(name);

const BOTS = quick ? 20 : 100;
const ROUNDS = quick ? 2 : 5;
const SECONDS = quick ? 3 : 8;
const FILES = { rounds: ROUNDS, largeBytes: quick ? 32e6 : 128e6, smallBytes: 1_024, smallFiles: quick ? 20 : 100 };
const POOL_BYTES = Number(
  process.argv.find((argument) => argument.startsWith('--pool-bytes='))?.slice('--pool-bytes='.length) ??
    (quick ? 32e6 : 128e6),
);
const POOL_RANGES = quick ? 50 : 1_000;
/** 5 MB/s for each bot. */
const POOL_KBIT = 40_000;
const POOL_BOTS = 6;
const LIMITED_CALLS = quick ? 1_000 : 5_000;
const SETTLE_MS = quick ? 5_000 : 15_000;

interface SandboxReady {
  readonly env: { readonly TDLIB_PATH: string; readonly DEFAULT_PROXY: string };
  readonly tokens: readonly string[];
  /** Of the first bots, one each. */
  readonly chats: readonly number[];
  /** In each of the chats, as many as documents were asked for. */
  readonly messages: readonly (readonly number[])[];
  /** Of users, and the code that they log in with. */
  readonly phones: readonly string[];
  readonly code: string;
  /** An account that writes only when it is asked to. */
  readonly rare: number;
  /** Ports of slow proxies, one for each bot; and a channel whose administrators all bots are. */
  readonly proxies: readonly number[];
  readonly store: number;
}

interface Results {
  readonly machine: { readonly cpus: number; readonly model: string; readonly node: string };
  binding?: Record<string, BindingResult>;
  calls?: Record<string, CallResult>;
  sends?: Record<string, SendsResult>;
  files?: Record<string, FilesResult>;
  updates?: Record<string, UpdatesResult>;
  limits?: Record<string, LimitsResult>;
  pool?: Record<string, PoolResult>;
  turns?: Record<string, TurnsResult>;
  memory?: Record<string, number>;
  start?: Record<string, number>;
}

const root = mkdtempSync(join(tmpdir(), 'tgcontrol-bench-'));
const apiToken = randomBytes(24).toString('base64url');
const clusterToken = randomBytes(24).toString('base64url');
const masterKey = randomBytes(32).toString('base64');
const stops: (() => Promise<void>)[] = [];

async function started<T extends { stop(): Promise<void> }>(process: Promise<T>): Promise<T> {
  const running = await process;
  stops.push(() => running.stop());
  return running;
}

async function stopAll(): Promise<void> {
  for (const stop of stops.splice(0).reverse()) {
    await stop().catch((error: unknown) => console.error(error));
  }
  rmSync(root, { recursive: true, force: true });
}

// Whoever grows impatient leaves no PostgreSQL behind.
for (const signal of ['SIGINT', 'SIGTERM'] as const) {
  process.once(signal, () => void stopAll().then(() => process.exit(1)));
}

const settle = (): Promise<void> => new Promise((resolve) => setTimeout(resolve, SETTLE_MS));

/** What the benchmarks use of the built product itself: its embedded PostgreSQL, and its way of opening secrets. */
interface ProductParts {
  readonly EmbeddedPostgres: {
    start(options: { dir: string; password: string }): Promise<{ readonly url: string; stop(): Promise<void> }>;
  };
  readonly SecretBox: new (key: Buffer) => {
    open(sealed: string, where: { table: string; column: string; id: string }): Buffer;
  };
}

async function productParts(): Promise<ProductParts> {
  const at = (path: string): string => new URL(`../../dist/common/${path}`, import.meta.url).href;
  const postgres = (await import(at('db/embedded-postgres.js'))) as Pick<ProductParts, 'EmbeddedPostgres'>;
  const secrets = (await import(at('crypto/secret-box.js'))) as Pick<ProductParts, 'SecretBox'>;
  return { ...postgres, ...secrets };
}

async function calls(sandbox: SandboxReady, databaseUrl: string): Promise<Record<string, CallResult>> {
  const secrets = { CLUSTER_TOKEN: clusterToken, DATABASE_URL: databaseUrl };
  const [allToken, splitToken, bareToken] = sandbox.tokens;
  if (allToken === undefined || splitToken === undefined || bareToken === undefined) {
    throw new Error('three bots are needed');
  }
  // Two products on one database would share the sessions; each gets its own.
  const other = new URL(databaseUrl);
  other.pathname = '/split';
  const client = new pg.Client({ connectionString: databaseUrl });
  await client.connect();
  await client.query('CREATE DATABASE split');
  await client.end();

  const barePort = await freePort();
  const bareDirectory = join(root, 'bare');
  mkdirSync(bareDirectory);
  const bare = await started(
    startHelper('bare-process', {
      library: sandbox.env.TDLIB_PATH,
      proxy: sandbox.env.DEFAULT_PROXY,
      port: barePort,
      clients: [{ directory: bareDirectory, token: bareToken }],
    }),
  );
  const all = await started(
    startProduct(
      {
        ...sandbox.env,
        ...secrets,
        ROLE: 'all',
        API_TOKEN: apiToken,
        MASTER_KEY: masterKey,
        DATA_DIR: join(root, 'all'),
      },
      profiling,
    ),
  );
  const worker = await started(
    startProduct(
      {
        ...sandbox.env,
        ...secrets,
        DATABASE_URL: other.href,
        ROLE: 'worker',
        MASTER_KEY: masterKey,
        DATA_DIR: join(root, 'worker'),
      },
      profiling,
    ),
  );
  const gateway = await started(
    startProduct(
      {
        ...secrets,
        DATABASE_URL: other.href,
        ROLE: 'gateway',
        API_TOKEN: apiToken,
        DATA_DIR: join(root, 'gateway'),
      },
      profiling,
    ),
  );
  const target = async (url: string, token: string, pids: readonly number[]): Promise<Target> => {
    const api = new Api(url, apiToken);
    const id = await api.createBot(await api.createApp(), token);
    return { url, path: `/v1/bot/${id}/call`, token: apiToken, pids };
  };
  return benchCalls(
    {
      bare: { url: `http://127.0.0.1:${barePort}`, path: '/call', pids: [bare.pid] },
      all: await target(all.url, allToken, [all.pid]),
      split: await target(gateway.url, splitToken, [gateway.pid, worker.pid]),
    },
    ROUNDS,
    SECONDS,
  );
}

async function sends(sandbox: SandboxReady, databaseUrl: string): Promise<Record<string, SendsResult>> {
  const here = new URL(databaseUrl);
  here.pathname = '/sends';
  const client = new pg.Client({ connectionString: databaseUrl });
  await client.connect();
  await client.query('CREATE DATABASE sends');
  await client.end();
  const bots = sandbox.tokens.slice(0, 2 * SENDING_BOTS).map((token, index) => ({ token, chat: sandbox.chats[index] }));
  const of = bots.flatMap(({ token, chat }) => (chat === undefined ? [] : [{ token, chatId: chat }]));
  const [bareBots, productBots] = [of.slice(0, SENDING_BOTS), of.slice(SENDING_BOTS)];

  const port = await freePort();
  const bare = await started(
    startHelper('bare-process', {
      library: sandbox.env.TDLIB_PATH,
      proxy: sandbox.env.DEFAULT_PROXY,
      port,
      chats: bareBots.map(({ chatId }) => chatId),
      clients: bareBots.map(({ token }, index) => {
        const directory = join(root, `bare-${index}`);
        mkdirSync(directory);
        return { directory, token };
      }),
    }),
  );
  const product = await started(
    startProduct({
      ...sandbox.env,
      ROLE: 'all',
      DATABASE_URL: here.href,
      API_TOKEN: apiToken,
      CLUSTER_TOKEN: clusterToken,
      MASTER_KEY: masterKey,
      DATA_DIR: join(root, 'sending'),
    }),
  );
  const api = new Api(product.url, apiToken);
  const appId = await api.createApp();
  const senders = [];
  for (const { token, chatId } of productBots) {
    const path = `/v1/bot/${await api.createBot(appId, token)}/call`;
    await api.post(path, { method: 'getChat', params: { chat_id: chatId } });
    senders.push({ url: `${product.url}${path}?wait=60`, token: apiToken, chatId });
  }
  return benchSends(
    {
      bare: {
        senders: bareBots.map(({ chatId }, index) => ({ url: `http://127.0.0.1:${port}/send/${index}`, chatId })),
        pids: [bare.pid],
      },
      product: { senders, pids: [product.pid] },
    },
    ROUNDS,
    SECONDS,
  );
}

/** Documents of a size each: the large ones, one more than rounds to warm up, then the small ones. */
const FILE_SIZES = [
  ...Array.from({ length: FILES.rounds + 1 }, () => FILES.largeBytes),
  ...Array.from({ length: FILES.smallFiles }, () => FILES.smallBytes),
];

/** A Telegram of its own, whose first bot downloads by bare tdl and whose second by the product. */
async function files(databaseUrl: string): Promise<Record<string, FilesResult>> {
  const { ready: sandbox } = await started(
    startHelper<SandboxReady>('sandbox-process', { bots: 2, channels: 2, documents: FILE_SIZES }),
  );
  const here = new URL(databaseUrl);
  here.pathname = '/files';
  const client = new pg.Client({ connectionString: databaseUrl });
  await client.connect();
  await client.query('CREATE DATABASE files');
  await client.end();
  const [bareToken = '', productToken = ''] = sandbox.tokens;
  const [barePort, diskPort] = [await freePort(), await freePort()];
  const [bareDirectory, diskDirectory] = [join(root, 'bare-files'), join(root, 'disk')];
  mkdirSync(bareDirectory);
  mkdirSync(diskDirectory);
  await started(startHelper('disk-process', { directory: diskDirectory, port: diskPort }));
  await started(
    startHelper('bare-process', {
      library: sandbox.env.TDLIB_PATH,
      proxy: sandbox.env.DEFAULT_PROXY,
      port: barePort,
      clients: [{ directory: bareDirectory, token: bareToken }],
    }),
  );
  const common = { CLUSTER_TOKEN: clusterToken, DATABASE_URL: here.href, UPLOADS_DIR: join(root, 'uploads') };
  const worker = { ...sandbox.env, ...common, ROLE: 'worker', MASTER_KEY: masterKey, DATA_DIR: join(root, 'files-w') };
  await started(startProduct(worker, profiling));
  const gateway = await started(
    startProduct(
      {
        ...common,
        ROLE: 'gateway',
        API_TOKEN: apiToken,
        DATA_DIR: join(root, 'files-g'),
        MAX_SINGLE_SHOT_BYTES: '1GiB',
      },
      profiling,
    ),
  );
  const api = new Api(gateway.url, apiToken);
  const path = `/v1/bot/${await api.createBot(await api.createApp(), productToken)}`;
  const bare = new Api(`http://127.0.0.1:${barePort}`, '');
  return benchFiles(
    {
      bare: {
        disk: `http://127.0.0.1:${diskPort}`,
        tdl: `http://127.0.0.1:${barePort}`,
        files: await fileIds(bare, '', sandbox, 0),
      },
      product: { url: gateway.url, token: apiToken, path, files: await fileIds(api, path, sandbox, 1) },
    },
    FILES,
  );
}

/** One bot and six, each behind a link of its own. */
async function pool(databaseUrl: string): Promise<Record<string, PoolResult>> {
  const { ready: sandbox, pid: sandboxPid } = await started(
    startHelper<SandboxReady>('sandbox-process', { bots: POOL_BOTS + 1, kbit: POOL_KBIT }),
  );
  const here = new URL(databaseUrl);
  here.pathname = '/pool';
  const client = new pg.Client({ connectionString: databaseUrl });
  await client.connect();
  await client.query('CREATE DATABASE pool');
  await client.end();
  const product = await started(
    startProduct(
      {
        ...sandbox.env,
        ROLE: 'all',
        DATABASE_URL: here.href,
        API_TOKEN: apiToken,
        CLUSTER_TOKEN: clusterToken,
        MASTER_KEY: masterKey,
        DATA_DIR: join(root, 'pool'),
      },
      profiling,
    ),
  );
  const api = new Api(product.url, apiToken);
  const app_id = await api.createApp();
  const bots: string[] = [];
  for (const [index, token] of sandbox.tokens.entries()) {
    const proxy = { type: 'socks5', host: '127.0.0.1', port: sandbox.proxies[index] };
    const { proxy_id } = await api.post<{ proxy_id: string }>('/v1/proxies', proxy);
    bots.push((await api.post<{ id: string }>('/v1/bot', { token, app_id, proxy_id })).id);
  }
  const MIB = 2 ** 20;
  const chunk_size = Math.min(16 * MIB, Math.max(MIB, Math.floor(POOL_BYTES / 60 / MIB) * MIB));
  const results: Record<string, PoolResult> = {};
  for (const [name, session_ids] of Object.entries({ one: bots.slice(0, 1), six: bots.slice(1) })) {
    // How many messages a bot may send is not what is measured here.
    const budget = { max: 1_000, window_s: 60, gap_ms: 0 };
    await api.post('/v1/pools', { name, chat_id: sandbox.store, session_ids, chunk_size, budget });
    const measured = { url: product.url, token: apiToken, name, pid: product.pid, sandboxPid };
    results[name === 'one' ? '1 bot at 5 MB/s' : '6 bots at 5 MB/s'] = await benchPool(
      measured,
      POOL_BYTES,
      POOL_RANGES,
    );
  }
  return results;
}

/** TDLib's numbers of the documents in a channel. */
async function fileIds(api: Api, path: string, { chats, messages }: SandboxReady, channel: number): Promise<FileIds> {
  interface Document {
    readonly content: { readonly document: { readonly document: { readonly id: number } } };
  }
  const call = <Result>(method: string, params: object): Promise<Result> =>
    api.post(`${path}/call`, { method, params });
  const chatId = chats[channel];
  await call('getChat', { chat_id: chatId });
  const ids: number[] = [];
  for (const messageId of messages[channel] ?? []) {
    const { content } = await call<Document>('getMessage', { chat_id: chatId, message_id: messageId });
    ids.push(content.document.document.id);
  }
  return { large: ids.slice(0, FILES.rounds + 1), small: ids.slice(FILES.rounds + 1) };
}

async function updates(sandbox: Helper<SandboxReady>, databaseUrl: string): Promise<Record<string, UpdatesResult>> {
  const here = new URL(databaseUrl);
  here.pathname = '/updates';
  const client = new pg.Client({ connectionString: databaseUrl });
  await client.connect();
  await client.query('CREATE DATABASE updates');
  await client.end();
  const receivers = await started(startHelper<{ readonly port: number }>('receiver-process', {}));
  const product = await started(
    startProduct(
      {
        ...sandbox.ready.env,
        ROLE: 'all',
        DATABASE_URL: here.href,
        API_TOKEN: apiToken,
        CLUSTER_TOKEN: clusterToken,
        MASTER_KEY: masterKey,
        DATA_DIR: join(root, 'updates'),
        WEBHOOK_ALLOW_NETWORKS: '127.0.0.0/8',
      },
      profiling,
    ),
  );
  const { tokens, rare } = sandbox.ready;
  const target = { product, apiToken, databaseUrl: here.href, receivers, sandbox, tokens: tokens.slice(0, 5), rare };
  return new UpdatesBench(target, SECONDS).run();
}

async function limits({ env, phones, code }: SandboxReady, databaseUrl: string): Promise<Record<string, LimitsResult>> {
  const here = new URL(databaseUrl);
  here.pathname = '/limits';
  const client = new pg.Client({ connectionString: databaseUrl });
  await client.connect();
  await client.query('CREATE DATABASE limits');
  await client.end();
  const product = await started(
    startProduct(
      {
        ...env,
        ROLE: 'all',
        DATABASE_URL: here.href,
        API_TOKEN: apiToken,
        CLUSTER_TOKEN: clusterToken,
        MASTER_KEY: masterKey,
        DATA_DIR: join(root, 'limits'),
      },
      profiling,
    ),
  );
  const [first = '', second = ''] = phones;
  const target = { url: product.url, apiToken, databaseUrl: here.href, phones: [first, second] as const, code };
  return benchLimits(target, LIMITED_CALLS);
}

async function memory(
  sandbox: SandboxReady,
  databaseUrl: string,
  parts: ProductParts,
): Promise<Record<string, number>> {
  const dataDir = join(root, 'many');
  const env = {
    ...sandbox.env,
    ROLE: 'all',
    DATABASE_URL: databaseUrl,
    API_TOKEN: apiToken,
    CLUSTER_TOKEN: clusterToken,
    MASTER_KEY: masterKey,
  };
  const other = new URL(databaseUrl);
  other.pathname = '/many';
  const client = new pg.Client({ connectionString: databaseUrl });
  await client.connect();
  await client.query('CREATE DATABASE many');
  await client.end();
  const here = { ...env, DATABASE_URL: other.href, DATA_DIR: dataDir };

  const empty = await startProduct(here);
  const api = new Api(empty.url, apiToken);
  const appId = await api.createApp();
  // One bot first: the library itself is no cost of a bot.
  const [firstToken, ...tokens] = sandbox.tokens.slice(3, 3 + BOTS + 1);
  await api.createBot(appId, firstToken ?? '');
  await settle();
  const one = pssMiB(empty.pid);
  for (const token of tokens) {
    await api.createBot(appId, token);
  }
  await empty.stop();

  const product = await startProduct(here);
  await settle();
  const many = pssMiB(product.pid);
  await product.stop();

  const keys = new pg.Client({ connectionString: other.href });
  await keys.connect();
  const { rows } = await keys.query<{ id: string; db_key_sealed: string }>(
    'SELECT id, db_key_sealed FROM sessions ORDER BY created_at',
  );
  await keys.end();
  const box = new parts.SecretBox(Buffer.from(masterKey, 'base64'));
  const clients = rows.map(({ id, db_key_sealed }) => ({
    directory: join(dataDir, 'sessions', id),
    key: box.open(db_key_sealed, { table: 'sessions', column: 'db_key_sealed', id }).toString('base64'),
  }));
  const bare = async (count: number): Promise<number> => {
    const helper = await startHelper('bare-process', {
      library: sandbox.env.TDLIB_PATH,
      proxy: sandbox.env.DEFAULT_PROXY,
      clients: clients.slice(0, count),
    });
    await settle();
    const pss = pssMiB(helper.pid);
    await helper.stop();
    return pss;
  };
  const bareOne = await bare(1);
  const bareMany = await bare(clients.length);
  const others = clients.length - 1;
  return {
    'product with one bot, MiB': one,
    [`product with ${clients.length} bots, MiB`]: many,
    'bare tdl with one bot, MiB': bareOne,
    [`bare tdl with ${clients.length} bots, MiB`]: bareMany,
    'each further bot in the product, MiB': (many - one) / others,
    'each further bot in bare tdl, MiB': (bareMany - bareOne) / others,
  };
}

async function start(sandbox: SandboxReady): Promise<Record<string, number>> {
  const dataDir = join(root, 'fresh');
  const env = { ...sandbox.env, ROLE: 'all', DATA_DIR: dataDir };
  const first = await startProduct(env);
  await settle();
  const idle = pssMiB(first.pid);
  await first.stop();
  const again = await startProduct(env);
  await again.stop();
  return {
    'first start with a new database, ms': first.startMs,
    'start with an existing database, ms': again.startMs,
    'idle product with its PostgreSQL, MiB': idle,
  };
}

function print(results: Results): void {
  const tables: Record<string, Record<string, unknown> | undefined> = {
    'Talking to TDLib': results.binding,
    Calls: results.calls,
    'Confirmed sends': results.sends,
    Files: results.files,
    Updates: results.updates,
    Limits: results.limits,
    Pool: results.pool,
    'Pool of 6 bots, 20 messages a minute each, on a virtual clock': results.turns,
    Memory: results.memory,
    Start: results.start,
  };
  for (const [title, table] of Object.entries(tables)) {
    if (table !== undefined) {
      console.log(title);
      console.table(
        Object.fromEntries(
          Object.entries(table).map(([name, value]) => [
            name,
            typeof value === 'number' ? { value: rounded(value) } : mapValues(value as Record<string, number>, rounded),
          ]),
        ),
      );
    }
  }
}

const rounded = (value: number): number => (Math.abs(value) >= 100 ? Math.round(value) : Number(value.toFixed(2)));
const mapValues = (object: Record<string, number>, change: (value: number) => number): Record<string, number> =>
  Object.fromEntries(Object.entries(object).map(([key, value]) => [key, change(value)]));

const [{ model } = { model: 'unknown' }] = cpus();
const results: Results = { machine: { cpus: cpus().length, model, node: process.version } };
try {
  if (wanted('pool')) {
    results.turns = await benchTurns();
  }
  if (wanted('binding')) {
    results.binding = await benchBinding(ROUNDS);
  }
  if (
    wanted('calls') ||
    wanted('sends') ||
    wanted('files') ||
    wanted('updates') ||
    wanted('limits') ||
    wanted('pool') ||
    wanted('memory') ||
    wanted('start')
  ) {
    const parts = await productParts();
    const helper = await started(
      startHelper<SandboxReady>('sandbox-process', { bots: BOTS + 4, users: 2, channels: 2 * SENDING_BOTS }),
    );
    const { ready: sandbox } = helper;
    if (wanted('start')) {
      results.start = await start(sandbox);
    }
    const postgres = await started(
      parts.EmbeddedPostgres.start({ dir: join(root, 'postgres'), password: randomBytes(16).toString('hex') }),
    );
    if (wanted('memory')) {
      results.memory = await memory(sandbox, postgres.url, parts);
    }
    if (wanted('calls')) {
      results.calls = await calls(sandbox, postgres.url);
    }
    if (wanted('sends')) {
      results.sends = await sends(sandbox, postgres.url);
    }
    if (wanted('files')) {
      results.files = await files(postgres.url);
    }
    if (wanted('updates')) {
      results.updates = await updates(helper, postgres.url);
    }
    if (wanted('limits')) {
      results.limits = await limits(sandbox, postgres.url);
    }
    if (wanted('pool')) {
      results.pool = await pool(postgres.url);
    }
  }
} finally {
  await stopAll();
}
const before = ((): object => {
  try {
    return JSON.parse(readFileSync(RESULTS, 'utf8')) as object;
  } catch {
    return {};
  }
})();
mkdirSync(join(RESULTS, '..'), { recursive: true });
writeFileSync(RESULTS, `${JSON.stringify({ ...before, ...results }, null, 2)}\n`);
print(results);
console.log(`written to ${RESULTS}`);
