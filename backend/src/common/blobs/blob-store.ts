import type { Readable } from 'node:stream';

/** A place for whole objects under names with slashes, such as a folder or a bucket. Nothing in it is ever changed, only replaced. */
export interface BlobStore {
  /** Where it is, for messages: without credentials. */
  readonly place: string;
  /** Puts a file there; whoever reads sees it whole or not at all. Everything throws {@link BlobStoreError}. */
  put(key: string, file: string): Promise<void>;
  /** @returns undefined when there is none */
  get(key: string): Promise<Readable | undefined>;
  /** The keys that begin with `prefix`, in their order: at most 1000. @param after those greater than this one */
  list(prefix: string, after?: string): Promise<readonly string[]>;
  /** What is not there counts as removed. */
  remove(key: string): Promise<void>;
}
