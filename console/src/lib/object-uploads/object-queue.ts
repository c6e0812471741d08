import { ApiError } from '@/lib/api-error';
import { putObject } from './put-object';

/**
 * Where an upload into a pool stands: `waiting` for its turn, `sending` to the gateway, `storing` what is left of it in Telegram, `done`,
 * `taken` when there is such an object, or `failed`.
 */
export type ObjectUploadState = 'waiting' | 'sending' | 'storing' | 'done' | 'taken' | 'failed';

/** A file on its way into a pool. */
export interface ObjectUpload {
  readonly id: string;
  readonly poolId: string;
  readonly key: string;
  readonly file: File;
  readonly state: ObjectUploadState;
  /** How many bytes have left the browser. */
  readonly sent: number;
  /** Whether somebody said that an object of the same key may go. */
  readonly replaces: boolean;
  /** Why it is `failed`. */
  readonly error?: ApiError | undefined;
}

/** Each is sent over all bots of its pool already. */
const AT_ONCE = 2;

/** The uploads of this page into pools, which go on while somebody walks through the console, but not over a reload. */
export class ObjectQueue {
  private items: readonly ObjectUpload[] = [];
  private readonly listeners = new Set<() => void>();
  private readonly running = new Map<string, AbortController>();
  private made = 0;

  constructor(private readonly put: typeof putObject = putObject) {}

  /** For useSyncExternalStore. */
  readonly subscribe = (listener: () => void): (() => void) => {
    this.listeners.add(listener);
    return () => this.listeners.delete(listener);
  };

  /** For useSyncExternalStore. */
  readonly read = (): readonly ObjectUpload[] => this.items;

  /** Takes files; their names follow the prefix. */
  add(poolId: string, prefix: string, files: readonly File[]): void {
    const added = files.map((file): ObjectUpload => ({
      id: `object-${(this.made += 1)}`,
      poolId,
      key: `${prefix}${file.name}`,
      file,
      state: 'waiting',
      sent: 0,
      replaces: false,
    }));
    this.set([...this.items, ...added]);
    this.startNext();
  }

  /** Sends one again from its begin; in place of what has its key when `replaces`. */
  retry(id: string, replaces = false): void {
    this.change(id, { state: 'waiting', sent: 0, error: undefined, ...(replaces && { replaces }) });
    this.startNext();
  }

  /** Takes one off the list; of one that is on its way nothing is kept. */
  remove(id: string): void {
    this.running.get(id)?.abort();
    this.set(this.items.filter((item) => item.id !== id));
  }

  private startNext(): void {
    for (const item of this.items) {
      if (this.running.size >= AT_ONCE) return;
      if (item.state === 'waiting') void this.run(item);
    }
  }

  private async run(item: ObjectUpload): Promise<void> {
    const { id, file } = item;
    const controller = new AbortController();
    this.running.set(id, controller);
    this.change(id, { state: 'sending' });
    try {
      await this.put(item, controller.signal, (sent) =>
        this.change(id, { sent, state: sent >= file.size ? 'storing' : 'sending' }),
      );
      this.change(id, { state: 'done', sent: file.size });
    } catch (thrown) {
      const error = ApiError.from(thrown);
      this.change(id, error.status === 412 ? { state: 'taken' } : { state: 'failed', error });
    } finally {
      this.running.delete(id);
      this.startNext();
    }
  }

  private change(id: string, change: Partial<ObjectUpload>): void {
    this.set(this.items.map((item) => (item.id === id ? { ...item, ...change } : item)));
  }

  private set(items: readonly ObjectUpload[]): void {
    this.items = items;
    for (const listener of this.listeners) listener();
  }
}

/** That of this page. */
export const objectQueue = new ObjectQueue();
