import { randomUUID } from 'node:crypto';
import type { TestDatabase } from './database.js';

/** An app that is only a row: nobody logs in with it. */
export async function insertApp(database: TestDatabase): Promise<string> {
  const id = randomUUID();
  await database.query(`INSERT INTO apps (id, api_id, api_hash_sealed) VALUES ($1, 1, 'x')`, [id]);
  return id;
}

/** A session that is only a row, and stopped: no worker wants it. */
export async function insertSession(
  database: TestDatabase,
  appId: string,
  { kind = 'bot', phone }: { readonly kind?: 'bot' | 'user'; readonly phone?: string } = {},
): Promise<string> {
  const id = randomUUID();
  await database.query(
    `INSERT INTO sessions (id, kind, app_id, db_key_sealed, status, phone) VALUES ($1, $2, $3, 'x', 'stopped', $4)`,
    [id, kind, appId, phone ?? null],
  );
  return id;
}

/** A pool of bots that is only a row. */
export async function insertPool(database: TestDatabase): Promise<string> {
  const id = randomUUID();
  await database.query(
    `INSERT INTO pools (id, name, chunk_bytes, budget_max, budget_window_ms, budget_gap_ms) VALUES ($1, $2, 1, 1, 1, 1)`,
    [id, id],
  );
  return id;
}
