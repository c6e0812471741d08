import type { ByteRange, ObjectInfo, Precondition } from './object-store.js';
import type { RequestHead } from './request-head.js';
import { S3Error } from './s3-error.js';

function tagsOf(header: string): readonly string[] {
  return header.split(',').map((tag) =>
    tag
      .trim()
      .replace(/^W\//, '')
      .replace(/^"(.*)"$/, '$1'),
  );
}

function matches(header: string, etag: string): boolean {
  return tagsOf(header).some((tag) => tag === '*' || tag === etag);
}

/** Seconds, as headers have dates; undefined for what is no date. */
function secondsOf(header: string | undefined): number | undefined {
  const instant = Date.parse(header ?? '');
  return Number.isNaN(instant) ? undefined : Math.floor(instant / 1000);
}

/**
 * What the conditions of a read come to, by https://www.rfc-editor.org/rfc/rfc9110#name-precedence-of-preconditions.
 * @param prefix of the headers' names, for those of a copy's source
 */
export function conditionOf(
  head: RequestHead,
  { etag, modifiedAt }: Pick<ObjectInfo, 'etag' | 'modifiedAt'>,
  prefix = '',
): 'met' | 'not_modified' | 'failed' {
  const modified = Math.floor(modifiedAt.getTime() / 1000);
  const ifMatch = head.header(`${prefix}if-match`);
  const unmodifiedSince = secondsOf(head.header(`${prefix}if-unmodified-since`));
  if (ifMatch !== undefined) {
    if (!matches(ifMatch, etag)) return 'failed';
  } else if (unmodifiedSince !== undefined && modified > unmodifiedSince) {
    return 'failed';
  }
  const ifNoneMatch = head.header(`${prefix}if-none-match`);
  const modifiedSince = secondsOf(head.header(`${prefix}if-modified-since`));
  if (ifNoneMatch !== undefined) return matches(ifNoneMatch, etag) ? 'not_modified' : 'met';
  return modifiedSince !== undefined && modified <= modifiedSince ? 'not_modified' : 'met';
}

/** What a write depends on. @throws S3Error NotImplemented for what S3 does not take on writes either */
export function preconditionOf(head: RequestHead): Precondition | undefined {
  const ifMatch = head.header('if-match');
  const ifNoneMatch = head.header('if-none-match');
  if (ifNoneMatch !== undefined && ifNoneMatch !== '*') {
    throw new S3Error('NotImplemented', 'a write may have If-None-Match with * only');
  }
  if (ifMatch !== undefined && ifNoneMatch !== undefined) {
    throw new S3Error('NotImplemented', 'a write may have If-Match or If-None-Match, not both');
  }
  if (ifNoneMatch !== undefined) return { kind: 'absent' };
  if (ifMatch === undefined) return undefined;
  const [etag = '', ...others] = tagsOf(ifMatch);
  if (others.length > 0 || etag === '*' || etag === '') {
    throw new S3Error('NotImplemented', 'a write may have If-Match with one ETag only');
  }
  return { kind: 'etag', etag };
}

/**
 * The range that a read asks for. Anything but one range of bytes is as good as none, as the RFC lets a server do.
 * @throws S3Error InvalidRange when nothing of it is within the object
 */
export function rangeOf(head: RequestHead, info: ObjectInfo): ByteRange | undefined {
  const [, first, last] = /^bytes=(\d*)-(\d*)$/.exec(head.header('range') ?? '') ?? [];
  if (first === undefined || last === undefined || first + last === '' || !isRangeMeant(head, info)) return undefined;
  const size = info.sizeBytes;
  const start = first === '' ? Math.max(0, size - Number(last)) : Number(first);
  const end = first === '' || last === '' ? size - 1 : Math.min(Number(last), size - 1);
  if (first !== '' && last !== '' && Number(last) < Number(first)) return undefined;
  if (start >= size || (first === '' && Number(last) === 0)) {
    throw new S3Error('InvalidRange', 'the range is outside the object', {
      headers: { 'content-range': `bytes */${size}` },
    });
  }
  return { start, end };
}

/** Whether If-Range allows the range. */
function isRangeMeant(head: RequestHead, { etag, modifiedAt }: ObjectInfo): boolean {
  const condition = head.header('if-range');
  if (condition === undefined) return true;
  if (/^(W\/)?"/.test(condition)) return condition === `"${etag}"`;
  return secondsOf(condition) === Math.floor(modifiedAt.getTime() / 1000);
}
