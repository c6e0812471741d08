import { existsSync } from 'node:fs';
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import pg from 'pg';
import { openBlobStore } from '../common/blobs/index.js';
import { SecretBox } from '../common/crypto/secret-box.js';
import { createDataSource, prepareDatabase } from '../common/db/database.js';
import { EmbeddedPostgres } from '../common/db/embedded-postgres.js';
import { KeyCheckEntity } from '../common/db/key-check.entity.js';
import {
  type AppConfig,
  ConfigError,
  lockDataDir,
  obtainSecrets,
  prepareDataDir,
  type StoreSettings,
} from '../config/index.js';
import { MIGRATIONS } from '../migrations/index.js';
import {
  activate,
  BackupError,
  type BackupTarget,
  listBackups,
  makeBackup,
  type Manifest,
  readManifest,
  requireEmpty,
  restoreBackup,
  verifyBackup,
} from '../modules/backup/index.js';
import { ENTITIES } from './app.module.js';

type Say = (line: string) => void;

const USAGE = `Usage:
  backup                          makes a backup in BACKUP_STORE and reads it again
  backup --list                   the backups that are there
  backup --verify [<backup>]      reads one from first to last, the newest unless named
  restore [<backup>]              puts one into an empty database and DATA_DIR; its sessions are stopped
  restore --activate [--i-know]   lets the restored copy open them: the original is gone`;

/** Whether the process is to do one thing and end, instead of serving. */
export function isCommand(args: readonly string[]): boolean {
  return args.length > 0;
}

/**
 * Runs a command on the registry and the folders that the environment names.
 * @throws BackupError, ConfigError and others, each for the operator to read
 */
export async function runCommand(args: readonly string[], config: AppConfig, say: Say): Promise<void> {
  const [command, ...rest] = args;
  if (command === 'backup') {
    const { values, positionals } = parsed(rest, { list: { type: 'boolean' }, verify: { type: 'boolean' } });
    if (values['list'] === true) return listCommand(config, say);
    if (values['verify'] === true) return verifyCommand(config, positionals[0], say);
    return backupCommand(config, say);
  }
  if (command === 'restore') {
    const { values, positionals } = parsed(rest, { activate: { type: 'boolean' }, 'i-know': { type: 'boolean' } });
    if (values['activate'] === true) return activateCommand(config, values['i-know'] === true, say);
    return restoreCommand(config, positionals[0], say);
  }
  throw new BackupError(USAGE);
}

function parsed(
  args: readonly string[],
  options: Readonly<Record<string, { readonly type: 'boolean' }>>,
): { readonly values: Readonly<Record<string, unknown>>; readonly positionals: readonly string[] } {
  try {
    const { values, positionals } = parseArgs({ args: [...args], options, allowPositionals: true });
    if (positionals.length > 1) throw new Error(`too many words: ${positionals.join(' ')}`);
    return { values, positionals };
  } catch (error) {
    throw new BackupError(`${error instanceof Error ? error.message : String(error)}\n${USAGE}`);
  }
}

async function backupCommand(config: AppConfig, say: Say): Promise<void> {
  const target = targetOf(config);
  await withRegistry(config, undefined, async ({ url, masterKey }) => {
    const id = await withClient(url, async (client) => {
      const manifest = await makeBackup(
        { client, masterKey, dataDir: config.dataDir, ...stateOf(config, masterKey) },
        target,
      );
      return manifest.id;
    });
    tell(await verifyBackup(target, id), say);
  });
}

async function listCommand(config: AppConfig, say: Say): Promise<void> {
  for (const id of await listBackups(targetOf(config).store)) say(id);
}

async function verifyCommand(config: AppConfig, id: string | undefined, say: Say): Promise<void> {
  const target = targetOf(config);
  tell(await verifyBackup(target, id ?? (await newest(target))), say);
}

async function restoreCommand(config: AppConfig, id: string | undefined, say: Say): Promise<void> {
  const target = targetOf(config);
  const manifest = await readManifest(target.store, target.box, id ?? (await newest(target)));
  const unknown = manifest.migrations.filter((name) => !MIGRATIONS.some((migration) => migration.name === name));
  if (unknown.length > 0) {
    throw new BackupError(`backup ${manifest.id} was made by a later version, which knows ${unknown.join(', ')}`);
  }
  const masterKey = Buffer.from(manifest.masterKey, 'base64');
  prepareDataDir(config.dataDir);
  await withRegistry(config, masterKey, async ({ url }) => {
    await mkdir(join(config.dataDir, 'sessions'), { recursive: true, mode: 0o700 });
    await withClient(url, requireEmpty);
    await migrate(url, manifest.migrations, masterKey);
    const instance = await withClient(url, (client) =>
      restoreBackup({ client, dataDir: config.dataDir, ...stateOf(config, masterKey) }, target, manifest),
    );
    await migrate(url, undefined, masterKey);
    say(
      `Restored backup ${manifest.id} of ${manifest.createdAt} as instance ${instance}: ${manifest.sessions.length} sessions.`,
    );
    say('None of them opens before the original is gone for good and you have said so: restore --activate');
  });
}

async function activateCommand(config: AppConfig, iKnow: boolean, say: Say): Promise<void> {
  const { store, fenceEveryMs } = config.backups;
  await withRegistry(config, undefined, ({ url }) =>
    withClient(url, async (client) => {
      const { isNew, sessions } = await activate(client, optionalStore(store), { iKnow, settleMs: 2 * fenceEveryMs });
      say(
        isNew ? `Activated: ${sessions} sessions are opened by the next worker.` : 'There is nothing to activate here.',
      );
    }),
  );
}

function tell({ id, createdAt, sessions, tables }: Manifest, say: Say): void {
  say(`Backup ${id} of ${createdAt} is whole: ${tables.length} tables, ${sessions.length} sessions.`);
  for (const { id: session, part, isWhole } of sessions) {
    if (part === undefined) say(`Session ${session} has no state in it: it would have to log in again.`);
    else if (!isWhole) say(`Session ${session} has its authorization in it, and not its chats.`);
  }
}

async function newest({ store }: BackupTarget): Promise<string> {
  const id = (await listBackups(store)).at(-1);
  if (id === undefined) throw new BackupError(`there is no backup in ${store.place}`);
  return id;
}

function targetOf({ backups: { store, key } }: AppConfig): BackupTarget {
  if (store === undefined || key === undefined) {
    throw new ConfigError([
      ...(store === undefined ? ['BACKUP_STORE is required: file:///folder or s3://bucket/prefix'] : []),
      ...(key === undefined ? ['BACKUP_KEY is required: openssl rand -base64 32'] : []),
    ]);
  }
  return { store: openBlobStore(store), box: new SecretBox(key) };
}

function stateOf(
  { states: { store } }: AppConfig,
  masterKey: Buffer,
): { readonly stateBox: SecretBox; readonly stateStore: ReturnType<typeof openBlobStore> | undefined } {
  return { stateBox: new SecretBox(masterKey), stateStore: optionalStore(store) };
}

const optionalStore = (store: StoreSettings | undefined): ReturnType<typeof openBlobStore> | undefined =>
  store && openBlobStore(store);

interface Registry {
  readonly url: string;
  readonly masterKey: Buffer;
}

/**
 * Finds the registry, and with ROLE=all starts its PostgreSQL unless it runs.
 * @param restored the key of a backup that is to be restored: then nothing else may run on the folder
 */
async function withRegistry(
  config: AppConfig,
  restored: Buffer | undefined,
  work: (registry: Registry) => Promise<void>,
): Promise<void> {
  if (!existsSync(config.dataDir)) throw new ConfigError([`DATA_DIR ${config.dataDir} is not there`]);
  const { masterKey: given } = config.secrets;
  if (restored && given && !given.equals(restored)) throw new ConfigError(['MASTER_KEY is not the one of the backup']);
  const known = given ?? restored;
  if (config.role !== 'all') {
    if (known === undefined) throw new ConfigError(['run this with the settings of a worker: MASTER_KEY is missing']);
    if (config.databaseUrl === undefined) throw new ConfigError(['DATABASE_URL is required']);
    await work({ url: config.databaseUrl, masterKey: known });
    return;
  }
  const { secrets } = obtainSecrets(config.dataDir, given === undefined ? restored : undefined);
  const masterKey = known ?? secrets.masterKey;
  const postgres = { dir: join(config.dataDir, 'postgres'), password: secrets.postgresPassword };
  const running = config.databaseUrl ?? (restored ? undefined : EmbeddedPostgres.runningAt(postgres));
  if (running !== undefined && !restored) {
    await work({ url: running, masterKey });
    return;
  }
  const lock = lockDataDir(config.dataDir);
  try {
    const started = config.databaseUrl === undefined ? await EmbeddedPostgres.start(postgres) : undefined;
    try {
      await work({ url: started?.url ?? config.databaseUrl ?? '', masterKey });
    } finally {
      await started?.stop();
    }
  } finally {
    lock.release();
  }
}

/** @param names of the migrations to make; all that there are when undefined */
async function migrate(url: string, names: readonly string[] | undefined, masterKey: Buffer): Promise<void> {
  const migrations = MIGRATIONS.filter(({ name }) => names?.includes(name) ?? true);
  const dataSource = createDataSource(url, { entities: [KeyCheckEntity, ...ENTITIES], migrations });
  await dataSource.initialize();
  try {
    const made = await dataSource.query<{ name: string | null }[]>("SELECT to_regclass('migrations') AS name");
    if (names && made[0]?.name != null) {
      const rows = await dataSource.query<{ name: string }[]>('SELECT name FROM migrations');
      const later = rows.map(({ name }) => name).filter((name) => !names.includes(name));
      if (later.length > 0)
        throw new BackupError('the database was made by a later version than the backup: use a new one');
    }
    await prepareDatabase(dataSource, new SecretBox(masterKey));
  } finally {
    await dataSource.destroy();
  }
}

async function withClient<T>(url: string, work: (client: pg.Client) => Promise<T>): Promise<T> {
  const client = new pg.Client({ connectionString: url, connectionTimeoutMillis: 5000, application_name: 'tgcontrol' });
  // A connection that breaks off between two statements must not end the process: the next one fails.
  client.on('error', () => undefined);
  await client.connect();
  try {
    return await work(client);
  } finally {
    await client.end();
  }
}
