import { useSyncExternalStore } from 'react';

/**
 * Something that is shown until somebody answers it, such as a secret that the server tells once. It is kept outside of every
 * page: whatever takes a page away must not take it.
 */
export function createShown<T>(): {
  readonly show: (value: T | undefined) => void;
  readonly useShown: () => T | undefined;
} {
  let shown: T | undefined;
  const listeners = new Set<() => void>();
  const subscribe = (listener: () => void) => {
    listeners.add(listener);
    return () => listeners.delete(listener);
  };
  return {
    show: (value) => {
      shown = value;
      for (const listener of listeners) listener();
    },
    useShown: () =>
      useSyncExternalStore(
        subscribe,
        () => shown,
        () => undefined,
      ),
  };
}
