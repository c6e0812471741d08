import { useEffect, useSyncExternalStore } from 'react';
import { uploadQueue, type UploadItem } from './upload-queue';

const NONE: readonly UploadItem[] = [];

/** What this page uploads, newest state. */
export function useUploads(): readonly UploadItem[] {
  return useSyncExternalStore(uploadQueue.subscribe, uploadQueue.read, () => NONE);
}

/**
 * Asks before a page is left that still uploads, and goes on as soon as the network is back. For the frame of all pages.
 * @param isBusyElsewhere whether it uploads into pools, which would begin anew
 */
export function useUploadGuard(isBusyElsewhere: boolean): void {
  const isSending = useUploads().some(({ state }) => state === 'sending' || state === 'waiting' || state === 'cut');
  const isBusy = isBusyElsewhere || isSending;
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
