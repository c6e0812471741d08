import { randomBytes } from 'node:crypto';
import { closeSync, fsyncSync, linkSync, openSync, readFileSync, rmSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { codeOf, messageOf } from '../common/errors/thrown.js';
import { ConfigError } from './config-error.js';

/** What ROLE=all generates once for its DATA_DIR. */
export interface GeneratedSecrets {
  readonly apiToken: string;
  readonly clusterToken: string;
  readonly masterKey: Buffer;
  readonly postgresPassword: string;
}

interface Stored {
  readonly api_token: string;
  readonly cluster_token: string;
  readonly master_key: string;
  readonly postgres_password: string;
}

const NAMES = ['api_token', 'cluster_token', 'master_key', 'postgres_password'] as const satisfies (keyof Stored)[];

/** Where the generated secrets of a DATA_DIR are. */
export function secretsPath(dataDir: string): string {
  return join(dataDir, 'secrets.json');
}

/**
 * The secrets of a DATA_DIR, generated when it has none yet.
 * @param masterKey what it has to be, of a registry that is restored
 * @returns with `isNew` when they were generated just now
 * @throws ConfigError when the file is there and unreadable, or has another MASTER_KEY
 */
export function obtainSecrets(
  dataDir: string,
  masterKey?: Buffer,
): { readonly secrets: GeneratedSecrets; readonly isNew: boolean } {
  const path = secretsPath(dataDir);
  const isNew = writeOnce(path, masterKey ?? randomBytes(32));
  let stored: Partial<Stored>;
  try {
    stored = JSON.parse(readFileSync(path, 'utf8')) as Partial<Stored>;
  } catch (error) {
    throw new ConfigError([`${path} cannot be read: ${messageOf(error)}`]);
  }
  const missing = NAMES.filter((name) => typeof stored[name] !== 'string');
  if (missing.length > 0) throw new ConfigError([`${path} lacks ${missing.join(', ')}`]);
  const { api_token, cluster_token, master_key, postgres_password } = stored as Stored;
  const storedKey = Buffer.from(master_key, 'base64');
  if (masterKey && !storedKey.equals(masterKey)) throw new ConfigError([`${path} has another MASTER_KEY`]);
  if (storedKey.length !== 32) throw new ConfigError([`${path}: master_key is not 32 bytes of base64`]);
  return {
    secrets: {
      apiToken: api_token,
      clusterToken: cluster_token,
      masterKey: storedKey,
      postgresPassword: postgres_password,
    },
    isNew,
  };
}

/** Writes the file whole or not at all, and never over another; false when there is one. */
function writeOnce(path: string, masterKey: Buffer): boolean {
  const content: Stored = {
    api_token: `tgc_${randomBytes(32).toString('base64url')}`,
    cluster_token: randomBytes(32).toString('base64url'),
    master_key: masterKey.toString('base64'),
    postgres_password: randomBytes(24).toString('base64url'),
  };
  const half = `${path}.${process.pid}.new`;
  const file = openSync(half, 'w', 0o600);
  try {
    writeSync(file, `${JSON.stringify(content, null, 2)}\n`);
    fsyncSync(file);
  } finally {
    closeSync(file);
  }
  try {
    linkSync(half, path);
    return true;
  } catch (error) {
    if (codeOf(error) === 'EEXIST') return false;
    throw error;
  } finally {
    rmSync(half, { force: true });
  }
}
