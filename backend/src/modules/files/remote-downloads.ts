import { Injectable } from '@nestjs/common';
import { type WorkerAddress, WorkerClient } from '../../common/cluster/index.js';
import { RemoteError, WorkerUnreachableError } from '../../common/errors/index.js';
import { AppConfig } from '../../config/index.js';
import { CallAbandonedError } from '../../telegram/index.js';
import { SessionRoutes } from '../sessions/index.js';
import { type DownloadRequest, Downloads, FILE_ID_HEADER, type FileAnswer, type FileName } from './downloads.js';

/** What the way and the looking up of the file may take beyond the worker's own patience. */
const MARGIN_MS = 90_000;
/** What of a worker's answer is the client's. */
const PASSED = [
  'accept-ranges',
  'cache-control',
  'content-disposition',
  'content-length',
  'content-range',
  'content-type',
  'etag',
] as const;

/** Downloads of a gateway: the bytes come from the worker that has the session and are sent on as they come. */
@Injectable()
export class RemoteDownloads extends Downloads {
  constructor(
    private readonly config: AppConfig,
    private readonly workers: WorkerClient,
    private readonly routes: SessionRoutes,
  ) {
    super();
  }

  override async open(request: DownloadRequest): Promise<FileAnswer> {
    const first = await this.routes.ownerOf(request.id, request.kind);
    try {
      return await this.ask(first, request);
    } catch (error) {
      // Nothing of a download is done twice: whoever has the session now may be asked.
      if (!isGone(error)) throw error;
      this.routes.forget(request.id);
      const second = await this.routes.ownerOf(request.id, request.kind);
      if (second.id === first.id) throw error;
      return this.ask(second, request);
    }
  }

  override async forget(file: FileName): Promise<void> {
    await this.workers.request(await this.routes.ownerOf(file.id, file.kind), { method: 'DELETE', path: pathOf(file) });
  }

  private async ask(owner: WorkerAddress, request: DownloadRequest): Promise<FileAnswer> {
    const { caller, isHead } = request;
    const { range, ifRange, ifNoneMatch, ifMatch } = request.headers;
    const wanted = {
      path: `${pathOf(request)}${isHead ? '/head' : ''}?${queryOf(request)}`,
      headers: {
        ...(range !== undefined && { range }),
        ...(ifRange !== undefined && { 'if-range': ifRange }),
        ...(ifNoneMatch !== undefined && { 'if-none-match': ifNoneMatch }),
        ...(ifMatch !== undefined && { 'if-match': ifMatch }),
      },
      timeoutMs: this.config.downloadStallMs + MARGIN_MS,
    };
    if (isHead) {
      const answer = await this.workers.request<Omit<FileAnswer, 'body'>>(owner, { method: 'GET', ...wanted });
      return { ...answer, body: undefined };
    }
    try {
      const { status, headers, body } = await this.workers.stream(owner, {
        ...wanted,
        onAbort: (abort) => caller?.notify(abort),
      });
      const passed = PASSED.flatMap((name) => {
        const value = headers[name];
        return typeof value === 'string' ? [[name, value] as const] : [];
      });
      return { status, headers: Object.fromEntries(passed), body, fileId: Number(headers[FILE_ID_HEADER]) };
    } catch (error) {
      throw caller?.left === true ? new CallAbandonedError() : error;
    }
  }
}

function isGone(error: unknown): boolean {
  return error instanceof WorkerUnreachableError || (error instanceof RemoteError && error.code === 'shutting_down');
}

function pathOf({ kind, id, fileId }: FileName): string {
  return `/internal/sessions/${kind}/${id}/files/${fileId}`;
}

function queryOf({ remoteId, message }: FileName): string {
  return new URLSearchParams({
    ...(remoteId !== undefined && { remote_id: remoteId }),
    ...(message && { chat_id: String(message.chatId), message_id: String(message.messageId) }),
  }).toString();
}
