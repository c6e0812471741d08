import type { IncomingMessage } from 'node:http';
import type { Readable } from 'node:stream';
import { Controller, Delete, Get, Param, Patch, Post, Query, Req, Res } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { UnsupportedMediaTypeError, ValidationFailedError } from '../../common/errors/index.js';
import {
  Access,
  ApiBody,
  ApiExtraModels,
  ApiHeader,
  ApiOperation,
  ApiParam,
  ApiQuery,
  ApiResponse,
  ApiTags,
  currentCaller,
  DeletedDto,
  encodeCursor,
  Page,
  PageQueryDto,
  RawBody,
  requirePlainBody,
  NoChange,
  Requires,
  Returns,
} from '../../common/http/index.js';
import { AppConfig } from '../../config/index.js';
import { type ListedUpload, UploadOffsetError, UploadStore } from '../uploads/index.js';
import { fileOfForm, isMultipart } from './multipart.js';
import {
  ListedUploadDto,
  UploadBegunDto,
  UploadCompletedDto,
  UploadedFileDto,
  UploadOffsetDto,
  UploadProgressDto,
} from './uploads.dto.js';

const BYTES = { 'application/octet-stream': { schema: { type: 'string', format: 'binary' } } } as const;
const ID = { name: 'id', type: 'string', description: 'upload_id' } as const;
const refOf = (name: string): { $ref: string } => ({ $ref: `#/components/schemas/${name}` });

/** Files on their way to Telegram. An upload belongs to the token that made it; the master token may use all. */
@ApiTags('files')
@Controller('v1/files')
@Requires(Access.AnyToken, ['send', 'manage'])
@NoChange()
export class UploadsController {
  constructor(
    private readonly config: AppConfig,
    private readonly store: UploadStore,
  ) {}

  @Post()
  @RawBody()
  @ApiOperation({
    operationId: 'uploadFile',
    summary: 'Upload a file in one request, or begin a resumable upload with Upload-Length',
  })
  @ApiQuery({
    name: 'name',
    required: false,
    schema: { type: 'string' },
    description: 'the name of the file; needed, unless a multipart form names it',
  })
  @ApiHeader({ name: 'Upload-Length', required: false, description: 'begins a resumable upload of so many bytes' })
  @ApiBody({
    required: false,
    description: 'raw bytes, whatever the Content-Type; only multipart/form-data is unwrapped',
    schema: { type: 'string', format: 'binary' },
  })
  @ApiExtraModels(UploadedFileDto, UploadBegunDto)
  @ApiResponse({
    status: 200,
    description: 'the file, or with Upload-Length the upload that has begun',
    content: {
      'application/json': {
        schema: {
          type: 'object',
          required: ['ok', 'result'],
          properties: {
            ok: { type: 'boolean', enum: [true] },
            result: { oneOf: [refOf(UploadedFileDto.name), refOf(UploadBegunDto.name)] },
          },
        },
      },
    },
  })
  async upload(
    @Req() request: FastifyRequest,
    @Query('name') name: unknown,
  ): Promise<UploadedFileDto | UploadBegunDto> {
    const caller = currentCaller();
    requireUtf8Query(request);
    const length = request.headers['upload-length'];
    if (length !== undefined) {
      if (isMultipart(request.rawContentType)) {
        const message = 'Upload-Length begins an upload in chunks of raw bytes: send the form without it';
        throw new ValidationFailedError([{ path: 'Upload-Length', message }]);
      }
      const { id } = await this.store.begin({ name, caller, length: wholeNumber('Upload-Length', length) });
      return { upload_id: id, chunk_size: this.config.uploads.maxChunkBytes };
    }
    if (isMultipart(request.rawContentType)) {
      requirePlainBody(request);
      const file = await fileOfForm(request.raw, request.rawContentType);
      return toFile(await this.store.take({ name: name ?? file.name, caller }, file.source, undefined));
    }
    return toFile(await this.store.take({ name, caller }, bodyOf(request), contentLengthOf(request.raw)));
  }

  @Get()
  @Returns(ListedUploadDto, { isArray: true })
  @ApiOperation({
    operationId: 'listUploads',
    summary: "The caller's uploads, for the master those of all; newest first",
  })
  async list(@Query() query: PageQueryDto): Promise<Page<ListedUploadDto>> {
    const { limit, after } = query.toRequest();
    const { uploads, next } = await this.store.list(currentCaller(), {
      ...(limit !== undefined && { limit }),
      ...(after !== undefined && { after: { ...after, id: fromUuid(after.id) } }),
    });
    return new Page(uploads.map(toListed), next && encodeCursor({ ...next, id: toUuid(next.id) }));
  }

  @Patch(':id')
  @RawBody()
  @Returns(UploadOffsetDto)
  @ApiParam(ID)
  @ApiHeader({ name: 'Upload-Offset', required: true, description: 'where the chunk begins: where the upload ends' })
  @ApiBody({ required: true, schema: BYTES['application/octet-stream'].schema })
  @ApiOperation({
    operationId: 'appendToUpload',
    summary: 'Append a chunk; what arrives of one that breaks off is kept',
  })
  async append(
    @Req() request: FastifyRequest,
    @Res({ passthrough: true }) reply: FastifyReply,
    @Param('id') id: string,
  ): Promise<UploadOffsetDto> {
    if (isMultipart(request.rawContentType)) {
      throw new UnsupportedMediaTypeError('a chunk is raw bytes: multipart/form-data is not unwrapped here');
    }
    try {
      const { offset } = await this.store.append(uploadId(id), currentCaller(), {
        offset: numberIn(request, 'upload-offset'),
        source: bodyOf(request),
        bytes: contentLengthOf(request.raw),
        maxBytes: this.config.uploads.maxChunkBytes,
      });
      void reply.header('upload-offset', offset);
      return { offset };
    } catch (error) {
      if (error instanceof UploadOffsetError) void reply.header('upload-offset', error.offset);
      throw error;
    }
  }

  @Get(':id')
  @Returns(UploadProgressDto)
  @ApiParam(ID)
  @ApiOperation({ operationId: 'getUpload', summary: 'How far an upload is' })
  async progress(@Param('id') id: string, @Res({ passthrough: true }) reply: FastifyReply): Promise<UploadProgressDto> {
    const { offset, length } = await this.store.find(uploadId(id), currentCaller());
    void reply.header('upload-offset', offset);
    return { offset, ...(length !== undefined && { length }) };
  }

  @Post(':id/complete')
  @RawBody()
  @Returns(UploadCompletedDto)
  @ApiParam(ID)
  @ApiOperation({ operationId: 'completeUpload', summary: 'Confirm that every byte is on the disk; may be repeated' })
  async complete(@Param('id') id: string): Promise<UploadCompletedDto> {
    const { path, offset } = await this.store.complete(uploadId(id), currentCaller());
    return { path, size: offset };
  }

  @Delete(':id')
  @RawBody()
  @Returns(DeletedDto)
  @ApiParam(ID)
  @ApiOperation({
    operationId: 'deleteUpload',
    summary: 'Remove an upload, also one that is being written; not while a message on its way uses it',
  })
  async remove(@Param('id') id: string): Promise<DeletedDto> {
    await this.store.remove(uploadId(id), currentCaller());
    return { status: 'deleted' };
  }
}

function toFile({ path, name, offset }: { path: string; name: string; offset: number }): UploadedFileDto {
  return { path, name, size: offset };
}

function toListed({ id, name, owner, path, ...upload }: ListedUpload): ListedUploadDto {
  const { offset, length, isUsed, createdAt, expiresAt } = upload;
  const status = isUsed ? 'in_use' : offset === length ? 'complete' : 'partial';
  return {
    upload_id: id,
    name,
    owner,
    status,
    offset,
    ...(length !== undefined && { length }),
    ...(status !== 'partial' && { path }),
    created_at: createdAt.toISOString(),
    ...(!isUsed && { expires_at: expiresAt.toISOString() }),
  };
}

/** Cursors hold UUIDs, and 32 hexadecimal digits are one. */
const toUuid = (id: string): string => id.replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5');
const fromUuid = (uuid: string): string => uuid.replaceAll('-', '').toLowerCase();

function uploadId(text: string): string {
  if (!/^[0-9a-f]{32}$/.test(text)) {
    throw new ValidationFailedError([{ path: 'id', message: 'invalid upload id' }]);
  }
  return text;
}

/** The body as it comes; a request without one has an empty one. @throws UnsupportedMediaTypeError */
function bodyOf(request: FastifyRequest): Readable {
  requirePlainBody(request);
  return request.raw;
}

/** What is no UTF-8 would become another name. @throws ValidationFailedError */
function requireUtf8Query({ url }: FastifyRequest): void {
  try {
    decodeURIComponent(url.slice(url.indexOf('?') + 1));
  } catch {
    throw new ValidationFailedError([{ path: '', message: 'the query must be percent-encoded UTF-8' }]);
  }
}

function contentLengthOf({ headers }: IncomingMessage): number | undefined {
  const length = headers['content-length'];
  if (length !== undefined) return Number(length);
  return headers['transfer-encoding'] === undefined ? 0 : undefined;
}

function numberIn({ headers }: FastifyRequest, name: 'upload-offset'): number {
  return wholeNumber('Upload-Offset', headers[name]);
}

function wholeNumber(name: string, value: string | readonly string[] | undefined): number {
  const number = typeof value === 'string' && /^\d{1,16}$/.test(value.trim()) ? Number(value) : Number.NaN;
  if (!Number.isSafeInteger(number)) {
    throw new ValidationFailedError([{ path: name, message: `${name} must be a whole number of bytes` }]);
  }
  return number;
}
