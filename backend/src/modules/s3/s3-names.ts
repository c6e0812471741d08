import { S3Error } from './s3-error.js';

const MAX_KEY_BYTES = 1024;

/** By the rules of S3 for new buckets. */
export function isBucketName(name: string): boolean {
  return (
    /^[a-z0-9](?:[a-z0-9.-]{1,61})[a-z0-9]$/.test(name) &&
    !name.includes('..') &&
    !/^\d+\.\d+\.\d+\.\d+$/.test(name) &&
    !/^(xn--|sthree-|amzn-s3-demo-)/.test(name) &&
    !/(-s3alias|--ol-s3|\.mrap|--x-s3|--table-s3)$/.test(name)
  );
}

/** A key that can be one. @throws S3Error */
export function requireKey(key: string): string {
  if (key === '') throw new S3Error('InvalidArgument', 'the key is empty');
  if (Buffer.byteLength(key) > MAX_KEY_BYTES) {
    throw new S3Error('KeyTooLongError', `a key has at most ${MAX_KEY_BYTES} bytes`);
  }
  if (key.includes('\0') || /\p{Surrogate}/u.test(key))
    throw new S3Error('InvalidArgument', 'the key is not UTF-8 without NUL');
  return key;
}
