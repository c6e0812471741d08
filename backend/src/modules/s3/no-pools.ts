import { ObjectStoreError, type Bucket, type ObjectStore } from './object-store.js';

function noBucket(): Promise<never> {
  return Promise.reject(new ObjectStoreError('no_such_bucket', 'there are no pools'));
}

/** The store of an installation without pools: there is no bucket, and so nothing else. */
export class NoPools implements ObjectStore {
  readonly listBuckets = (): Promise<readonly Bucket[]> => Promise.resolve([]);
  readonly findBucket = (): Promise<Bucket | undefined> => Promise.resolve(undefined);
  readonly createBucket = noBucket;
  readonly deleteBucket = noBucket;
  readonly list = noBucket;
  readonly head = noBucket;
  readonly open = noBucket;
  readonly put = noBucket;
  readonly copy = noBucket;
  readonly delete = noBucket;
  readonly createUpload = noBucket;
  readonly putPart = noBucket;
  readonly copyPart = noBucket;
  readonly completeUpload = noBucket;
  readonly abortUpload = noBucket;
  readonly listParts = noBucket;
  readonly listUploads = noBucket;
}
