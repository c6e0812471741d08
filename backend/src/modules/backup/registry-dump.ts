import type { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type pg from 'pg';
import { from as copyFrom, to as copyTo } from 'pg-copy-streams';

/** A table in a dump: its rows as COPY writes them as text. */
export interface DumpedTable {
  readonly name: string;
  readonly columns: readonly string[];
}

/** What the processes of one installation make themselves, or what another one must have of its own. */
const LEFT_OUT: ReadonlySet<string> = new Set(['migrations', 'key_check', 'workers', 'instance', 'session_states']);
/** A table that takes longer is no registry's. */
const STATEMENT_TIMEOUT_MS = 600_000;

const quoted = (name: string): string => `"${name.replaceAll('"', '""')}"`;
const listOf = ({ columns }: DumpedTable): string => columns.map(quoted).join(', ');

/** Everything that is read until the transaction ends is of this moment. */
export async function beginDump(client: pg.Client): Promise<void> {
  await client.query(`SET statement_timeout = ${STATEMENT_TIMEOUT_MS}`);
  await client.query('BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY');
}

/** The tables of the registry, each after those that it refers to. */
export async function tablesOf(client: pg.Client): Promise<readonly DumpedTable[]> {
  const { rows } = await client.query<{ name: string; columns: string[]; needs: string[] | null }>(
    `SELECT c.relname AS name,
            (SELECT array_agg(a.attname::text ORDER BY a.attnum) FROM pg_attribute a
              WHERE a.attrelid = c.oid AND a.attnum > 0 AND NOT a.attisdropped AND a.attgenerated = '') AS columns,
            (SELECT array_agg(DISTINCT r.relname::text) FROM pg_constraint f JOIN pg_class r ON r.oid = f.confrelid
              WHERE f.conrelid = c.oid AND f.contype = 'f' AND f.confrelid <> c.oid) AS needs
       FROM pg_class c
      WHERE c.relnamespace = 'public'::regnamespace AND c.relkind IN ('r', 'p') AND NOT c.relispartition
      ORDER BY c.relname`,
  );
  const waiting = rows.filter(({ name }) => !LEFT_OUT.has(name));
  const sorted: DumpedTable[] = [];
  while (waiting.length > 0) {
    const next = waiting.findIndex(({ needs }) => !waiting.some(({ name }) => needs?.includes(name)));
    const [table] = waiting.splice(Math.max(0, next), 1);
    if (table === undefined || next < 0) throw new Error('the tables of the registry refer to each other in a circle');
    sorted.push({ name: table.name, columns: table.columns });
  }
  return sorted;
}

/** The rows of a table, of the moment of {@link beginDump}. */
export function readTable(client: pg.Client, table: DumpedTable): Readable {
  return client.query(copyTo(`COPY (SELECT ${listOf(table)} FROM ${quoted(table.name)}) TO STDOUT`));
}

/** Puts rows that {@link readTable} gave into a table that is empty. */
export async function writeTable(
  client: pg.Client,
  table: DumpedTable,
  rows: AsyncIterable<Uint8Array>,
): Promise<void> {
  await pipeline(rows, client.query(copyFrom(`COPY ${quoted(table.name)} (${listOf(table)}) FROM STDIN`)));
}

/** How far each sequence has counted; numbers that are given out while this runs may be counted as well. */
export async function sequencesOf(client: pg.Client): Promise<Readonly<Record<string, string>>> {
  const { rows } = await client.query<{ name: string; value: string | null }>(
    `SELECT sequencename AS name, last_value::text AS value FROM pg_sequences WHERE schemaname = 'public'`,
  );
  return Object.fromEntries(
    rows.flatMap(({ name, value }) => (value === null || name === 'migrations_id_seq' ? [] : [[name, value]])),
  );
}

/** The counterpart of {@link sequencesOf}. */
export async function setSequences(client: pg.Client, sequences: Readonly<Record<string, string>>): Promise<void> {
  for (const [name, value] of Object.entries(sequences)) {
    await client.query(`SELECT setval($1::regclass, $2)`, [quoted(name), value]);
  }
}
