import type { IncomingMessage } from 'node:http';
import { join } from 'node:path';
import { Controller, Delete, Head, Options, Patch, Post, Req, Res } from '@nestjs/common';
import type { Server } from '@tus/server';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { ValidationFailedError } from '../../common/errors/index.js';
import {
  Access,
  ApiHeader,
  ApiOperation,
  ApiParam,
  ApiResponse,
  ApiTags,
  NoEnvelope,
  RawBody,
  requirePlainBody,
  NoChange,
  Requires,
} from '../../common/http/index.js';
import { AppConfig } from '../../config/index.js';
import { UploadStore } from '../uploads/index.js';
import { nameOf, tusRefusal, TusStore } from './tus-store.js';

const PATH = '/v1/uploads';
/** Where an upload is that has become whole. */
const PATH_HEADER = 'X-Tgcontrol-Path';
const ID = {
  name: 'id',
  type: 'string',
  description: '32 hexadecimal digits; the same upload as in /v1/files/{id}',
} as const;
const SHA256 = /^sha256 ([A-Za-z0-9+/]{43}=)$/;

/** Resumable uploads by the protocol tus 1.0 (https://tus.io/protocols/resumable-upload), into the same store as /v1/files. */
@ApiTags('files')
@Controller('v1/uploads')
@Requires(Access.AnyToken, ['send', 'manage'])
@NoChange()
@NoEnvelope()
export class TusController {
  private readonly store: TusStore;
  private server: Promise<Server> | undefined;

  constructor(
    private readonly config: AppConfig,
    private readonly uploads: UploadStore,
  ) {
    this.store = new TusStore(config, uploads);
  }

  @Post()
  @RawBody()
  @ApiHeader({ name: 'Tus-Resumable', required: true, description: '1.0.0' })
  @ApiHeader({ name: 'Upload-Length', required: true })
  @ApiHeader({ name: 'Upload-Metadata', required: true, description: '`filename` and the name in base64' })
  @ApiOperation({ operationId: 'tusCreate', summary: 'tus: begin an upload, also with its first bytes' })
  @ApiResponse({ status: 201, description: 'begun: Location names the upload' })
  create(@Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    return this.serve(request, reply);
  }

  @Options()
  @RawBody()
  @ApiOperation({ operationId: 'tusOptions', summary: 'tus: what the server can do' })
  @ApiResponse({ status: 204, description: 'the extensions, in headers' })
  options(@Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    return this.serve(request, reply);
  }

  @Head(':id')
  @RawBody()
  @ApiParam(ID)
  @ApiOperation({ operationId: 'tusProgress', summary: 'tus: how far an upload is' })
  @ApiResponse({ status: 200, description: 'Upload-Offset and Upload-Length' })
  progress(@Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    return this.serve(request, reply);
  }

  @Patch(':id')
  @RawBody()
  @ApiParam(ID)
  @ApiHeader({ name: 'Upload-Offset', required: true })
  @ApiHeader({
    name: 'Upload-Checksum',
    required: false,
    description: '`sha256` and the checksum of the body in base64',
  })
  @ApiOperation({
    operationId: 'tusAppend',
    summary:
      'tus: append bytes; once whole, the header X-Tgcontrol-Path names the file, percent-encoded, for inputFileLocal',
  })
  @ApiResponse({ status: 204, description: 'Upload-Offset: where the upload ends now' })
  append(@Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    return this.serve(request, reply);
  }

  @Delete(':id')
  @RawBody()
  @ApiParam(ID)
  @ApiOperation({ operationId: 'tusTerminate', summary: 'tus: remove an upload' })
  @ApiResponse({ status: 204, description: 'removed' })
  terminate(@Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    return this.serve(request, reply);
  }

  private async serve(request: FastifyRequest, reply: FastifyReply): Promise<void> {
    const { raw } = request;
    let sha256: Buffer | undefined;
    try {
      requirePlainBody(request);
      sha256 = checksumOf(request);
    } catch (error) {
      const { status, text } = tusRefusal(error);
      await reply.code(status).header('tus-resumable', '1.0.0').type('text/plain; charset=utf-8').send(text);
      return;
    }
    const server = await (this.server ??= this.makeServer());
    if (request.rawContentType === undefined) delete raw.headers['content-type'];
    else raw.headers['content-type'] = request.rawContentType;
    withoutForwarding(raw);
    const headers = reply.getHeaders();
    reply.hijack();
    for (const [name, value] of Object.entries(headers)) {
      if (value !== undefined) reply.raw.setHeader(name, value);
    }
    if (request.method === 'OPTIONS') reply.raw.setHeader('tus-checksum-algorithm', 'sha256');
    await this.store.serve({ sha256 }, () => server.handle(raw, reply.raw));
  }

  /** Loaded when it is first needed: most installations never are asked. */
  private async makeServer(): Promise<Server> {
    const { Server: TusServer } = await import('@tus/server');
    return new TusServer({
      path: PATH,
      datastore: this.store,
      maxSize: this.config.uploads.maxBytes,
      relativeLocation: true,
      allowedOrigins: [],
      allowedHeaders: ['Upload-Checksum'],
      exposedHeaders: ['Upload-Expires', 'Tus-Checksum-Algorithm', PATH_HEADER],
      onUploadFinish: (_request, { id, metadata }) => {
        const path = join(this.uploads.folderOf(id), nameOf(metadata) ?? '');
        return Promise.resolve({ headers: { [PATH_HEADER]: encodeURI(path) } });
      },
    });
  }
}

/** The library refuses what several proxies add up to, `https,http`; addresses are relative here, and need none of it. */
function withoutForwarding(request: IncomingMessage): void {
  const isForwarding = (name: string): boolean => /^x-forwarded-/i.test(name);
  const headers = Object.entries(request.headers).filter(([name]) => !isForwarding(name));
  request.headers = Object.fromEntries(headers);
  request.rawHeaders = request.rawHeaders.filter((_, index, all) => !isForwarding(all[index - (index % 2)] ?? ''));
}

/** @throws ValidationFailedError for a checksum of another kind */
function checksumOf({ headers }: FastifyRequest): Buffer | undefined {
  const header = headers['upload-checksum'];
  if (header === undefined) return undefined;
  const [, digest] = (typeof header === 'string' ? SHA256.exec(header) : null) ?? [];
  if (digest === undefined) {
    throw new ValidationFailedError([{ path: 'Upload-Checksum', message: 'must be sha256 and 32 bytes in base64' }]);
  }
  return Buffer.from(digest, 'base64');
}
