import { createHash } from 'node:crypto';
import { type AppConfig, volumeOf } from '../../config/index.js';

/** What tells workers that can open each other's sessions: those with one DATA_DIR, or one STATE_STORE. */
export function volumeFor({ states: { store }, dataDir }: AppConfig): string {
  return store === undefined
    ? volumeOf(dataDir)
    : createHash('sha256').update(JSON.stringify(store.location)).digest('hex');
}
