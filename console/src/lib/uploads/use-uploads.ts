import { useEffect, useSyncExternalStore } from 'react';
import { uploadQueue, type UploadItem } from './upload-queue';

const NONE: readonly UploadItem[] = [];

/** What this page uploads, newest state. */
export function useUploads(): readonly UploadItem[] {
  return useSyncExternalStore(uploadQueue.subscribe, uploadQueue.read, () => NONE);
}

/** Asks before a page is left that still uploads, and goes on as soon as the network is back. For the frame of all pages. */
export function useUploadGuard(): void {
  const isBusy = useUploads().some(({ state }) => state === 'sending' || state === 'waiting' || state === 'cut');
  useEffect(() => {
    if (!isBusy) return;
    const hold = (event: BeforeUnloadEvent): void => event.preventDefault();
    const retry = (): void => uploadQueue.retryNow();
    window.addEventListener('beforeunload', hold);
    window.addEventListener('online', retry);
    return () => {
      window.removeEventListener('beforeunload', hold);
      window.removeEventListener('online', retry);
    };
  }, [isBusy]);
}
