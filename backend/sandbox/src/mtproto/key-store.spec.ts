import { randomBytes } from 'node:crypto';
import { appendFileSync, mkdtempSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { KeyStore } from './key-store.js';

describe('KeyStore', () => {
  const directory = mkdtempSync(join(tmpdir(), 'sandbox-keys-'));
  const clock = { nowMs: 1_700_000_000_000, now: () => clock.nowMs };
  const path = join(directory, 'keys.jsonl');
  let store = new KeyStore(directory, clock);
  afterAll(() => {
    store.close();
    rmSync(directory, { recursive: true, force: true });
  });

  /** As after a kill: nothing was closed. */
  function reopen(): void {
    store = new KeyStore(directory, clock);
  }

  it('has a key with owner and layer again after the process was killed', () => {
    const { id } = store.addPermanent(randomBytes(256), 1n, 2, false);
    const key = store.findPermanent(id);
    if (key) Object.assign(key, { ownerId: 77, layer: 223 });
    reopen();
    expect(store.findPermanent(id)).toMatchObject({ id, ownerId: 77, layer: 223, dc: 2, createdAt: 1_700_000_000 });
    expect(store.keysOf(77)).toHaveLength(1);
  });

  it('skips a line that was cut off', () => {
    appendFileSync(path, '{"secret":"abc');
    reopen();
    expect(store.all()).toHaveLength(1);
  });

  it('does not bring removed keys back', () => {
    const key = store.addPermanent(randomBytes(256), 1n, 2, false);
    store.remove(key);
    reopen();
    expect(store.find(key.id)).toBeUndefined();
  });

  it('follows a key from one owner to another', () => {
    const [key] = store.keysOf(77);
    if (key) key.ownerId = 78;
    expect(store.keysOf(77)).toEqual([]);
    expect(store.keysOf(78)).toEqual([key]);
  });

  it('forgets temporary keys when they expire or when their permanent key goes', () => {
    const permanent = store.addPermanent(randomBytes(256), 1n, 2, false);
    const short = store.addTemporary(randomBytes(256), 1n, 60);
    const long = store.addTemporary(randomBytes(256), 1n, 3600);
    for (const key of [short, long]) store.bind(key, permanent);
    clock.nowMs += 61_000;
    expect([store.find(short.id), store.find(long.id)]).toEqual([undefined, long]);
    store.remove(permanent);
    expect(store.find(long.id)).toBeUndefined();
  });

  it('goes back to a snapshot', () => {
    const snapshot = store.snapshot();
    const later = store.addPermanent(randomBytes(256), 1n, 2, false);
    store.restore(JSON.parse(JSON.stringify(snapshot)) as typeof snapshot);
    expect(store.find(later.id)).toBeUndefined();
    expect(store.keysOf(78)).toHaveLength(1);
  });

  it('keeps its file from others', () => {
    expect(statSync(path).mode & 0o077).toBe(0);
  });
});
