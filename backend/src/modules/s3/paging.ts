import type { RequestHead } from './request-head.js';
import { encodePath } from './request-head.js';
import { S3Error } from './s3-error.js';
import type { XmlNode } from './xml.js';

/** S3 gives no more entries at once. */
export const MAX_ENTRIES = 1000;

/** How many entries a list is to have; more than S3 gives are as good as that. @throws S3Error InvalidArgument */
export function limitOf(head: RequestHead, parameter: string): number {
  return Math.min(numberOf(head, parameter) ?? MAX_ENTRIES, MAX_ENTRIES);
}

/** A number of the query that is no less than 0. @throws S3Error InvalidArgument */
export function numberOf(head: RequestHead, parameter: string): number | undefined {
  const text = head.parameter(parameter);
  if (text === undefined || text === '') return undefined;
  if (!/^\d{1,10}$/.test(text)) throw new S3Error('InvalidArgument', `${parameter} must be a whole number`);
  return Number(text);
}

/** How keys are written in a list: as they are, or percent-encoded, for XML cannot have all characters. */
export interface KeyCoding {
  readonly node: XmlNode;
  of(text: string): string;
}

/** @throws S3Error InvalidArgument */
export function codingOf(head: RequestHead): KeyCoding {
  const type = head.parameter('encoding-type');
  if (type !== undefined && type !== 'url') throw new S3Error('InvalidArgument', 'encoding-type can only be url');
  return { node: ['EncodingType', type], of: (text) => (type === 'url' ? encodePath(text) : text) };
}

/** Hides where a list goes on, so that nobody builds on it. */
export function makeToken(position: object): string {
  return Buffer.from(JSON.stringify(position)).toString('base64url');
}

/** @throws S3Error InvalidArgument for what {@link makeToken} has not made */
export function readToken(token: string): Readonly<Record<string, unknown>> {
  try {
    const position: unknown = JSON.parse(Buffer.from(token, 'base64url').toString());
    if (typeof position === 'object' && position !== null) return position as Record<string, unknown>;
  } catch {
    // Falls through to the refusal.
  }
  throw new S3Error('InvalidArgument', 'the continuation token is not one of ours');
}

export function etagOf(etag: string): string {
  return `"${etag}"`;
}
