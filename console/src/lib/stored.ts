import { useSyncExternalStore } from 'react';

const listeners = new Set<() => void>();
const notify = (): void => {
  for (const listener of listeners) listener();
};

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  window.addEventListener('storage', listener);
  return () => {
    listeners.delete(listener);
    window.removeEventListener('storage', listener);
  };
}

function read(key: string): string | null {
  try {
    return window.localStorage.getItem(key);
  } catch {
    return null; // storage is switched off; the preference then lasts for this page only
  }
}

/** Remembers a preference of this browser (never data, never secrets) and tells every reader of it. */
export function writeStored(key: string, value: string | null): void {
  try {
    if (value === null) window.localStorage.removeItem(key);
    else window.localStorage.setItem(key, value);
  } catch {
    // As in read: nothing to keep it in.
  }
  notify();
}

/** A remembered preference; null when it was never set. */
export function useStored(key: string): string | null {
  return useSyncExternalStore(
    subscribe,
    () => read(key),
    () => null,
  );
}
