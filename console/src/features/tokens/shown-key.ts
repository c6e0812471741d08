import { createShown } from '@/lib/shown';

/** An access key of S3 with its secret, which the server tells this once. */
export interface ShownKey {
  readonly id: string;
  readonly secret: string;
  /** Where the gateway listens for S3; absent while it does not. */
  readonly port: number | undefined;
}

/** Shows a key until somebody says that it is stored; with undefined, ends that. */
export const { show: showKey, useShown: useShownKey } = createShown<ShownKey>();
