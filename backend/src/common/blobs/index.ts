export type { BlobStore } from './blob-store.js';
export { BlobStoreError } from './blob-store-error.js';
export { openBlobStore } from './open-blob-store.js';
