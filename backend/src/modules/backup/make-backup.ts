import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pLimit from 'p-limit';
import type pg from 'pg';
import type { BlobStore } from '../../common/blobs/index.js';
import type { SecretBox } from '../../common/crypto/secret-box.js';
import { volumeOf } from '../../config/index.js';
import { copyDatabase, openSnapshot, packFolder } from '../states/index.js';
import { BackupError } from './backup-error.js';
import {
  type BackedUpSession,
  FORMAT,
  type Manifest,
  newBackupId,
  type Part,
  partKey,
  putManifest,
  putPart,
} from './manifest.js';
import { beginDump, readTable, sequencesOf, tablesOf } from './registry-dump.js';

/** What a backup is made of. */
export interface BackupSource {
  readonly client: pg.Client;
  readonly dataDir: string;
  readonly masterKey: Buffer;
  /** Opens what is in the store of states. */
  readonly stateBox: SecretBox;
  readonly stateStore: BlobStore | undefined;
}

/** Where a backup goes, or comes from. */
export interface BackupTarget {
  readonly store: BlobStore;
  /** With BACKUP_KEY. */
  readonly box: SecretBox;
}

interface Guard {
  readonly epoch: number;
  readonly home: string | null;
  readonly key: string | null;
}

type GuardOf = (session: string) => Promise<Guard | undefined>;

const SESSIONS_AT_ONCE = 4;
/** A session that moves while it is copied is copied again where it is then. */
const ATTEMPTS = 3;
const COPY = { orBinlog: true, patienceMs: 10_000 } as const;

/**
 * Makes a backup while everything goes on: the registry as it is at one moment, then the state of each of its sessions, which is from
 * that moment or later. A state counts if the session was not claimed meanwhile.
 * @throws BackupError, BlobStoreError; what was written then is no backup, since its manifest is missing
 */
export async function makeBackup(source: BackupSource, { store, box }: BackupTarget): Promise<Manifest> {
  const { client } = source;
  const createdAt = new Date();
  const id = newBackupId(createdAt);
  await beginDump(client);
  const instance = await firstText(client, 'SELECT id::text AS value FROM instance');
  const migrations = await client.query<{ name: string }>('SELECT name FROM migrations ORDER BY id');
  const sessions = await client.query<{ id: string }>('SELECT id FROM sessions ORDER BY id');
  const tables: Manifest['tables'][number][] = [];
  for (const table of await tablesOf(client)) {
    const part = await putPart(store, box, partKey(id, `registry/${table.name}`), readTable(client, table));
    tables.push({ ...table, part });
  }
  const sequences = await sequencesOf(client);
  await client.query('COMMIT');

  const home = volumeOf(source.dataDir);
  const limit = pLimit(SESSIONS_AT_ONCE);
  // A connection takes one statement at a time.
  const ask = pLimit(1);
  const guardOf: GuardOf = (session) => ask(() => readGuard(client, session));
  const states = await Promise.all(
    sessions.rows.map((row) =>
      limit(() => backUpSession(source, { store, box }, { backup: id, home, guardOf }, row.id)),
    ),
  );
  const manifest: Manifest = {
    format: FORMAT,
    id,
    createdAt: createdAt.toISOString(),
    instance,
    migrations: migrations.rows.map(({ name }) => name),
    masterKey: source.masterKey.toString('base64'),
    tables,
    sequences,
    sessions: states.filter((state) => state !== undefined),
  };
  await putManifest(store, box, manifest);
  return manifest;
}

/** @returns undefined for a session that was removed meanwhile */
async function backUpSession(
  source: BackupSource,
  target: BackupTarget,
  { backup, home, guardOf }: { readonly backup: string; readonly home: string; readonly guardOf: GuardOf },
  id: string,
): Promise<BackedUpSession | undefined> {
  for (let attempt = 1; attempt <= ATTEMPTS; attempt++) {
    const before = await guardOf(id);
    if (before === undefined) return undefined;
    const key = partKey(backup, `sessions/${id}.${attempt}`);
    const isHere = before.home === null || before.home === home;
    const state =
      (isHere && (await fromFolder(source, target, id, key))) || (await fromStore(source, target, id, key, before));
    const after = await guardOf(id);
    if (after === undefined) return undefined;
    if (after.epoch === before.epoch) {
      return { id, epoch: before.epoch, part: state?.part, isWhole: state?.isWhole ?? false };
    }
  }
  throw new BackupError(`session ${id} changed its worker each time it was copied: try again later`);
}

type State = { readonly part: Part; readonly isWhole: boolean } | undefined;

async function fromFolder(source: BackupSource, { store, box }: BackupTarget, id: string, key: string): Promise<State> {
  const dir = await mkdtemp(join(tmpdir(), 'tgcontrol-backup-'));
  try {
    const database = join(source.dataDir, 'sessions', id, 'db');
    const copy = await copyDatabase(database, dir, COPY);
    return copy && { part: await putPart(store, box, key, packFolder(dir)), isWhole: copy.isWhole };
  } finally {
    await rm(dir, { recursive: true, force: true });
  }
}

async function fromStore(
  source: BackupSource,
  { store, box }: BackupTarget,
  id: string,
  key: string,
  guard: Guard,
): Promise<State> {
  if (guard.key === null) return undefined;
  if (source.stateStore === undefined) throw new BackupError('sessions are in a STATE_STORE, which is not set here');
  const snapshot = await openSnapshot(source.stateStore, source.stateBox, id, guard.key);
  return snapshot && { part: await putPart(store, box, key, snapshot), isWhole: true };
}

async function readGuard(client: pg.Client, id: string): Promise<Guard | undefined> {
  const { rows } = await client.query<Guard>(
    `SELECT s.epoch, n.home, n.key FROM sessions s LEFT JOIN session_states n ON n.session_id = s.id WHERE s.id = $1`,
    [id],
  );
  return rows[0];
}

async function firstText(client: pg.Client, sql: string): Promise<string> {
  const { rows } = await client.query<{ value: string }>(sql);
  const value = rows[0]?.value;
  if (value === undefined) throw new BackupError('this is no registry of tgcontrol');
  return value;
}
