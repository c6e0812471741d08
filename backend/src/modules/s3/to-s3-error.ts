import { toAppError } from '../../common/http/index.js';
import { ObjectStoreError, type StoreRefusal } from './object-store.js';
import { S3Error, type S3ErrorCode } from './s3-error.js';

const OF_STORE: Readonly<Record<StoreRefusal, S3ErrorCode>> = {
  bucket_exists: 'BucketAlreadyExists',
  bucket_not_empty: 'BucketNotEmpty',
  busy: 'SlowDown',
  full: 'ServiceUnavailable',
  invalid_part: 'InvalidPart',
  lost: 'ObjectLost',
  no_such_bucket: 'NoSuchBucket',
  no_such_key: 'NoSuchKey',
  no_such_upload: 'NoSuchUpload',
  not_supported: 'NotImplemented',
  part_too_small: 'EntityTooSmall',
  precondition_failed: 'PreconditionFailed',
  too_large: 'EntityTooLarge',
  unavailable: 'ServiceUnavailable',
};

/** S3's error for whatever was thrown. InternalError is a bug of ours; clients repeat after SlowDown and ServiceUnavailable. */
export function toS3Error(thrown: unknown): S3Error {
  if (thrown instanceof S3Error) return thrown;
  const retryAfter = (seconds: number | undefined): { retryAfterSeconds: number } => ({
    retryAfterSeconds: seconds ?? 1,
  });
  if (thrown instanceof ObjectStoreError) {
    const code = OF_STORE[thrown.refusal];
    const isPassing = code === 'SlowDown' || code === 'ServiceUnavailable';
    return new S3Error(code, thrown.message, isPassing ? retryAfter(thrown.retryAfterSeconds) : {});
  }
  const error = toAppError(thrown);
  if (error.status === 429) return new S3Error('SlowDown', error.message, retryAfter(error.retryAfterSeconds));
  if (error.status > 500) return new S3Error('ServiceUnavailable', error.message, retryAfter(error.retryAfterSeconds));
  return new S3Error('InternalError', 'internal error');
}
