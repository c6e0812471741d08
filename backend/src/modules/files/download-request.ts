import { FileChangedError, RangeNotSatisfiableError } from './downloads.errors.js';

/** What of a file is wanted, and what the client has of it already. */
export interface DownloadHeaders {
  readonly range?: string | undefined;
  readonly ifRange?: string | undefined;
  readonly ifNoneMatch?: string | undefined;
  /** What the file must be. */
  readonly ifMatch?: string | undefined;
}

/** What is answered: nothing new, all, or one stretch. */
export type Selection =
  | { readonly kind: 'unchanged' }
  | { readonly kind: 'whole' }
  | { readonly kind: 'part'; readonly from: number; /** The first byte that is not sent. */ readonly to: number };

const WHOLE: Selection = { kind: 'whole' };
const ONE_RANGE = /^bytes\s*=\s*(\d*)\s*-\s*(\d*)\s*$/i;

/** @throws FileChangedError unless the file is one that If-Match names, which compares strongly */
export function requireMatch(etag: string | undefined, { ifMatch }: DownloadHeaders): void {
  if (ifMatch !== undefined && !tagsOf(ifMatch).some((tag) => tag === '*' || tag === etag)) {
    throw new FileChangedError();
  }
}

/**
 * Decides by RFC 9110, parts 13 and 14. A malformed Range, and one with several ranges, is answered with the whole file, which the
 * RFC allows.
 * @throws RangeNotSatisfiableError
 */
export function select(
  size: number,
  etag: string | undefined,
  { range, ifRange, ifNoneMatch }: DownloadHeaders,
): Selection {
  if (ifNoneMatch !== undefined && etag !== undefined && matches(ifNoneMatch, etag)) {
    return { kind: 'unchanged' };
  }
  const match = range === undefined ? null : ONE_RANGE.exec(range);
  const [, first = '', last = ''] = match ?? [];
  if (match === null || (first === '' && last === '') || (ifRange !== undefined && ifRange.trim() !== etag)) {
    return WHOLE;
  }
  if (first === '') {
    const bytes = Math.min(Number(last), size);
    if (bytes === 0) throw new RangeNotSatisfiableError(size);
    return { kind: 'part', from: size - bytes, to: size };
  }
  const from = Number(first);
  if (last !== '' && Number(last) < from) {
    return WHOLE;
  }
  if (from >= size) throw new RangeNotSatisfiableError(size);
  return { kind: 'part', from, to: last === '' ? size : Math.min(size, Number(last) + 1) };
}

/** If-None-Match compares weakly. */
function matches(header: string, etag: string): boolean {
  return tagsOf(header).some((tag) => tag === '*' || tag.replace(/^W\//, '') === etag);
}

function tagsOf(header: string): readonly string[] {
  return header.split(',').map((tag) => tag.trim());
}

/** A file name for every client: plain characters for old ones (RFC 6266), the real name for the others (RFC 8187). */
export function contentDisposition(name: string): string {
  const plain = name.replace(/[^\x20-\x7e]/g, '_').replace(/["\\%]/g, '_');
  const encoded = encodeURIComponent(name.replace(/\p{Surrogate}/gu, '_')).replace(
    /['()*]/g,
    (character) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`,
  );
  return `attachment; filename="${plain}"; filename*=UTF-8''${encoded}`;
}
