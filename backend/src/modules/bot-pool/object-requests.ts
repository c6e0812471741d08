import type { Readable } from 'node:stream';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { ValidationFailedError } from '../../common/errors/index.js';
import { select, sendFile } from '../files/index.js';
import { ObjectReplacedError, PreconditionFailedError } from './bot-pool.errors.js';
import type { ObjectDto } from './object.dto.js';
import type { ObjectRow, Precondition } from './stored-object.js';

const MAX_KEY_BYTES = 1_024;
const META = 'x-meta-';
const READ_ATTEMPTS = 3;

/** For the document. */
export const IF_MATCH = {
  name: 'If-Match',
  required: false,
  description: 'ETags: 412 unless the object has one of them',
} as const;
/** For the document. */
export const IF_NONE_MATCH = {
  name: 'If-None-Match',
  required: false,
  description: 'ETags, or *: 412 when the object has one of them, or is there at all',
} as const;

/** An object as the API has it. */
export function toObjectDto(object: ObjectRow): ObjectDto {
  const { id, key, sizeBytes, etag, sha256, contentType, metadata, createdAt } = object;
  return {
    key,
    version: id,
    size: sizeBytes,
    etag,
    ...(sha256 !== undefined && { sha256 }),
    content_type: contentType,
    metadata,
    created_at: createdAt.toISOString(),
  };
}

/** The answer to a read, without its bytes. @throws RangeNotSatisfiableError, PreconditionFailedError */
export function answerOf(
  request: FastifyRequest,
  reply: FastifyReply,
  { sizeBytes, etag, contentType, headers: said, metadata, createdAt }: ObjectRow,
): { readonly status: number; readonly headers: Record<string, string>; readonly from: number; readonly to: number } {
  const tag = `"${etag}"`;
  const { range, 'if-range': ifRange, 'if-none-match': ifNoneMatch } = request.headers;
  const { ifMatch } = preconditionOf(request);
  if (ifMatch !== undefined && !ifMatch.some((each) => each === '*' || each === tag))
    throw new PreconditionFailedError();
  // A range that cannot be is told with what there is.
  void reply.header('content-range', `bytes */${sizeBytes}`);
  const selection = select(sizeBytes, tag, {
    range: sizeBytes === 0 ? undefined : range,
    ifRange: typeof ifRange === 'string' ? ifRange : undefined,
    ifNoneMatch,
  });
  reply.removeHeader('content-range');
  const headers = {
    etag: tag,
    'accept-ranges': 'bytes',
    'cache-control': 'private, no-cache',
    'last-modified': createdAt.toUTCString(),
    ...said,
    ...Object.fromEntries(Object.entries(metadata).map(([name, value]) => [`${META}${name}`, value])),
  };
  if (selection.kind === 'unchanged') return { status: 304, headers, from: 0, to: 0 };
  const { from, to } = selection.kind === 'part' ? selection : { from: 0, to: sizeBytes };
  return {
    status: selection.kind === 'part' ? 206 : 200,
    headers: {
      ...headers,
      'content-type': contentType,
      'content-length': String(to - from),
      ...(selection.kind === 'part' && { 'content-range': `bytes ${from}-${to - 1}/${sizeBytes}` }),
    },
    from,
    to,
  };
}

/** Where the bytes of an answer come from. */
export interface ObjectSource {
  readonly find: () => Promise<ObjectRow>;
  readonly read: (object: ObjectRow, from: number, to: number) => Promise<Readable>;
  /** Instead of what the object says. */
  readonly headers?: Readonly<Record<string, string>>;
}

/** Answers a read of an object. @throws what the source throws before the first byte, and as answerOf */
export async function sendObject(
  request: FastifyRequest,
  reply: FastifyReply,
  { find, read, headers: said = {} }: ObjectSource,
): Promise<void> {
  for (let attempt = 1; ; attempt += 1) {
    const object = await find();
    const { status, headers, from, to } = answerOf(request, reply, object);
    try {
      const body = from < to ? await read(object, from, to) : undefined;
      await sendFile(reply, { status, headers: { ...headers, ...said }, body, fileId: 0 });
      return;
    } catch (error) {
      // Replaced in this moment: the one that is there now is as good.
      if (!(error instanceof ObjectReplacedError) || attempt === READ_ATTEMPTS) throw error;
    }
  }
}

/** @throws ValidationFailedError for what can be no key */
export function validKey(key: string): string {
  const bytes = Buffer.byteLength(key);
  if (bytes === 0 || bytes > MAX_KEY_BYTES || key.includes('\0')) {
    const message = `a key has 1 to ${MAX_KEY_BYTES} bytes, and not the character U+0000`;
    throw new ValidationFailedError([{ path: 'key', message }]);
  }
  return key;
}

/** What the headers X-Meta-* say, by what follows in their names. */
export function metadataOf({ headers }: FastifyRequest): Record<string, string> {
  return Object.fromEntries(
    Object.entries(headers).flatMap(([name, value]) =>
      name.startsWith(META) && name.length > META.length ? [[name.slice(META.length), String(value)] as const] : [],
    ),
  );
}

/** What If-Match and If-None-Match ask for. */
export function preconditionOf({ headers }: FastifyRequest): Precondition {
  const { 'if-match': ifMatch, 'if-none-match': ifNoneMatch } = headers;
  return { ifMatch: tagsOf(ifMatch), ifNoneMatch: tagsOf(ifNoneMatch) };
}

function tagsOf(header: string | undefined): readonly string[] | undefined {
  return header?.split(',').map((tag) => tag.trim());
}
