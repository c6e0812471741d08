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
    return null; // Storage is switched off: nothing is remembered then.
  }
}

/** Remembers something of this browser (never what the server answered, never secrets) and tells every reader of it. */
export function writeStored(key: string, value: string | null): void {
  try {
    if (value === null) window.localStorage.removeItem(key);
    else window.localStorage.setItem(key, value);
  } catch {
    // As in read: nothing to keep it in.
  }
  notify();
}

/** What this browser remembers under `key`; null when nothing. */
export function useStored(key: string): string | null {
  return useSyncExternalStore(
    subscribe,
    () => read(key),
    () => null,
  );
}
