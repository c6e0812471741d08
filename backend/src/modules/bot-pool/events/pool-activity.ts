import type { Clock } from '../dispatcher/clock.js';
import type { DispatcherStatus, PoolEvent } from '../dispatcher/dispatcher.js';
import type { NewPoolEvent } from './pool-events.repository.js';

/** Five times a second at most, however much happens. */
const WINDOW_MS = 200;
/** A pause after events could not be written. */
const RETRY_MS = 2_000;

/** What has happened to chunks in a while. */
interface Counts {
  started: number;
  stored: number;
  failed: number;
  /** Sends that have failed, and were or will be made again. */
  retried: number;
  bytes: number;
}

/** What has changed of a bot last. */
type BotChange = Readonly<Record<string, unknown>> & { readonly session_id: string };

/**
 * What the dispatcher of a pool tells, put together: one event for all chunks of a while, and one for each bot that has changed. No
 * chunk is told of twice or not at all, also when the events cannot be written for a while.
 */
export class PoolActivity {
  private counts = none();
  private bots = new Map<string, BotChange>();
  private cancelWrite: (() => void) | undefined;
  private writing: Promise<void> | undefined;
  private isClosed = false;

  /** @param write fails when they were not written */
  constructor(
    private readonly clock: Clock,
    private readonly backlog: () => DispatcherStatus['backlog'],
    private readonly write: (events: readonly NewPoolEvent[]) => Promise<void>,
  ) {}

  note(event: PoolEvent): void {
    switch (event.type) {
      case 'started':
        this.counts.started += 1;
        break;
      case 'stored':
        this.counts.stored += 1;
        this.counts.bytes += event.stored.sizeBytes;
        break;
      case 'failed':
        this.counts.failed += 1;
        break;
      case 'attempt':
        this.counts.retried += 1;
        break;
      case 'cooldown':
        this.changed({ session_id: event.botId, rate_limited_until: new Date(event.untilUnixMs).toISOString() });
        break;
      case 'quarantined':
        this.changed({ session_id: event.botId, state: 'quarantined', reason: event.reason });
        break;
      case 'orphan':
        return;
      default:
        event satisfies never;
    }
    this.schedule(WINDOW_MS);
  }

  /** Writes what is left, once. */
  async close(): Promise<void> {
    this.isClosed = true;
    this.cancelWrite?.();
    await this.writing;
    await this.flush();
  }

  private changed(change: BotChange): void {
    this.bots.set(change.session_id, { ...this.bots.get(change.session_id), ...change });
  }

  private schedule(inMs: number): void {
    if (this.isClosed || this.cancelWrite !== undefined || this.writing !== undefined) return;
    this.cancelWrite = this.clock.schedule(this.clock.now() + inMs, () => {
      this.cancelWrite = undefined;
      this.writing = this.flush().then((isWritten) => {
        this.writing = undefined;
        if (!this.isEmpty) this.schedule(isWritten ? WINDOW_MS : RETRY_MS);
      });
    });
  }

  private get isEmpty(): boolean {
    return this.bots.size === 0 && Object.values(this.counts).every((count) => count === 0);
  }

  /** @returns whether they were written; those that were not are told with what comes */
  private async flush(): Promise<boolean> {
    if (this.isEmpty) return true;
    const { counts, bots } = this;
    this.counts = none();
    this.bots = new Map();
    const { parts, bytes, oldestMs } = this.backlog();
    const backlog = { parts, bytes, oldest_s: Math.floor(oldestMs / 1_000) };
    try {
      await this.write([
        { type: 'chunks', data: { ...counts, backlog } },
        ...[...bots.values()].map((data) => ({ type: 'bot' as const, data })),
      ]);
      return true;
    } catch {
      for (const key of Object.keys(counts) as (keyof Counts)[]) this.counts[key] += counts[key];
      for (const [id, change] of bots) this.bots.set(id, { ...change, ...this.bots.get(id), session_id: id });
      return false;
    }
  }
}

function none(): Counts {
  return { started: 0, stored: 0, failed: 0, retried: 0, bytes: 0 };
}
