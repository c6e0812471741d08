import { useSyncExternalStore } from 'react';
import type { SessionRef } from '@/lib/td';

/** A secret that the server tells this once. */
export interface ShownSecret {
  readonly session: SessionRef;
  readonly subscriptionId: string;
  readonly secret: string;
  /** It replaces another one, which signs too for a day. */
  readonly isRotated: boolean;
}

/** Outside of every page: whatever takes a page away must not take the secret. */
let shown: ShownSecret | undefined;
const listeners = new Set<() => void>();

/** Shows a secret until somebody says that it is stored; with undefined, ends that. */
export function showSecret(secret: ShownSecret | undefined): void {
  shown = secret;
  for (const listener of listeners) listener();
}

/** The secret to be shown now. */
export function useShownSecret(): ShownSecret | undefined {
  return useSyncExternalStore(
    (listener) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    () => shown,
    () => undefined,
  );
}
