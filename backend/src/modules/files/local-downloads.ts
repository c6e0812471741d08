import { Readable } from 'node:stream';
import { Injectable } from '@nestjs/common';
import { ScopeDeniedError, TdlibError } from '../../common/errors/index.js';
import { AppConfig } from '../../config/index.js';
import { loadChatQuery, parseTdObject, stringMember, type TdClient, type TdObject } from '../../telegram/index.js';
import { listedChats, OpenSessions, requireChat, type SessionKind } from '../sessions/index.js';
import { contentDisposition, requireMatch, select } from './download-request.js';
import { type DownloadRequest, Downloads, type FileAnswer, type FileName } from './downloads.js';
import { DownloadFailedError, type RenewalAdvice } from './downloads.errors.js';
import { FileDownload, type FileReader } from './file-download.js';
import { type FileInMessage, filesIn, type TdFile, toTdFile } from './td-file.js';

/** How many bytes of a download wait for a slow client, at most. */
const BUFFER_BYTES = 512 * 1024;
/** TDLib names the type it knows a remote file by when it is asked for another one. */
const OF_TYPE = /of type ([A-Za-z]+)/;
const WHOLE_TIMEOUT_MS = 10 * 60_000;

interface Active {
  readonly download: FileDownload;
  readonly client: TdClient;
  /** TDLib's copy goes when nobody reads it any more. */
  isForgotten: boolean;
}

/** Downloads from the sessions of this process. */
@Injectable()
export class LocalDownloads extends Downloads {
  private readonly active = new Map<string, Active>();

  constructor(
    private readonly config: AppConfig,
    private readonly sessions: OpenSessions,
  ) {
    super();
  }

  override async open(request: DownloadRequest): Promise<FileAnswer> {
    const { kind, id, message, isHead } = request;
    requireNamedMessage(message);
    const client = await this.sessions.client(kind, id);
    const found = await this.find(client, request);
    const { uniqueId } = found.file;
    const etag = uniqueId === '' ? undefined : `"${uniqueId}"`;
    requireMatch(etag, request.headers);
    const file =
      found.file.size > 0 || isHead ? found.file : await this.downloadWhole(client, found.file, adviceFor(kind, false));
    const selection = select(file.size, etag, request.headers);
    const always = {
      'accept-ranges': 'bytes',
      'cache-control': 'private, no-cache',
      ...(etag !== undefined && { etag }),
    };
    if (selection.kind === 'unchanged') {
      return { status: 304, headers: always, body: undefined, fileId: file.id };
    }
    const { from, to } = selection.kind === 'part' ? selection : { from: 0, to: file.size };
    const headers = {
      ...always,
      ...(await this.describe(client, file, found)),
      ...(file.size > 0 && { 'content-length': String(to - from) }),
      ...(selection.kind === 'part' && { 'content-range': `bytes ${from}-${to - 1}/${file.size}` }),
    };
    const status = selection.kind === 'part' ? 206 : 200;
    if (isHead) {
      return { status, headers, body: undefined, fileId: file.id };
    }
    const renewal = message === undefined ? undefined : () => renew(client, message);
    const reader = this.downloadOf(request, client, file).read(from, to, renewal);
    request.caller?.notify(() => reader.close());
    if (request.caller?.left === true) reader.close();
    return { status, headers, body: await streamOf(reader), fileId: file.id };
  }

  override async forget(file: FileName): Promise<void> {
    const active = this.active.get(keyOf(file.id, file.fileId));
    if (active !== undefined) {
      active.isForgotten = true;
      return;
    }
    const client = await this.sessions.client(file.kind, file.id);
    await client.request({ '@type': 'deleteFile', file_id: file.fileId });
  }

  /** All readers of a file share one download. */
  private downloadOf({ kind, id: sessionId }: FileName, client: TdClient, file: TdFile): FileDownload {
    const key = keyOf(sessionId, file.id);
    const known = this.active.get(key);
    if (known?.client === client) {
      known.download.update(file);
      return known.download;
    }
    const leave = this.sessions.followDownload(sessionId, file.id);
    const download = new FileDownload(client, file, {
      stallMs: this.config.downloadStallMs,
      trouble: () => this.sessions.trouble(sessionId),
      advice: (wasRenewed) => adviceFor(kind, wasRenewed),
      onIdle: () => {
        stopListening();
        if (this.active.get(key) === active) this.active.delete(key);
        if (active.isForgotten) {
          void client.request({ '@type': 'deleteFile', file_id: file.id }).catch(() => undefined);
        }
        return leave();
      },
    });
    const active: Active = { download, client, isForgotten: false };
    const marker = `"id":${file.id},`;
    const stopListening = this.sessions.listen(sessionId, (type, update) => {
      // Parsed only when it is about this file.
      if (type === 'updateFile' && update.includes(marker)) {
        const news = toTdFile(parseTdObject(update)['file'] as TdObject);
        if (news.id === file.id) download.update(news);
      }
    });
    this.active.set(key, active);
    return download;
  }

  private async find(client: TdClient, { fileId, remoteId, message }: FileName): Promise<FileInMessage> {
    const file = toTdFile(
      remoteId === undefined
        ? await client.request({ '@type': 'getFile', file_id: fileId })
        : await remoteFile(client, remoteId),
    );
    const unnamed = { file, name: '', mimeType: '' };
    if (message === undefined) {
      return unnamed;
    }
    const files = filesIn(await readMessage(client, message).catch(() => undefined));
    const same = files.find(
      (each) => each.file.id === file.id || (file.uniqueId !== '' && each.file.uniqueId === file.uniqueId),
    );
    if (same === undefined && listedChats() !== undefined) throw new ScopeDeniedError(NEEDS_MESSAGE);
    return same ? { ...same, file } : unnamed;
  }

  private async describe(
    client: TdClient,
    { id }: TdFile,
    { name: given, mimeType }: FileInMessage,
  ): Promise<Record<string, string>> {
    const name =
      given ||
      stringMember(
        await client.request({ '@type': 'getSuggestedFileName', file_id: id, directory: '' }).catch(() => NO_TEXT),
        'text',
      ) ||
      'file';
    const type =
      mimeType || stringMember(await client.request({ '@type': 'getFileMimeType', file_name: name }), 'text');
    return {
      'content-type': /^[\w!#$&^.+-]+\/[\w!#$&^.+-]+$/.test(type) ? type : 'application/octet-stream',
      'content-disposition': contentDisposition(name),
    };
  }

  /** Of some files Telegram tells no size: it is known when they are there. */
  private async downloadWhole(client: TdClient, { id }: TdFile, advice: RenewalAdvice): Promise<TdFile> {
    try {
      const query = { '@type': 'downloadFile', file_id: id, priority: 1, offset: 0, limit: 0, synchronous: true };
      const file = toTdFile(await client.request(query, { timeoutMs: WHOLE_TIMEOUT_MS }));
      if (file.size > 0) return file;
    } catch (error) {
      throw error instanceof TdlibError ? new DownloadFailedError(error.message, advice, error) : error;
    }
    throw new DownloadFailedError('it is empty', 'none');
  }
}

/**
 * A bot keeps no sources of its files, and TDLib answers what a bot asks about a message from its own database. With 1.8.62 no
 * method makes it ask Telegram again, nor does it take the reference of a copy that the bot forwards.
 */
function adviceFor(kind: SessionKind, wasRenewed: boolean): RenewalAdvice {
  if (kind === 'bot') return 'other_session';
  return wasRenewed ? 'none' : 'name_message';
}

const NO_TEXT: TdObject = { '@type': 'text', text: '' };

function keyOf(sessionId: string, fileId: number): string {
  return `${sessionId}:${fileId}`;
}

async function remoteFile(client: TdClient, remoteId: string): Promise<TdObject> {
  const query = { '@type': 'getRemoteFile', remote_file_id: remoteId };
  try {
    return await client.request({ ...query, file_type: null });
  } catch (error) {
    const type = error instanceof TdlibError ? OF_TYPE.exec(error.message)?.[1] : undefined;
    if (type === undefined) throw error;
    return client.request({ ...query, file_type: { '@type': `fileType${type}` } }).catch(() => {
      throw error;
    });
  }
}

const NEEDS_MESSAGE =
  'the token is limited to some chats: chat_id and message_id have to name a message there that has the file';

/**
 * A file's number does not tell which chat it is of. A token of some chats has to name the message that it wants it from.
 * @throws ScopeDeniedError
 */
function requireNamedMessage(message: FileName['message']): void {
  if (message !== undefined) requireChat(message.chatId);
  else if (listedChats() !== undefined) throw new ScopeDeniedError(NEEDS_MESSAGE);
}

async function readMessage(
  client: TdClient,
  { chatId, messageId }: { readonly chatId: number; readonly messageId: number },
): Promise<TdObject> {
  const query = { '@type': 'getMessage', chat_id: chatId, message_id: messageId };
  return client.request(query).catch(async (error: unknown) => {
    const load = loadChatQuery(chatId);
    if (load === undefined) throw error;
    await client.request(load);
    return client.request(query);
  });
}

/** Reading the message tells TDLib where the file is from, and so where to get a new reference. */
async function renew(
  client: TdClient,
  message: { readonly chatId: number; readonly messageId: number },
): Promise<void> {
  await readMessage(client, message);
}

/** Waits for the first bytes, so that what fails before them can still be told. */
async function streamOf(reader: FileReader): Promise<Readable> {
  let first = await reader.next();
  return new Readable({
    highWaterMark: BUFFER_BYTES,
    read() {
      if (first !== undefined) {
        this.push(first);
        first = undefined;
        return;
      }
      reader.next().then(
        (piece) => this.push(piece ?? null),
        (error: unknown) => this.destroy(error instanceof Error ? error : undefined),
      );
    },
    destroy(error, done) {
      reader.close();
      done(error);
    },
  });
}
