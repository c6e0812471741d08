import { createShown } from '@/lib/shown';
import type { TokenValues } from './token-values';

/** The secret of a token, which the server tells this once. */
export interface ShownToken {
  readonly secret: string;
  readonly reach: Pick<TokenValues, 'all_sessions' | 'app_ids' | 'session_ids'>;
  /** Whether a call of getMe would pass, for the example. */
  readonly mayRead: boolean;
  /** Until when the secret before it serves; absent for a new token, and when that one has ended. */
  readonly formerUntil?: string;
}

/** Shows a secret until somebody says that it is stored; with undefined, ends that. */
export const { show: showToken, useShown: useShownToken } = createShown<ShownToken>();
