import { Controller, Delete, Get, Head, Param, Query, Req, Res } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { AppError, messageOf, ValidationFailedError } from '../../common/errors/index.js';
import {
  Access,
  ApiHeader,
  ApiHiddenController,
  ApiOperation,
  ApiParam,
  ApiResponse,
  ApiTags,
  existingId,
  NoEnvelope,
  Requires,
} from '../../common/http/index.js';
import { AppLogger } from '../../common/log/app-logger.js';
import { Departure } from '../../telegram/index.js';
import type { SessionKind } from '../sessions/index.js';
import { DownloadQueryDto } from './downloads.dto.js';
import { type DownloadRequest, Downloads, FILE_ID_HEADER, type FileAnswer } from './downloads.js';
import { sendFile } from './send-file.js';

const KIND = { name: 'kind', enum: ['bot', 'user'] } as const;
const FILE_ID = {
  name: 'file_id',
  type: 'string',
  description:
    "TDLib's number, which lives as long as the session's client: keep remote.id for later; anything when remote_id is given",
} as const;

/** td_api's int32. */
const MAX_FILE_ID = 2 ** 31 - 1;
const IF_MATCH = {
  name: 'If-Match',
  required: false,
  description:
    'the ETag, which is remote.unique_id in quotes: 412 file_changed when file_id means another file by now, as after a restart',
} as const;

/** A download as a request asks for it. */
function toRequest(
  request: FastifyRequest,
  { kind, id, fileId }: { readonly kind: SessionKind; readonly id: string; readonly fileId: string },
  query: DownloadQueryDto,
  isHead: boolean,
): DownloadRequest {
  const number = /^\d{1,10}$/.test(fileId) && Number(fileId) <= MAX_FILE_ID ? Number(fileId) : undefined;
  if (number === undefined && query.remote_id === undefined) {
    throw new ValidationFailedError([
      { path: 'file_id', message: `file_id must be a whole number, at most ${MAX_FILE_ID}` },
    ]);
  }
  const { range, 'if-range': ifRange, 'if-none-match': ifNoneMatch, 'if-match': ifMatch } = request.headers;
  return {
    kind,
    id: existingId('session', id),
    fileId: number ?? 0,
    remoteId: query.remote_id,
    message: query.toMessage(),
    isHead,
    headers: { range, ifRange: typeof ifRange === 'string' ? ifRange : undefined, ifNoneMatch, ifMatch },
  };
}

/** @throws as {@link Downloads.open}; a client that leaves takes its download back */
async function openFor(downloads: Downloads, request: DownloadRequest, reply: FastifyReply): Promise<FileAnswer> {
  const caller = new Departure();
  const leave = (): void => caller.leave();
  reply.raw.once('close', leave);
  try {
    return await downloads.open({ ...request, caller });
  } catch (error) {
    const size =
      error instanceof AppError && error.code === 'range_not_satisfiable' ? error.details?.['size'] : undefined;
    if (typeof size === 'number') reply.header('content-range', `bytes */${size}`);
    throw error;
  } finally {
    reply.raw.off('close', leave);
    caller.notify(undefined);
  }
}

/** Files out of Telegram, as their bytes come. */
@ApiTags('files')
@Controller('v1')
@Requires(Access.CoveredSession, ['read'])
@NoEnvelope()
export class DownloadsController {
  private readonly logger: AppLogger;

  constructor(
    private readonly downloads: Downloads,
    logger: AppLogger,
  ) {
    this.logger = logger.for(DownloadsController.name);
  }

  // Before the other: Fastify makes HEAD of GET by itself, and would read whole files for it.
  @Head(':kind(bot|user)/:id/files/:file_id')
  @ApiParam(KIND)
  @ApiParam(FILE_ID)
  @ApiHeader(IF_MATCH)
  @ApiOperation({ operationId: 'headFile', summary: 'What a download would answer, without its bytes' })
  @ApiResponse({ status: 200, description: 'the headers of the download' })
  async head(
    @Req() request: FastifyRequest,
    @Res() reply: FastifyReply,
    @Param('kind') kind: SessionKind,
    @Param('id') id: string,
    @Param('file_id') fileId: string,
    @Query() query: DownloadQueryDto,
  ): Promise<void> {
    const answer = await openFor(this.downloads, toRequest(request, { kind, id, fileId }, query, true), reply);
    await sendFile(reply, answer);
  }

  @Get(':kind(bot|user)/:id/files/:file_id')
  @ApiParam(KIND)
  @ApiParam(FILE_ID)
  @ApiHeader(IF_MATCH)
  @ApiHeader({ name: 'Range', required: false, description: 'one range of bytes: no more is fetched from Telegram' })
  @ApiOperation({
    operationId: 'downloadFile',
    summary: 'Download a file, or a range of it, while it comes from Telegram',
  })
  @ApiResponse({
    status: 200,
    description: 'the bytes of the file',
    content: { 'application/octet-stream': { schema: { type: 'string', format: 'binary' } } },
  })
  async download(
    @Req() request: FastifyRequest,
    @Res() reply: FastifyReply,
    @Param('kind') kind: SessionKind,
    @Param('id') id: string,
    @Param('file_id') fileId: string,
    @Query() query: DownloadQueryDto,
  ): Promise<void> {
    const wanted = toRequest(request, { kind, id, fileId }, query, false);
    const answer = await openFor(this.downloads, wanted, reply);
    const isDelivered = await sendFile(reply, answer);
    const isWhole = answer.status === 200 && request.headers.range === undefined;
    if (query.delete === '1' && isDelivered && isWhole) {
      await this.downloads
        .forget({ kind, id: wanted.id, fileId: answer.fileId })
        .catch((error: unknown) =>
          this.logger.warn(`a file stays on the disk: ${messageOf(error)}`, { sessionId: id }),
        );
    }
  }
}

/** The same for gateways. */
@ApiHiddenController()
@Controller('internal/sessions')
@Requires(Access.Cluster)
export class DownloadsInternalController {
  constructor(private readonly downloads: Downloads) {}

  @Get(':kind/:id/files/:file_id')
  @NoEnvelope()
  async download(
    @Req() request: FastifyRequest,
    @Res() reply: FastifyReply,
    @Param('kind') kind: SessionKind,
    @Param('id') id: string,
    @Param('file_id') fileId: string,
    @Query() query: DownloadQueryDto,
  ): Promise<void> {
    const answer = await openFor(this.downloads, toRequest(request, { kind, id, fileId }, query, false), reply);
    await sendFile(reply, { ...answer, headers: { ...answer.headers, [FILE_ID_HEADER]: String(answer.fileId) } });
  }

  @Get(':kind/:id/files/:file_id/head')
  async head(
    @Req() request: FastifyRequest,
    @Res({ passthrough: true }) reply: FastifyReply,
    @Param('kind') kind: SessionKind,
    @Param('id') id: string,
    @Param('file_id') fileId: string,
    @Query() query: DownloadQueryDto,
  ): Promise<Pick<FileAnswer, 'status' | 'headers' | 'fileId'>> {
    const wanted = toRequest(request, { kind, id, fileId }, query, true);
    const { status, headers, fileId: found } = await openFor(this.downloads, wanted, reply);
    return { status, headers, fileId: found };
  }

  @Delete(':kind/:id/files/:file_id')
  async forget(
    @Param('kind') kind: SessionKind,
    @Param('id') id: string,
    @Param('file_id') fileId: string,
  ): Promise<null> {
    await this.downloads.forget({ kind, id: existingId('session', id), fileId: Number(fileId) });
    return null;
  }
}
