import { useSyncExternalStore } from 'react';
import { objectQueue, type ObjectUpload } from './object-queue';

const NONE: readonly ObjectUpload[] = [];

/** What this page uploads into pools, newest state. */
export function useObjectUploads(): readonly ObjectUpload[] {
  return useSyncExternalStore(objectQueue.subscribe, objectQueue.read, () => NONE);
}
