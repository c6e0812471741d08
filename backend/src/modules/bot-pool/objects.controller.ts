import { Body, Controller, Delete, Get, Head, Param, Post, Put, Query, Req, Res } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { ValidationFailedError } from '../../common/errors/index.js';
import {
  Access,
  ApiBody,
  ApiHeader,
  ApiOperation,
  ApiParam,
  ApiResponse,
  ApiTags,
  currentCaller,
  NoEnvelope,
  RawBody,
  requirePlainBody,
  Requires,
  Returns,
} from '../../common/http/index.js';
import { select, sendFile } from '../files/index.js';
import {
  CollectedDto,
  CopyObjectDto,
  ListObjectsQueryDto,
  ObjectDeletedDto,
  ObjectDto,
  ObjectListDto,
  ObjectStatDto,
} from './object.dto.js';
import { worstOf } from './blob-eraser.js';
import { ObjectReplacedError, PreconditionFailedError } from './bot-pool.errors.js';
import { BucketsService } from './buckets.service.js';
import { ObjectsService } from './objects.service.js';
import { PartUploads } from './part-uploads.js';
import { requestBody } from './request-body.js';
import type { ObjectRow, Precondition } from './stored-object.js';

const DEFAULT_LIMIT = 100;
const READ_ATTEMPTS = 3;
const MAX_KEY_BYTES = 1_024;
const META = 'x-meta-';
const BYTES = { 'application/octet-stream': { schema: { type: 'string', format: 'binary' } } } as const;
const KEY = { name: 'key', type: 'string', description: 'percent-encoded; slashes may stand as they are' } as const;
const IF_MATCH = {
  name: 'If-Match',
  required: false,
  description: 'ETags: 412 unless the object has one of them',
} as const;
const IF_NONE_MATCH = {
  name: 'If-None-Match',
  required: false,
  description: 'ETags, or *: 412 when the object has one of them, or is there at all',
} as const;

/** Objects of any size, kept in the messages of a pool. */
@ApiTags('pools')
@Controller('v1/pools/:pool')
@Requires(Access.CoveredPool, 'read')
export class ObjectsController {
  constructor(
    private readonly objects: ObjectsService,
    private readonly buckets: BucketsService,
    private readonly uploads: PartUploads,
  ) {}

  @Put('objects/*')
  @Requires(Access.CoveredPool, 'write')
  @RawBody()
  @Returns(ObjectDto)
  @ApiParam(KEY)
  @ApiHeader(IF_MATCH)
  @ApiHeader(IF_NONE_MATCH)
  @ApiHeader({ name: 'Content-MD5', required: false, description: 'base64: 422 unless the body has it' })
  @ApiHeader({ name: 'X-Content-SHA256', required: false, description: 'hexadecimal: 422 unless the body has it' })
  @ApiHeader({
    name: 'X-Max-Wait',
    required: false,
    description: 'seconds: 429 at once, instead of a wait, when all bots rest for longer',
  })
  @ApiHeader({ name: 'X-Meta-*', required: false, description: 'kept with the object and given back with it' })
  @ApiBody({ required: true, schema: BYTES['application/octet-stream'].schema })
  @ApiOperation({ operationId: 'putObject', summary: 'Store the body, while it comes, in place of what the key had' })
  async put(@Param('pool') name: string, @Req() request: FastifyRequest): Promise<ObjectDto> {
    requirePlainBody(request);
    const key = keyOf(request);
    const caller = currentCaller();
    const pool = await this.buckets.ofPool(name);
    await this.objects.admit(pool, maxWaitOf(request));
    const { object } = await this.objects.put(pool, key, requestBody(request.raw), {
      ownerId: caller.kind === 'token' ? caller.tokenId : caller.kind,
      sizeBytes: sizeOf(request),
      description: {
        contentType: request.rawContentType ?? 'application/octet-stream',
        headers: {},
        metadata: metadataOf(request),
      },
      sha256: sha256Of(request),
      md5: md5Of(request),
      precondition: preconditionOf(request),
    });
    return toDto(object);
  }

  // Before the other: Fastify makes HEAD of GET by itself, and would read whole objects for it.
  @Head('objects/*')
  @NoEnvelope()
  @ApiParam(KEY)
  @ApiOperation({ operationId: 'headObject', summary: 'What a download would answer, without its bytes' })
  @ApiResponse({ status: 200, description: 'the headers of the download' })
  async head(@Param('pool') name: string, @Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    const pool = await this.buckets.ofPool(name);
    const object = await this.objects.find(pool, keyOf(request));
    const { status, headers } = answerOf(request, reply, object);
    await sendFile(reply, { status, headers, body: undefined, fileId: 0 });
  }

  @Get('objects/*')
  @NoEnvelope()
  @ApiParam(KEY)
  @ApiHeader({ name: 'Range', required: false, description: 'one range of bytes' })
  @ApiOperation({ operationId: 'getObject', summary: 'The bytes of an object, or a range of them' })
  @ApiResponse({ status: 200, description: 'the bytes of the object', content: BYTES })
  async get(@Param('pool') name: string, @Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    const pool = await this.buckets.ofPool(name);
    for (let attempt = 1; ; attempt += 1) {
      const object = await this.objects.find(pool, keyOf(request));
      const { status, headers, from, to } = answerOf(request, reply, object);
      try {
        const body = from < to ? await this.objects.read(pool, object, from, to) : undefined;
        await sendFile(reply, { status, headers, body, fileId: 0 });
        return;
      } catch (error) {
        // Replaced in this moment: the one that is there now is as good.
        if (!(error instanceof ObjectReplacedError) || attempt === READ_ATTEMPTS) throw error;
      }
    }
  }

  @Delete('objects/*')
  @Requires(Access.CoveredPool, 'write')
  @Returns(ObjectDeletedDto)
  @ApiParam(KEY)
  @ApiHeader(IF_MATCH)
  @ApiOperation({ operationId: 'deleteObject', summary: 'Remove an object, and its messages where that is possible' })
  async remove(@Param('pool') name: string, @Req() request: FastifyRequest): Promise<ObjectDeletedDto> {
    const pool = await this.buckets.ofPool(name);
    const { deleted, remote } = await this.objects.remove(pool, keyOf(request), preconditionOf(request));
    return { deleted, remote: await remote };
  }

  @Get('objects')
  @Returns(ObjectListDto)
  @ApiOperation({ operationId: 'listObjects', summary: 'Objects in the order of their keys' })
  async list(@Param('pool') name: string, @Query() query: ListObjectsQueryDto): Promise<ObjectListDto> {
    const { prefix = '', delimiter = '', cursor, limit = DEFAULT_LIMIT } = query;
    const from = cursor === undefined ? '' : Buffer.from(cursor, 'base64url').toString('utf8');
    const page = await this.objects.list(await this.buckets.ofPool(name), { prefix, delimiter, from, limit });
    return {
      objects: page.objects.map(toDto),
      prefixes: page.prefixes,
      ...(page.nextFrom !== undefined && { next_cursor: Buffer.from(page.nextFrom, 'utf8').toString('base64url') }),
    };
  }

  @Get('stat/*')
  @Returns(ObjectStatDto)
  @ApiParam(KEY)
  @ApiOperation({ operationId: 'statObject', summary: 'An object with its messages' })
  async stat(@Param('pool') name: string, @Req() request: FastifyRequest): Promise<ObjectStatDto> {
    const object = await this.objects.find(await this.buckets.ofPool(name), keyOf(request));
    const parts = (await this.objects.parts(object)).map(({ blob, offset, sizeBytes }, index) => ({
      n: index + 1,
      size: sizeBytes,
      offset,
      sha256: blob.sha256,
      chat_id: blob.chatId,
      message_id: blob.messageId,
      uploader: blob.uploaderId,
      stored_at: blob.storedAt.toISOString(),
    }));
    return { ...toDto(object), parts };
  }

  @Post('copies')
  @Requires(Access.CoveredPool, 'write')
  @Returns(ObjectDto)
  @ApiOperation({ operationId: 'copyObject', summary: 'Another object of the same bytes; none are moved' })
  async copy(
    @Param('pool') name: string,
    @Req() request: FastifyRequest,
    @Body() { from, to }: CopyObjectDto,
  ): Promise<ObjectDto> {
    const pool = await this.buckets.ofPool(name);
    const source = { bucket: pool, key: validKey(from.key) };
    const target = { bucket: pool, key: validKey(to.key) };
    const { object } = await this.objects.copy(source, target, preconditionOf(request));
    return toDto(object);
  }

  @Post('collect')
  @Requires(Access.Master)
  @Returns(CollectedDto)
  @ApiOperation({
    operationId: 'collectPool',
    summary: 'Delete messages that nothing refers to, an hour after they were stored',
  })
  async collect(@Param('pool') name: string): Promise<CollectedDto> {
    const pool = await this.buckets.ofPool(name);
    await this.uploads.collect(pool);
    const { ends } = await this.objects.collect(pool);
    return { found: ends.length, remote: worstOf(ends) };
  }
}

function toDto(object: ObjectRow): ObjectDto {
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
function answerOf(
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

/** The key of the path, slashes and all. @throws ValidationFailedError */
function keyOf({ raw: { url = '' } }: FastifyRequest): string {
  const [path = ''] = url.split('?', 1);
  const encoded = /^\/v1\/pools\/[^/]+\/(?:objects|stat)\/(.*)$/s.exec(path)?.[1] ?? '';
  let key: string;
  try {
    key = decodeURIComponent(encoded);
  } catch {
    throw new ValidationFailedError([{ path: 'key', message: 'the key must be percent-encoded UTF-8' }]);
  }
  return validKey(key);
}

/** @throws ValidationFailedError */
function validKey(key: string): string {
  const bytes = Buffer.byteLength(key);
  if (bytes === 0 || bytes > MAX_KEY_BYTES || key.includes('\0')) {
    const message = `a key has 1 to ${MAX_KEY_BYTES} bytes, and not the character U+0000`;
    throw new ValidationFailedError([{ path: 'key', message }]);
  }
  return key;
}

function sizeOf({ headers }: FastifyRequest): number | undefined {
  const length = headers['content-length'];
  return length === undefined ? undefined : Number(length);
}

function metadataOf({ headers }: FastifyRequest): Record<string, string> {
  return Object.fromEntries(
    Object.entries(headers).flatMap(([name, value]) =>
      name.startsWith(META) && name.length > META.length ? [[name.slice(META.length), String(value)] as const] : [],
    ),
  );
}

function preconditionOf({ headers }: FastifyRequest): Precondition {
  const { 'if-match': ifMatch, 'if-none-match': ifNoneMatch } = headers;
  return { ifMatch: tagsOf(ifMatch), ifNoneMatch: tagsOf(ifNoneMatch) };
}

function tagsOf(header: string | undefined): readonly string[] | undefined {
  return header?.split(',').map((tag) => tag.trim());
}

function sha256Of({ headers }: FastifyRequest): string | undefined {
  const given = headers['x-content-sha256'];
  if (given === undefined) return undefined;
  if (typeof given === 'string' && /^[0-9a-f]{64}$/i.test(given)) return given.toLowerCase();
  throw new ValidationFailedError([{ path: 'X-Content-SHA256', message: 'must be a SHA-256, hexadecimal' }]);
}

function maxWaitOf({ headers }: FastifyRequest): number | undefined {
  const given = headers['x-max-wait'];
  if (given === undefined) return undefined;
  if (typeof given === 'string' && /^\d{1,6}$/.test(given)) return Number(given) * 1_000;
  throw new ValidationFailedError([{ path: 'X-Max-Wait', message: 'must be a number of seconds' }]);
}

function md5Of({ headers }: FastifyRequest): string | undefined {
  const given = headers['content-md5'];
  if (given === undefined) return undefined;
  const md5 = typeof given === 'string' ? Buffer.from(given, 'base64') : Buffer.alloc(0);
  if (md5.length === 16) return md5.toString('hex');
  throw new ValidationFailedError([{ path: 'Content-MD5', message: 'must be an MD5, in base64' }]);
}
