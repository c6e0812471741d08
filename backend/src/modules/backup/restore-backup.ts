import { randomBytes, randomUUID } from 'node:crypto';
import { mkdir, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import type pg from 'pg';
import { codeOf } from '../../common/errors/index.js';
import { putSnapshot, unpackFolder } from '../states/index.js';
import { BackupError } from './backup-error.js';
import type { BackupSource, BackupTarget } from './make-backup.js';
import { type Manifest, readPart } from './manifest.js';
import { setSequences, writeTable } from './registry-dump.js';

/** Where a backup is restored to: a registry whose tables are there, as the backup's migrations made them, and empty. */
export type RestoreTarget = Omit<BackupSource, 'masterKey'>;

/**
 * Puts a backup into an empty registry and folder. The registry appears whole or not at all; its sessions are stopped, and none opens
 * before the activation.
 * @returns the new instance's id
 * @throws BackupError when something is there already, or a part is not what it was
 */
export async function restoreBackup(
  { client, dataDir, stateBox, stateStore }: RestoreTarget,
  { store, box }: BackupTarget,
  manifest: Manifest,
): Promise<string> {
  const folderOf = (id: string): string => join(dataDir, 'sessions', id);
  for (const { id } of manifest.sessions) {
    if (await exists(folderOf(id)))
      throw new BackupError(`${folderOf(id)} is there already: restore into an empty DATA_DIR`);
  }
  const instance = randomUUID();
  const made: string[] = [];
  await client.query('BEGIN');
  try {
    for (const table of manifest.tables) await writeTable(client, table, readPart(store, box, table.part));
    await setSequences(client, manifest.sequences);
    await stopSessions(client);
    await client.query('UPDATE instance SET id = $1, restored_from = $2, backup = $3, activated_at = NULL', [
      instance,
      manifest.instance,
      manifest.id,
    ]);
    for (const { id, epoch, part } of manifest.sessions) {
      if (part === undefined) continue;
      if (stateStore === undefined) {
        made.push(folderOf(id));
        await mkdir(join(folderOf(id), 'db'), { recursive: true, mode: 0o700 });
        await unpackFolder(readPart(store, box, part), join(folderOf(id), 'db'));
      } else {
        const half = join(dataDir, `restored.${randomBytes(4).toString('hex')}`);
        made.push(half);
        const of = { sessionId: id, epoch: epoch + 1 };
        const { key, bytes } = await putSnapshot(stateStore, stateBox, of, readPart(store, box, part), half);
        await rm(half);
        await client.query(
          `INSERT INTO session_states (session_id, epoch, key, bytes, is_whole, saved_at)
           SELECT id, epoch, $2, $3, true, now() FROM sessions WHERE id = $1`,
          [id, key, bytes],
        );
      }
    }
    await client.query('COMMIT');
    return instance;
  } catch (error) {
    await client.query('ROLLBACK').catch(() => undefined);
    for (const folder of made) await rm(folder, { recursive: true, force: true });
    throw error;
  }
}

/** @throws BackupError when there is something in the registry */
export async function requireEmpty(client: pg.Client): Promise<void> {
  const { rows } = await client.query<{ name: string | null }>(`SELECT to_regclass('sessions')::text AS name`);
  if (rows[0]?.name == null) return;
  const filled = await client.query(
    `SELECT 1 WHERE EXISTS (SELECT 1 FROM sessions) OR EXISTS (SELECT 1 FROM apps) OR EXISTS (SELECT 1 FROM api_tokens)
                 OR EXISTS (SELECT 1 FROM proxies)`,
  );
  if (filled.rowCount !== 0) throw new BackupError('the registry is not empty: restore into an empty database');
}

/** Nobody may open a session by itself; a login that was under way is over. What had ended stays as it was. */
async function stopSessions(client: pg.Client): Promise<void> {
  await client.query(`INSERT INTO restored_sessions (session_id) SELECT id FROM sessions WHERE status = 'authorized'`);
  await client.query(
    `UPDATE sessions SET worker_id = NULL, login_again_at = NULL, former_status = NULL, former_since = NULL, updated_at = now(),
            epoch = epoch + 1, since = CASE WHEN status IN ('logged_out', 'banned', 'expired', 'error') THEN since ELSE now() END,
            status = CASE WHEN status IN ('logged_out', 'banned', 'expired', 'error') THEN status
                          WHEN status IN ('authorized', 'stopped') THEN 'stopped'
                          ELSE coalesce(former_status, 'expired') END,
            last_error = CASE status WHEN 'authorized' THEN 'restored from a backup, and not activated yet' ELSE last_error END,
            health = 'ok', health_cause = NULL, health_since = now()`,
  );
}

async function exists(path: string): Promise<boolean> {
  try {
    await stat(path);
    return true;
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return false;
    throw error;
  }
}
