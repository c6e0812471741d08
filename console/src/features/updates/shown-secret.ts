import { createShown } from '@/lib/shown';
import type { SessionRef } from '@/lib/td';

/** A secret that the server tells this once. */
export interface ShownSecret {
  readonly session: SessionRef;
  readonly subscriptionId: string;
  readonly secret: string;
  /** It replaces another one, which signs too for a day. */
  readonly isRotated: boolean;
}

/** Shows a secret until somebody says that it is stored; with undefined, ends that. */
export const { show: showSecret, useShown: useShownSecret } = createShown<ShownSecret>();
