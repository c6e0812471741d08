import { Body, Controller, Delete, Get, Param, Patch, Post, Query, Req, Res } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { ValidationFailedError } from '../../common/errors/index.js';
import {
  Access,
  ApiBody,
  ApiHeader,
  ApiOperation,
  ApiResponse,
  ApiTags,
  currentCaller,
  DeletedDto,
  encodeCursor,
  isUuid,
  NoChange,
  Page,
  PageQueryDto,
  RawBody,
  requirePlainBody,
  Requires,
  Returns,
} from '../../common/http/index.js';
import { UploadOffsetError } from '../uploads/index.js';
import { PartUploadNotFoundError } from './bot-pool.errors.js';
import { BucketsService } from './buckets.service.js';
import { ABANDONED_MS } from './chunk-sender.js';
import { IF_MATCH, IF_NONE_MATCH, metadataOf, preconditionOf, toObjectDto, validKey } from './object-requests.js';
import { ObjectsService } from './objects.service.js';
import { requestBody } from './request-body.js';
import { BeginPoolUploadQueryDto, CompletePoolUploadDto, PoolUploadDto } from './resumable.dto.js';
import { ResumableUploads } from './resumable-uploads.js';
import type { ObjectRow } from './stored-object.js';

type Upload = Exclude<Awaited<ReturnType<ResumableUploads['find']>>, ObjectRow>;

const DEFAULT_LIMIT = 100;
/** Longer than a part may take; whoever waits longer asks again. */
const MAX_WAIT_MS = 15 * 60_000;

/** Uploads into a pool that go on after a cut. */
@ApiTags('pools')
@Controller('v1/pools/:pool/uploads')
@Requires(Access.CoveredPool, 'write')
export class ResumablesController {
  constructor(
    private readonly uploads: ResumableUploads,
    private readonly buckets: BucketsService,
    private readonly objects: ObjectsService,
  ) {}

  @Post()
  @RawBody()
  @Returns(PoolUploadDto)
  @ApiHeader({ name: 'Upload-Length', required: false, description: 'how many bytes will come' })
  @ApiHeader({ name: 'Content-Type', required: false, description: 'of the object' })
  @ApiHeader({ name: 'X-Meta-*', required: false, description: 'kept with the object and given back with it' })
  @ApiOperation({ operationId: 'beginPoolUpload', summary: 'Begin an upload that goes on after a cut; without a body' })
  async begin(
    @Param('pool') name: string,
    @Req() request: FastifyRequest,
    @Query() { key }: BeginPoolUploadQueryDto,
  ): Promise<PoolUploadDto> {
    const caller = currentCaller();
    const length = request.headers['upload-length'];
    const lengthBytes = length === undefined ? undefined : wholeNumber('Upload-Length', length);
    const pool = await this.buckets.ofPool(name);
    await this.objects.admit(pool);
    const upload = await this.uploads.begin(pool, {
      key: validKey(key),
      ownerId: caller.kind === 'token' ? caller.tokenId : caller.kind,
      lengthBytes,
      description: {
        contentType: request.rawContentType ?? 'application/octet-stream',
        headers: {},
        metadata: metadataOf(request),
      },
    });
    return toDto(upload.id, upload);
  }

  @Get()
  @Requires(Access.CoveredPool, 'read')
  @Returns(PoolUploadDto, { isArray: true })
  @ApiOperation({ operationId: 'listPoolUploads', summary: 'Uploads under way, the newest first; not those of S3' })
  async list(@Param('pool') name: string, @Query() query: PageQueryDto): Promise<Page<PoolUploadDto>> {
    const { limit = DEFAULT_LIMIT, after } = query.toRequest();
    const pool = await this.buckets.ofPool(name);
    const rows = await this.uploads.list(pool, { limit: limit + 1, ...(after !== undefined && { after }) });
    const page = rows.slice(0, limit);
    const last = rows.length > limit ? page.at(-1) : undefined;
    return new Page(
      page.map((row) => toDto(row.id, row)),
      last && encodeCursor(last),
    );
  }

  @Get(':id')
  @Requires(Access.CoveredPool, 'read')
  @Returns(PoolUploadDto)
  @ApiOperation({ operationId: 'getPoolUpload', summary: 'How far an upload is, or what it has become' })
  async progress(
    @Param('pool') name: string,
    @Param('id') id: string,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<PoolUploadDto> {
    const upload = await this.uploads.find(await this.buckets.ofPool(name), uploadId(id));
    return told(reply, toDto(uploadId(id), upload));
  }

  @Patch(':id')
  @NoChange()
  @RawBody()
  @Returns(PoolUploadDto)
  @ApiHeader({ name: 'Upload-Offset', required: true, description: 'where the body begins: where the upload ends' })
  @ApiBody({ required: true, schema: { type: 'string', format: 'binary' } })
  @ApiOperation({
    operationId: 'appendToPoolUpload',
    summary: 'Append bytes, as many as one likes; what arrives of a body that breaks off is kept',
  })
  async append(
    @Param('pool') name: string,
    @Param('id') id: string,
    @Req() request: FastifyRequest,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<PoolUploadDto> {
    requirePlainBody(request);
    const offset = wholeNumber('Upload-Offset', request.headers['upload-offset']);
    const { 'content-length': size } = request.headers;
    const pool = await this.buckets.ofPool(name);
    try {
      const body = { offset, body: requestBody(request.raw), sizeBytes: size === undefined ? undefined : Number(size) };
      return told(reply, toDto(uploadId(id), await this.uploads.append(pool, uploadId(id), body)));
    } catch (error) {
      if (error instanceof UploadOffsetError) void reply.header('upload-offset', error.offset);
      throw error;
    }
  }

  @Post(':id/complete')
  @Returns(PoolUploadDto)
  @ApiHeader(IF_MATCH)
  @ApiHeader(IF_NONE_MATCH)
  @ApiHeader({
    name: 'Prefer',
    required: false,
    description: 'RFC 7240: respond-async, also with wait=<seconds>: 202 when not all is stored by then',
  })
  @ApiResponse({ status: 202, description: 'the rest is being stored: ask for the upload' })
  @ApiOperation({
    operationId: 'completePoolUpload',
    summary: 'Say that nothing more comes, and wait for the object; may be repeated',
  })
  async complete(
    @Param('pool') name: string,
    @Param('id') id: string,
    @Body() { sha256 }: CompletePoolUploadDto,
    @Req() request: FastifyRequest,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<PoolUploadDto> {
    const pool = await this.buckets.ofPool(name);
    const left = new AbortController();
    reply.raw.once('close', () => left.abort());
    const completion = { sha256: sha256?.toLowerCase(), precondition: preconditionOf(request) };
    const patience = { waitMs: waitOf(request), signal: left.signal };
    const object = await this.uploads.complete(pool, uploadId(id), completion, patience);
    if (object === undefined) void reply.code(202);
    return toDto(uploadId(id), object ?? (await this.uploads.find(pool, uploadId(id))));
  }

  @Delete(':id')
  @Returns(DeletedDto)
  @ApiOperation({
    operationId: 'abortPoolUpload',
    summary: 'Give an upload up: what is being sent is taken back, what was stored is deleted',
  })
  async abort(@Param('pool') name: string, @Param('id') id: string): Promise<DeletedDto> {
    await this.uploads.abort(await this.buckets.ofPool(name), uploadId(id));
    return { status: 'deleted' };
  }
}

function toDto(uploadId: string, upload: Upload | ObjectRow): PoolUploadDto {
  const { key, createdAt } = upload;
  const common = { upload_id: uploadId, key, created_at: createdAt.toISOString() };
  if (!('waiting' in upload)) {
    const { sizeBytes } = upload;
    const whole = { offset: sizeBytes, length: sizeBytes, stored: sizeBytes, waiting: 0 };
    return { ...common, ...whole, state: 'stored', object: toObjectDto(upload) };
  }
  const { offsetBytes, lengthBytes, storedBytes, storedParts, waiting, chunkBytes, completion, failure } = upload;
  const state = failure?.isFinal === true ? 'failed' : completion === undefined ? 'open' : 'completing';
  return {
    ...common,
    state,
    offset: offsetBytes,
    ...(lengthBytes !== undefined && { length: lengthBytes }),
    stored: storedBytes,
    parts: storedParts,
    waiting,
    chunk_size: chunkBytes,
    ...(failure !== undefined && { error: { code: String(failure.code), message: failure.message } }),
    expires_at: new Date(upload.touchedAt.getTime() + ABANDONED_MS).toISOString(),
  };
}

function told(reply: FastifyReply, upload: PoolUploadDto): PoolUploadDto {
  void reply.header('upload-offset', upload.offset);
  return upload;
}

/** @throws PartUploadNotFoundError for what can be no id */
function uploadId(text: string): string {
  if (!isUuid(text)) throw new PartUploadNotFoundError();
  return text.toLowerCase();
}

/** How long the client wants to wait. A preference that is not understood is ignored, as RFC 7240 has it. */
function waitOf({ headers }: FastifyRequest): number {
  const preferences = [headers['prefer'] ?? []].flat().join(',').toLowerCase();
  if (/(?:^|[,\s])respond-async(?:[,;\s]|$)/.test(preferences)) {
    const seconds = /(?:^|[,\s])wait\s*=\s*(\d{1,4})/.exec(preferences)?.[1] ?? '0';
    return Math.min(MAX_WAIT_MS, Number(seconds) * 1_000);
  }
  return MAX_WAIT_MS;
}

/** @throws ValidationFailedError */
function wholeNumber(name: string, value: string | readonly string[] | undefined): number {
  const number = typeof value === 'string' && /^\d{1,16}$/.test(value.trim()) ? Number(value) : Number.NaN;
  if (Number.isSafeInteger(number)) return number;
  throw new ValidationFailedError([{ path: name, message: `${name} must be a whole number of bytes` }]);
}
