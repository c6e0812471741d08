import { setTimeout as sleep } from 'node:timers/promises';
import type pg from 'pg';
import type { BlobStore } from '../../common/blobs/index.js';
import { messageOf } from '../../common/errors/index.js';
import { readFence, writeFence } from '../instance/index.js';
import { BackupError } from './backup-error.js';

/** What an activation has done. */
export interface Activation {
  readonly isNew: boolean;
  /** Sessions that workers open from now on. */
  readonly sessions: number;
}

interface InstanceRow {
  readonly id: string;
  readonly restored_from: string | null;
  readonly activated_at: Date | null;
}

/**
 * The operator's word that the original is gone: the restored copy may open sessions, and those that were authorized in the backup are
 * opened. Before that the original, and every other copy of the same backup, is told in the backup store that its place is taken.
 * @param store undefined when none is set
 * @param settleMs how long to wait after that, so that an original that still runs has read it and ended
 * @param iKnow go on without having told; the operator knows that nothing else of this backup runs or will run
 * @throws BackupError when another copy was activated, or nobody can be told
 */
export async function activate(
  client: pg.Client,
  store: BlobStore | undefined,
  { iKnow, settleMs }: { readonly iKnow: boolean; readonly settleMs: number },
): Promise<Activation> {
  const { rows } = await client.query<InstanceRow>('SELECT id, restored_from, activated_at FROM instance');
  const [row] = rows;
  if (row === undefined) throw new BackupError('this is no registry of tgcontrol');
  if (row.activated_at !== null || row.restored_from === null) return { isNew: false, sessions: 0 };
  if (await raiseFence(store, row.restored_from, row.id, iKnow)) await sleep(settleMs);
  await client.query('BEGIN');
  await client.query('UPDATE instance SET activated_at = now()');
  const opened = await client.query(
    `UPDATE sessions SET status = 'authorized', since = now(), last_error = NULL, updated_at = now()
      WHERE status = 'stopped' AND id IN (SELECT session_id FROM restored_sessions)`,
  );
  await client.query('DELETE FROM restored_sessions');
  await client.query('COMMIT');
  return { isNew: true, sessions: opened.rowCount ?? 0 };
}

/** @returns whether who asks the store will find it there */
async function raiseFence(
  store: BlobStore | undefined,
  original: string,
  self: string,
  iKnow: boolean,
): Promise<boolean> {
  try {
    if (store === undefined) throw new Error('BACKUP_STORE is not set');
    const standing = await readFence(store, original);
    if (standing === undefined) await writeFence(store, original, { activated: self, at: new Date().toISOString() });
    // Of two that are activated at the same time one finds the other's.
    const { activated, at } = standing ?? (await readFence(store, original)) ?? { activated: '', at: '' };
    if (activated !== self) {
      throw new BackupError(
        `another copy of the same original was activated at ${at} (instance ${activated}): two must not run`,
      );
    }
    return true;
  } catch (error) {
    if (error instanceof BackupError) throw error;
    if (!iKnow) {
      throw new BackupError(
        `the original cannot be told that this copy takes its place: ${messageOf(error)}. If it is certain that neither the original nor another copy runs or will run, activate with --i-know`,
        { cause: error },
      );
    }
    return false;
  }
}
