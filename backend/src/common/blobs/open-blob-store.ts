import type { StoreSettings } from '../../config/index.js';
import type { BlobStore } from './blob-store.js';
import { FileStore } from './file-store.js';
import { S3Store } from './s3-store.js';

/** The store of a setting. Nothing is asked of it yet. */
export function openBlobStore({ location, credentials }: StoreSettings): BlobStore {
  switch (location.kind) {
    case 'file':
      return new FileStore(location.dir);
    case 's3':
      return new S3Store(location, credentials);
  }
}
