import { type FileHandle, open } from 'node:fs/promises';
import { codeOf, messageOf, TdlibError } from '../../common/errors/index.js';
import { numberMember, type TdObject } from '../../telegram/index.js';
import {
  DownloadClosedError,
  DownloadFailedError,
  DownloadStalledError,
  FileDamagedError,
  type RenewalAdvice,
} from './downloads.errors.js';
import { type TdFile, toTdFile } from './td-file.js';

/** What a download asks of TDLib. */
export interface FileClient {
  request(query: TdObject, options?: { readonly timeoutMs?: number }): Promise<TdObject>;
}

/** What a download is told beside the file. */
export interface FileDownloadOptions {
  /** How long nothing may come, in milliseconds. */
  readonly stallMs: number;
  /** Why nothing comes, as far as the session knows. */
  readonly trouble: () => string | undefined;
  /** What may help when Telegram does not give the file. */
  readonly advice: (wasRenewed: boolean) => RenewalAdvice;
  /** The last reader is gone. @returns whether nobody else wants the file either */
  readonly onIdle: () => boolean;
}

/** So much is asked of Telegram at first, and at most, ahead of a reader that wants more, in bytes. */
const FIRST_WINDOW_BYTES = 1024 * 1024;
const MAX_WINDOW_BYTES = 16 * 1024 * 1024;
const PIECE_BYTES = 256 * 1024;
const OPEN_ATTEMPTS = 3;
/** The download's own deadline is the stall; a request of TDLib may take as long as its bytes. */
const REQUEST_TIMEOUT_MS = 24 * 3_600_000;
/** TDLib's code for a request that another one for the same file has replaced. */
const REPLACED = 200;
/** TDLib says the same when it could not download and when somebody has cancelled the download of the file. */
const FAILED_OR_CANCELLED = 'File download has failed or was canceled';
/** So often a stretch is asked for again of which nothing came. */
const ATTEMPTS_IN_VAIN = 2;

interface Window {
  readonly from: number;
  readonly to: number;
}

/**
 * One file of one session on its way from Telegram, for any number of readers. TDLib downloads one stretch of a file at a time; it
 * is always one that a waiting reader needs, and never goes far ahead of it. Whoever needs bytes that are there reads them.
 */
export class FileDownload {
  private readonly readers = new Set<FileReader>();
  /** Readers that wait for bytes, in the order in which they began to. */
  private readonly waiting = new Set<FileReader>();
  private window: Window | undefined;
  private windowBytes = FIRST_WINDOW_BYTES;
  private generation = 0;
  private handle: { readonly path: string; readonly file: Promise<FileHandle> } | undefined;
  private stall: NodeJS.Timeout | undefined;
  private checking: Promise<void> | undefined;
  private renewal: (() => Promise<void>) | undefined;
  private wasRenewed = false;
  private attemptsInVain = 0;

  constructor(
    private readonly client: FileClient,
    private file: TdFile,
    private readonly options: FileDownloadOptions,
  ) {}

  get fileId(): number {
    return this.file.id;
  }

  /** @param renewal makes TDLib get a new reference of the file, when the message that has it is known */
  read(from: number, to: number, renewal?: () => Promise<void>): FileReader {
    this.renewal ??= renewal;
    const reader = new FileReader(this, from, to);
    this.readers.add(reader);
    return reader;
  }

  /** Takes TDLib's news of the file. */
  update(file: TdFile): void {
    const hasGrown = file.downloadedBytes > this.file.downloadedBytes;
    this.file = file;
    if (hasGrown) {
      this.attemptsInVain = 0;
      this.stall?.refresh();
    }
    for (const reader of this.waiting) {
      if (this.readyAt(reader.position) > 0) {
        this.wake(reader);
      }
    }
  }

  /** For readers: how many bytes are there from the reader's position on; waits until there is at least one. */
  async available(reader: FileReader): Promise<number> {
    for (;;) {
      reader.requireOpen();
      await (this.checking ??= this.check());
      const ready = this.readyAt(reader.position) || (await this.askReady(reader.position));
      if (ready > 0) {
        this.extend(reader);
        return ready;
      }
      reader.requireOpen();
      await new Promise<void>((resolve, reject) => {
        reader.wait(resolve, reject);
        this.waiting.add(reader);
        this.pump();
        this.watch();
      });
    }
  }

  /** For readers. @throws FileDamagedError */
  async readAt(position: number, bytes: number): Promise<Buffer> {
    const buffer = Buffer.allocUnsafe(Math.min(bytes, PIECE_BYTES));
    for (let attempt = 0; attempt < OPEN_ATTEMPTS; attempt += 1) {
      try {
        const handle = await this.open();
        const { bytesRead } = await handle.read(buffer, 0, buffer.length, position);
        if (bytesRead > 0) return buffer.subarray(0, bytesRead);
        break;
      } catch (error) {
        // TDLib has moved the file, and has not told it yet or only just now.
        if (codeOf(error) !== 'ENOENT' && codeOf(error) !== 'EBADF') throw error;
        this.closeHandle();
        this.file = toTdFile(await this.client.request({ '@type': 'getFile', file_id: this.file.id }));
      }
    }
    throw new FileDamagedError();
  }

  /** For readers: one has ended. */
  leave(reader: FileReader): void {
    this.waiting.delete(reader);
    if (!this.readers.delete(reader) || this.readers.size > 0) {
      return;
    }
    this.generation += 1;
    clearTimeout(this.stall);
    this.closeHandle();
    const isUnwanted = this.options.onIdle();
    if (this.window !== undefined) {
      this.window = undefined;
      if (isUnwanted) this.cancel();
    }
  }

  private cancel(): void {
    void this.client
      .request({ '@type': 'cancelDownloadFile', file_id: this.file.id, only_if_pending: false })
      .catch(() => undefined);
  }

  /** A whole file may have been changed or removed behind TDLib's back, which looks at it when it is asked to download it. */
  private async check(): Promise<void> {
    if (this.file.isWhole) {
      const size = await this.sizeOnDisk();
      if (size === undefined || size !== this.file.size) {
        this.closeHandle();
        this.file = { ...this.file, isWhole: false, readyBytes: 0, path: '' };
        // Should it fail, so does what a reader asks for next, which is told.
        await this.client
          .request(this.downloadQuery({ from: 0, to: 1 }), { timeoutMs: this.options.stallMs })
          .then((file) => (this.file = toTdFile(file)))
          .catch(() => undefined);
      }
    }
  }

  private async sizeOnDisk(): Promise<number | undefined> {
    try {
      return (await (await this.open()).stat()).size;
    } catch (error) {
      if (codeOf(error) === 'ENOENT') return undefined;
      throw error;
    }
  }

  private readyAt(position: number): number {
    const { isWhole, size, readyFrom, readyBytes, path } = this.file;
    if (path === '') return 0;
    if (isWhole) return Math.max(0, size - position);
    return position >= readyFrom ? Math.max(0, readyFrom + readyBytes - position) : 0;
  }

  private async askReady(position: number): Promise<number> {
    if (this.file.path === '') return 0;
    const answer = await this.client.request({
      '@type': 'getFileDownloadedPrefixSize',
      file_id: this.file.id,
      offset: position,
    });
    return numberMember(answer, 'size');
  }

  /** Begins the next stretch, when none is on its way and somebody waits. */
  private pump(): void {
    const [reader] = this.waiting;
    if (this.window === undefined && reader !== undefined) {
      const to = Math.min(reader.to, reader.position + this.windowBytes);
      this.request({ from: reader.position, to });
    }
  }

  /** Goes on before the stretch is over, so that nothing pauses between two. */
  private extend(reader: FileReader): void {
    const { window } = this;
    if (window === undefined || reader.position < window.from || reader.position >= window.to) return;
    const isHalf = reader.position > (window.from + window.to) / 2;
    const isWanted = reader.to > window.to && this.waiting.size === 0;
    if (isHalf && isWanted) {
      this.windowBytes = Math.min(this.windowBytes * 2, MAX_WINDOW_BYTES);
      this.request({ from: window.from, to: Math.min(reader.to, window.to + this.windowBytes) });
    }
  }

  private request(window: Window): void {
    this.generation += 1;
    const { generation } = this;
    this.window = window;
    this.client.request(this.downloadQuery(window), { timeoutMs: REQUEST_TIMEOUT_MS }).then(
      (file) => {
        if (generation === this.generation) {
          this.windowBytes = Math.min(this.windowBytes * 2, MAX_WINDOW_BYTES);
          this.window = undefined;
          this.update(toTdFile(file));
          this.lookAgain();
        }
      },
      (error: unknown) => {
        if (generation === this.generation) {
          this.window = undefined;
          void this.recover(error);
        }
      },
    );
  }

  private downloadQuery({ from, to }: Window): TdObject {
    const limit = to - from;
    return { '@type': 'downloadFile', file_id: this.file.id, priority: 1, offset: from, limit, synchronous: true };
  }

  private async recover(error: unknown): Promise<void> {
    if (error instanceof TdlibError && error.tdCode === REPLACED) {
      // A call of the API has asked for another part of the file: what is still needed is asked for again.
      this.lookAgain();
      return;
    }
    const mayBeCancelled = error instanceof TdlibError && error.message === FAILED_OR_CANCELLED;
    if (mayBeCancelled && this.attemptsInVain < ATTEMPTS_IN_VAIN) {
      this.attemptsInVain += 1;
      this.lookAgain();
      return;
    }
    const { renewal, generation } = this;
    if (renewal !== undefined && !this.wasRenewed && error instanceof TdlibError) {
      this.wasRenewed = true;
      try {
        await renewal();
        if (generation === this.generation) this.lookAgain();
        return;
      } catch (again) {
        this.fail(again);
        return;
      }
    }
    this.fail(error);
  }

  private lookAgain(): void {
    for (const reader of this.waiting) {
      this.wake(reader);
    }
  }

  private wake(reader: FileReader): void {
    this.waiting.delete(reader);
    if (this.waiting.size === 0) clearTimeout(this.stall);
    reader.wake();
  }

  private fail(error: unknown): void {
    const reason =
      error instanceof TdlibError
        ? new DownloadFailedError(error.message, this.options.advice(this.renewal !== undefined), error)
        : error;
    clearTimeout(this.stall);
    for (const reader of this.waiting) {
      this.waiting.delete(reader);
      reader.fail(reason instanceof Error ? reason : new Error(messageOf(reason)));
    }
  }

  private watch(): void {
    if (this.waiting.size > 1) return;
    clearTimeout(this.stall);
    this.stall = setTimeout(() => {
      this.generation += 1;
      this.window = undefined;
      this.cancel();
      this.fail(new DownloadStalledError(this.options.stallMs, this.options.trouble()));
    }, this.options.stallMs);
  }

  /** The file, or the part that is there. TDLib moves it when it is whole, which an open file does not mind. */
  private async open(): Promise<FileHandle> {
    const { path } = this.file;
    if (this.handle?.path !== path) {
      this.closeHandle();
      this.handle = { path, file: open(path, 'r') };
      this.handle.file.catch(() => undefined);
    }
    return this.handle.file;
  }

  private closeHandle(): void {
    const { handle } = this;
    this.handle = undefined;
    void handle?.file.then((file) => file.close()).catch(() => undefined);
  }
}

/** Reads one stretch of a file, in order. */
export class FileReader {
  private isClosed = false;
  private waiter: { readonly resolve: () => void; readonly reject: (error: Error) => void } | undefined;
  private at: number;

  /** Only FileDownload makes them. @param to the first byte that is not read */
  constructor(
    private readonly download: FileDownload,
    from: number,
    readonly to: number,
  ) {
    this.at = from;
  }

  /** The next byte to read. */
  get position(): number {
    return this.at;
  }

  /**
   * The next piece; undefined at the end.
   * @throws DownloadFailedError, DownloadStalledError, FileDamagedError, DownloadClosedError
   */
  async next(): Promise<Buffer | undefined> {
    if (this.at >= this.to) {
      this.close();
      return undefined;
    }
    try {
      const ready = await this.download.available(this);
      const piece = await this.download.readAt(this.at, Math.min(ready, this.to - this.at));
      this.at += piece.length;
      return piece;
    } catch (error) {
      this.close();
      throw error;
    }
  }

  /** Nobody reads on. */
  close(): void {
    if (!this.isClosed) {
      this.isClosed = true;
      this.download.leave(this);
      this.fail(new DownloadClosedError());
    }
  }

  /** For FileDownload, as are the others below. */
  requireOpen(): void {
    if (this.isClosed) throw new DownloadClosedError();
  }

  wait(resolve: () => void, reject: (error: Error) => void): void {
    this.waiter = { resolve, reject };
  }

  wake(): void {
    const { waiter } = this;
    this.waiter = undefined;
    waiter?.resolve();
  }

  fail(error: Error): void {
    const { waiter } = this;
    this.waiter = undefined;
    waiter?.reject(error);
  }
}
