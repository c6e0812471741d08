import { fetchClient } from '@/lib/api';
import { ApiError } from '@/lib/api-error';
import { askProgress, beginUpload, checksumOf, removeUpload, sendPart } from './tus';

/**
 * Where an upload stands: `waiting` for its turn, `sending`, `paused` by somebody, `cut` off and going on by itself, `done`, or
 * `failed` for good.
 */
export type UploadState = 'waiting' | 'sending' | 'paused' | 'cut' | 'done' | 'failed';

/** A file that this page uploads. */
export interface UploadItem {
  readonly key: string;
  readonly file: File;
  readonly state: UploadState;
  /** The server's id, once it has begun. */
  readonly id?: string | undefined;
  /** How many bytes the server has. */
  readonly sent: number;
  /** How fast the newest part went; absent while nothing is sent. */
  readonly bytesPerSecond?: number | undefined;
  /** False when the browser could not make a checksum of a part. */
  readonly isChecked: boolean;
  /** When a `cut` one tries again, in Unix milliseconds. */
  readonly retryAt?: number | undefined;
  /** Why it is `cut`, `paused` or `failed`. */
  readonly problem?: string | undefined;
  /** For inputFileLocal, once done. */
  readonly path?: string | undefined;
}

const AT_ONCE = 2;
/** A part that breaks off leaves nothing, so parts are as large as a second brings them over. */
const PART_MS = 1_000;
const FIRST_PART = 256 * 1_024;
const SMALLEST_PART = 64 * 1_024;
const LARGEST_PART = 8 * 1_024 * 1_024;
/** A part for which nothing comes back for so long is lost; the smallest one goes through the slowest of lines in this time. */
const PART_TIMEOUT_MS = 60_000;
const RETRY_MS = [1_000, 2_000, 4_000, 8_000, 15_000, 30_000] as const;

/** Answers after which the same upload goes on: the server is away or busy, or has another offset than we thought. */
const goesOn = ({ source, status, code }: ApiError): boolean =>
  source === 'network' || status >= 500
    ? code !== 'disk_full' && status !== 507
    : [408, 409, 423, 429, 460].includes(status);

/** The file on the disk is not what it was when it was chosen, or may not be read any more. */
class UnreadableFileError extends Error {}

async function readPart(file: File, from: number, to: number): Promise<ArrayBuffer> {
  try {
    return await file.slice(from, to).arrayBuffer();
  } catch (cause) {
    throw new UnreadableFileError('The file was changed, moved or removed after it was chosen. Choose it again.', {
      cause,
    });
  }
}

/**
 * The uploads of this page, which go on while somebody walks through the console. After a reload the browser has forgotten the
 * files, and they are chosen again: the server knows how far each is.
 */
export class UploadQueue {
  private items: readonly UploadItem[] = [];
  private readonly listeners = new Set<() => void>();
  private readonly running = new Map<string, AbortController>();
  private made = 0;

  /** For useSyncExternalStore. */
  readonly subscribe = (listener: () => void): (() => void) => {
    this.listeners.add(listener);
    return () => this.listeners.delete(listener);
  };

  /** For useSyncExternalStore. */
  readonly read = (): readonly UploadItem[] => this.items;

  /** Takes files; they are sent a few at a time, in their order. @returns the keys, in that order */
  add(files: readonly File[]): readonly string[] {
    return files.map((file) => {
      const isEmpty = file.size === 0;
      return this.append({
        file,
        state: isEmpty ? 'failed' : 'waiting',
        problem: isEmpty ? 'The file is empty, and Telegram takes no empty files.' : undefined,
        sent: 0,
      });
    });
  }

  /** Goes on with an upload that the server has a part of. @throws Error in words when the file is another one; ApiError */
  async goOnWith(id: string, file: File, name: string): Promise<void> {
    const { offset, length, lastModified } = await askProgress(id);
    if (file.name !== name || file.size !== length) {
      throw new Error(`That is another file: ${name} with ${length} bytes is needed.`);
    }
    if (lastModified !== undefined && lastModified !== file.lastModified) {
      throw new Error(
        'The file was changed since the upload began, so the two halves would not fit. Begin a new upload.',
      );
    }
    if (this.items.some((item) => item.id === id && item.state !== 'failed')) return;
    this.append({ file, state: 'waiting', sent: offset, id });
  }

  /** Stops sending; what has arrived stays. */
  pause(key: string): void {
    this.change(key, { state: 'paused', problem: undefined });
    this.running.get(key)?.abort();
  }

  /** Goes on with one that is paused, cut or failed. */
  resume(key: string): void {
    this.change(key, { state: 'waiting', problem: undefined, retryAt: undefined });
  }

  /** Takes one off the list, and what the server has of it off the server unless it is done. */
  async cancel(key: string): Promise<void> {
    const item = this.find(key);
    this.running.get(key)?.abort();
    this.set(this.items.filter((other) => other.key !== key));
    if (item?.id !== undefined && item.state !== 'done') await removeUpload(item.id);
  }

  /** Takes off the list what is done. */
  clearDone(): void {
    this.set(this.items.filter(({ state }) => state !== 'done'));
  }

  /** Forgets everything; the server keeps what it has. */
  forget(): void {
    for (const controller of this.running.values()) controller.abort();
    this.set([]);
  }

  /** Lets those that were cut off try again now, as when the network is back. */
  retryNow(): void {
    for (const { key, state } of this.items) if (state === 'cut') this.resume(key);
  }

  private append(item: Omit<UploadItem, 'key' | 'isChecked'>): string {
    const key = `upload-${(this.made += 1)}`;
    this.set([...this.items, { ...item, key, isChecked: true }]);
    this.startNext();
    return key;
  }

  private find(key: string): UploadItem | undefined {
    return this.items.find((item) => item.key === key);
  }

  private set(items: readonly UploadItem[]): void {
    this.items = items;
    for (const listener of this.listeners) listener();
  }

  private change(key: string, change: Partial<UploadItem>): void {
    this.set(this.items.map((item) => (item.key === key ? { ...item, ...change } : item)));
    this.startNext();
  }

  private startNext(): void {
    for (const { key, state } of this.items) {
      if (this.running.size >= AT_ONCE) return;
      if (state !== 'waiting' || this.running.has(key)) continue;
      const controller = new AbortController();
      this.running.set(key, controller);
      void this.run(key, controller.signal).finally(() => {
        this.running.delete(key);
        this.startNext();
      });
    }
  }

  private async run(key: string, signal: AbortSignal): Promise<void> {
    this.change(key, { state: 'sending' });
    for (let failures = 0; ; failures += 1) {
      try {
        await this.send(key, signal, () => {
          failures = 0;
        });
        return;
      } catch (thrown) {
        if (signal.aborted || !(await this.mayGoOn(key, thrown, failures, signal))) return;
      }
    }
  }

  /** Sends what is left of one. `onProgress` is called when a part has arrived. */
  private async send(key: string, signal: AbortSignal, onProgress: () => void): Promise<void> {
    const item = this.find(key);
    if (!item) return;
    const { file } = item;
    let { id } = item;
    let offset = 0;
    if (id === undefined) {
      id = await beginUpload(file, signal);
      this.change(key, { id });
    } else {
      offset = (await askProgress(id, signal)).offset;
      signal.throwIfAborted();
      this.change(key, { sent: offset });
    }
    let size = FIRST_PART;
    while (offset < file.size) {
      const bytes = await readPart(file, offset, Math.min(file.size, offset + size));
      const checksum = await checksumOf(bytes);
      const began = performance.now();
      offset = await sendPart(
        id,
        { offset, bytes, checksum },
        AbortSignal.any([signal, AbortSignal.timeout(PART_TIMEOUT_MS)]),
      );
      signal.throwIfAborted();
      onProgress();
      const ms = Math.max(1, performance.now() - began);
      const perSecond = (bytes.byteLength / ms) * 1_000;
      size = Math.round(
        Math.min(LARGEST_PART, Math.max(SMALLEST_PART, Math.min(size * 2, (perSecond * PART_MS) / 1_000))),
      );
      this.change(key, {
        state: 'sending',
        sent: offset,
        bytesPerSecond: perSecond,
        ...(checksum === undefined ? { isChecked: false } : {}),
      });
    }
    const { data } = await fetchClient.POST('/v1/files/{id}/complete', { params: { path: { id } }, signal });
    signal.throwIfAborted();
    this.change(key, { state: 'done', path: data?.result.path, bytesPerSecond: undefined });
  }

  /** Waits for the next try, or says why there is none. */
  private async mayGoOn(key: string, thrown: unknown, failures: number, signal: AbortSignal): Promise<boolean> {
    const idle = { bytesPerSecond: undefined };
    if (thrown instanceof UnreadableFileError) {
      this.change(key, { ...idle, state: 'failed', problem: thrown.message });
      return false;
    }
    // Also the time limit of a part: nobody answered.
    const error = ApiError.from(thrown);
    if (error.endsConsoleSession) {
      this.change(key, { ...idle, state: 'paused', problem: 'You were signed out.' });
      return false;
    }
    if (!goesOn(error)) {
      const isGone = error.status === 404 || error.status === 410;
      const problem = isGone ? 'The server has this upload no longer: it was removed, or too old.' : error.message;
      this.change(key, { ...idle, state: 'failed', problem, ...(isGone ? { id: undefined, sent: 0 } : {}) });
      return false;
    }
    const wait = RETRY_MS[Math.min(failures, RETRY_MS.length - 1)] ?? 0;
    this.change(key, { ...idle, state: 'cut', problem: error.message, retryAt: Date.now() + wait });
    await this.untilResumed(key, wait, signal);
    return true;
  }

  private untilResumed(key: string, ms: number, signal: AbortSignal): Promise<void> {
    return new Promise((resolve) => {
      const go = (): void => {
        clearTimeout(timer);
        unsubscribe();
        signal.removeEventListener('abort', go);
        if (!signal.aborted) this.change(key, { state: 'sending', retryAt: undefined });
        resolve();
      };
      const timer = setTimeout(go, ms);
      const unsubscribe = this.subscribe(() => {
        if (this.find(key)?.state === 'waiting') go();
      });
      signal.addEventListener('abort', go);
    });
  }
}

/** The queue of this page. */
export const uploadQueue = new UploadQueue();
