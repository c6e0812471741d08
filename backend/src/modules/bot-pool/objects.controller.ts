import {
  applyDecorators,
  Body,
  Controller,
  Delete,
  Get,
  Head,
  Param,
  Post,
  Put,
  Query,
  Req,
  Res,
} from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { ValidationFailedError } from '../../common/errors/index.js';
import {
  Access,
  ApiBody,
  ApiHeader,
  ApiOperation,
  ApiParam,
  ApiQuery,
  ApiResponse,
  ApiTags,
  currentCaller,
  leaveSignal,
  NoEnvelope,
  RawBody,
  requirePlainBody,
  Requires,
  Returns,
} from '../../common/http/index.js';
import { sendFile } from '../files/index.js';
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
import { BucketsService } from './buckets.service.js';
import {
  answerOf,
  IF_MATCH,
  IF_NONE_MATCH,
  metadataOf,
  preconditionOf,
  sendObject,
  toObjectDto,
  validKey,
} from './object-requests.js';
import { ObjectsService } from './objects.service.js';
import { PartUploads } from './part-uploads.js';
import { requestBody } from './request-body.js';

const DEFAULT_LIMIT = 100;
const BYTES = { 'application/octet-stream': { schema: { type: 'string', format: 'binary' } } } as const;
/** Tells of the two places that a key may be named in. */
const NamesObject = (): MethodDecorator =>
  applyDecorators(
    ApiParam({
      name: 'key',
      type: 'string',
      description:
        'percent-encoded; slashes may stand as they are. A key with a part . or .. between its slashes, which clients take for ' +
        'steps between folders, goes into the query instead, and this is empty: objects/?key=…',
    }),
    ApiQuery({
      name: 'key',
      type: 'string',
      required: false,
      description: 'the key, where that of the path is empty',
    }),
  );

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
  @NamesObject()
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
  async put(
    @Param('pool') name: string,
    @Req() request: FastifyRequest,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<ObjectDto> {
    const signal = leaveSignal(reply);
    requirePlainBody(request);
    const key = keyOf(request);
    const caller = currentCaller();
    const pool = await this.buckets.ofPool(name);
    await this.objects.admit(pool, maxWaitOf(request));
    const { object } = await this.objects.put(pool, key, requestBody(request.raw), {
      ownerId: caller.kind === 'token' ? caller.tokenId : caller.kind,
      sizeBytes: sizeOf(request),
      signal,
      description: {
        contentType: request.rawContentType ?? 'application/octet-stream',
        headers: {},
        metadata: metadataOf(request),
      },
      sha256: sha256Of(request),
      md5: md5Of(request),
      precondition: preconditionOf(request),
    });
    return toObjectDto(object);
  }

  // Before the other: Fastify makes HEAD of GET by itself, and would read whole objects for it.
  @Head('objects/*')
  @NoEnvelope()
  @NamesObject()
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
  @NamesObject()
  @ApiHeader({ name: 'Range', required: false, description: 'one range of bytes' })
  @ApiOperation({ operationId: 'getObject', summary: 'The bytes of an object, or a range of them' })
  @ApiResponse({ status: 200, description: 'the bytes of the object', content: BYTES })
  async get(@Param('pool') name: string, @Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    const pool = await this.buckets.ofPool(name);
    await sendObject(request, reply, {
      find: () => this.objects.find(pool, keyOf(request)),
      read: (object, from, to) => this.objects.read(pool, object, from, to),
    });
  }

  @Delete('objects/*')
  @Requires(Access.CoveredPool, 'write')
  @Returns(ObjectDeletedDto)
  @NamesObject()
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
    const from = cursor === undefined ? '' : keyAt(cursor);
    const page = await this.objects.list(await this.buckets.ofPool(name), { prefix, delimiter, from, limit });
    return {
      objects: page.objects.map(toObjectDto),
      prefixes: page.prefixes,
      ...(page.nextFrom !== undefined && { next_cursor: cursorAt(page.nextFrom) }),
    };
  }

  @Get('stat/*')
  @Returns(ObjectStatDto)
  @NamesObject()
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
    return { ...toObjectDto(object), parts };
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
    return toObjectDto(object);
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

/** The opaque text of a place in a list. */
function cursorAt(key: string): string {
  return Buffer.from(key, 'utf8').toString('base64url');
}

/** @throws ValidationFailedError for a text that no list has given */
function keyAt(cursor: string): string {
  const key = Buffer.from(cursor, 'base64url').toString('utf8');
  if (cursorAt(key) === cursor) return key;
  throw new ValidationFailedError([{ path: 'cursor', message: 'is not a cursor of this list' }]);
}

/** The key of the path, slashes and all, or else that of the query. @throws ValidationFailedError */
function keyOf({ raw: { url = '' } }: FastifyRequest): string {
  const [path = '', ...query] = url.split('?');
  const encoded = /^\/v1\/pools\/[^/]+\/(?:objects|stat)\/(.*)$/s.exec(path)?.[1] ?? '';
  let key: string;
  try {
    key = encoded === '' ? (new URLSearchParams(query.join('?')).get('key') ?? '') : decodeURIComponent(encoded);
  } catch {
    throw new ValidationFailedError([{ path: 'key', message: 'the key must be percent-encoded UTF-8' }]);
  }
  return validKey(key);
}

function sizeOf({ headers }: FastifyRequest): number | undefined {
  const length = headers['content-length'];
  return length === undefined ? undefined : Number(length);
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
