import {
  closeSync,
  existsSync,
  mkdirSync,
  openSync,
  readFileSync,
  renameSync,
  writeFileSync,
  writeSync,
} from 'node:fs';
import { join } from 'node:path';
import type { Clock, KeySnapshot } from '../rpc.js';
import { PermanentKey, TemporaryKey, type EncryptionKey, type KeyRecord } from './auth-key.js';
import { authKeyId } from './crypto/key-derivation.js';

const FILE = 'keys.jsonl';

/** A line of the file: the key's state from now on, or only its id when it is gone. */
type Line = KeyRecord | { readonly gone: string };

/**
 * All authorization keys. Permanent ones are kept in a file that is appended to at each change, because a client whose
 * permanent key is forgotten logs out within about a minute; temporary ones are made anew by the client when forgotten.
 */
export class KeyStore {
  private readonly permanent = new Map<bigint, PermanentKey>();
  private readonly temporary = new Map<bigint, TemporaryKey>();
  /** Rebuilt when asked for after a change: pushes ask far more often than keys change hands. */
  private byOwner: ReadonlyMap<number, PermanentKey[]> | undefined;
  private readonly path: string;
  private file: number;

  constructor(
    directory: string,
    private readonly clock: Clock,
  ) {
    mkdirSync(directory, { recursive: true });
    this.path = join(directory, FILE);
    for (const record of readRecords(this.path)) this.remember(record);
    this.file = this.compact();
  }

  find(id: bigint): EncryptionKey | undefined {
    return this.permanent.get(id) ?? this.findTemporary(id);
  }

  findPermanent(id: bigint): PermanentKey | undefined {
    return this.permanent.get(id);
  }

  all(): PermanentKey[] {
    return [...this.permanent.values()];
  }

  keysOf(ownerId: number): PermanentKey[] {
    this.byOwner ??= groupByOwner(this.permanent.values());
    return this.byOwner.get(ownerId) ?? [];
  }

  addPermanent(secret: Buffer, firstSalt: bigint, dc: number, testMode: boolean): PermanentKey {
    const createdAt = Math.floor(this.clock.now() / 1000);
    const key = this.remember({ secret: secret.toString('base64'), createdAt, dc, testMode }, firstSalt);
    this.append(key.toRecord());
    return key;
  }

  /** @param expiresIn seconds */
  addTemporary(secret: Buffer, firstSalt: bigint, expiresIn: number): TemporaryKey {
    const expiresAt = Math.floor(this.clock.now() / 1000) + expiresIn;
    const key = new TemporaryKey(authKeyId(secret), secret, firstSalt, expiresAt, this.clock);
    this.temporary.set(key.id, key);
    return key;
  }

  /** Marks a temporary key as standing for a permanent one. */
  bind(key: TemporaryKey, permanent: PermanentKey): void {
    key.permanent?.temporaryKeys.delete(key);
    key.permanent = permanent;
    permanent.temporaryKeys.add(key);
  }

  removeTemporary(key: TemporaryKey): void {
    this.temporary.delete(key.id);
    key.permanent?.temporaryKeys.delete(key);
  }

  /** Temporary keys that have expired and are not used any more would pile up otherwise. */
  removeExpired(): void {
    for (const key of this.temporary.values()) {
      if (this.isExpired(key)) this.removeTemporary(key);
    }
  }

  /** The temporary keys bound to it go with it. */
  remove(key: PermanentKey): void {
    if (!this.permanent.delete(key.id)) return;
    for (const temporary of key.temporaryKeys) this.temporary.delete(temporary.id);
    this.byOwner = undefined;
    this.append({ gone: String(key.id) });
  }

  snapshot(): KeySnapshot {
    return this.all().map((key) => ({ ...key.toRecord() }));
  }

  restore(snapshot: KeySnapshot): void {
    this.permanent.clear();
    this.temporary.clear();
    this.byOwner = undefined;
    for (const record of snapshot) this.remember(record as Readonly<Record<string, unknown>> & KeyRecord);
    closeSync(this.file);
    this.file = this.compact();
  }

  close(): void {
    closeSync(this.file);
  }

  private findTemporary(id: bigint): TemporaryKey | undefined {
    const key = this.temporary.get(id);
    if (!key || !this.isExpired(key)) return key;
    this.removeTemporary(key);
    return undefined;
  }

  private isExpired(key: TemporaryKey): boolean {
    return key.expiresAt * 1000 <= this.clock.now();
  }

  private remember(record: KeyRecord, firstSalt?: bigint): PermanentKey {
    const id = authKeyId(Buffer.from(record.secret, 'base64'));
    const key = new PermanentKey(id, record, firstSalt, this.clock, (changed) => {
      if (this.permanent.get(changed.id) !== changed) return;
      this.byOwner = undefined;
      this.append(changed.toRecord());
    });
    this.permanent.set(id, key);
    this.byOwner = undefined;
    return key;
  }

  /** Rewrites the file with one line a key and opens it for appending. */
  private compact(): number {
    const fresh = `${this.path}.new`;
    writeFileSync(
      fresh,
      this.all()
        .map((key) => `${JSON.stringify(key.toRecord())}\n`)
        .join(''),
      { mode: 0o600 },
    );
    renameSync(fresh, this.path);
    return openSync(this.path, 'a');
  }

  private append(line: Line): void {
    writeSync(this.file, `${JSON.stringify(line)}\n`);
  }
}

function groupByOwner(keys: Iterable<PermanentKey>): ReadonlyMap<number, PermanentKey[]> {
  const groups = new Map<number, PermanentKey[]>();
  for (const key of keys) {
    if (key.ownerId === undefined) continue;
    const group = groups.get(key.ownerId);
    if (group) group.push(key);
    else groups.set(key.ownerId, [key]);
  }
  return groups;
}

function readRecords(path: string): Iterable<KeyRecord> {
  if (!existsSync(path)) return [];
  const records = new Map<string, KeyRecord>();
  for (const text of readFileSync(path, 'utf8').split('\n')) {
    const line = parseLine(text);
    if (!line) continue;
    if ('gone' in line) records.delete(line.gone);
    else records.set(String(authKeyId(Buffer.from(line.secret, 'base64'))), line);
  }
  return records.values();
}

/** A process that was killed may leave half a line at the end; it is skipped. */
function parseLine(text: string): Line | undefined {
  try {
    return JSON.parse(text) as Line;
  } catch {
    return undefined;
  }
}
