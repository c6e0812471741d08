import type { Attributes, ObjectInfo } from './object-store.js';
import type { RequestHead } from './request-head.js';
import { S3Error } from './s3-error.js';

const META_PREFIX = 'x-amz-meta-';
/** S3's own limit on all names and values together. */
const MAX_METADATA_BYTES = 2048;
const MAX_HEADER_BYTES = 1024;

const HEADERS = {
  contentType: 'content-type',
  contentEncoding: 'content-encoding',
  contentLanguage: 'content-language',
  contentDisposition: 'content-disposition',
  cacheControl: 'cache-control',
  expires: 'expires',
} as const satisfies Record<Exclude<keyof Attributes, 'metadata'>, string>;
type HeaderField = keyof typeof HEADERS;
const FIELDS = Object.keys(HEADERS) as readonly HeaderField[];

/** What a request asks of an object that is made, beyond what is kept here: better refused than forgotten. */
function refuseUnkept(head: RequestHead): void {
  const acl = head.header('x-amz-acl') ?? 'private';
  if (acl !== 'private' && acl !== 'bucket-owner-full-control') {
    throw new S3Error('NotImplemented', 'there are no access lists: rights are those of the token');
  }
  if ((head.header('x-amz-storage-class') ?? 'STANDARD') !== 'STANDARD') {
    throw new S3Error('InvalidStorageClass', 'there is one storage class: STANDARD');
  }
  for (const name of head.headerNames()) {
    const isUnkept =
      name === 'x-amz-tagging' ||
      name === 'x-amz-website-redirect-location' ||
      name.startsWith('x-amz-grant-') ||
      name.startsWith('x-amz-object-lock-') ||
      name.startsWith('x-amz-server-side-encryption') ||
      name.startsWith('x-amz-copy-source-server-side-encryption');
    if (isUnkept && head.header(name) !== '') throw new S3Error('NotImplemented', `${name} is not supported`);
  }
}

/** What a request says of the object that it makes. @throws S3Error */
export function attributesOf(head: RequestHead): Attributes {
  refuseUnkept(head);
  const attributes: { -readonly [Field in HeaderField]?: string } = {};
  for (const field of FIELDS) {
    let value = head.header(HEADERS[field]);
    if (field === 'contentEncoding') value = withoutFraming(value);
    if (value === undefined || value === '') continue;
    if (value.length > MAX_HEADER_BYTES) throw new S3Error('InvalidArgument', `${HEADERS[field]} is too long`);
    attributes[field] = value;
  }
  const metadata = [...head.headerNames()]
    .filter((name) => name.startsWith(META_PREFIX))
    .map((name) => [name.slice(META_PREFIX.length), head.header(name) ?? ''] as const);
  const bytes = metadata.reduce((sum, [name, value]) => sum + name.length + value.length, 0);
  if (bytes > MAX_METADATA_BYTES) throw new S3Error('MetadataTooLarge', `more than ${MAX_METADATA_BYTES} bytes`);
  return { ...attributes, metadata: Object.fromEntries(metadata) };
}

/** aws-chunked is how the body comes, not what it is. */
function withoutFraming(encoding: string | undefined): string | undefined {
  return encoding
    ?.split(',')
    .map((coding) => coding.trim())
    .filter((coding) => coding.toLowerCase() !== 'aws-chunked')
    .join(', ');
}

/** The headers that tell of an object, with those that the query asks to be others. @throws S3Error InvalidArgument */
export function headersOf(info: ObjectInfo, head: RequestHead): Record<string, string> {
  const { attributes } = info;
  const headers: Record<string, string> = {
    'accept-ranges': 'bytes',
    etag: `"${info.etag}"`,
    'last-modified': info.modifiedAt.toUTCString(),
    'content-type': 'binary/octet-stream',
  };
  for (const field of FIELDS) {
    const name = HEADERS[field];
    const value = override(head, name) ?? attributes[field];
    if (value !== undefined) headers[name] = value;
  }
  for (const [name, value] of Object.entries(attributes.metadata)) headers[`${META_PREFIX}${name}`] = value;
  return headers;
}

function override(head: RequestHead, name: string): string | undefined {
  const text = head.parameter(`response-${name}`);
  if (text === undefined) return undefined;
  const value = Buffer.from(text, 'utf8').toString('latin1');
  if (!/^[\t\x20-\x7e\x80-\xff]*$/.test(value) || value.length > MAX_HEADER_BYTES) {
    throw new S3Error('InvalidArgument', `response-${name} cannot be a header`);
  }
  return value;
}
