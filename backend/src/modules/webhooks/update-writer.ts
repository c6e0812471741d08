import { messageOf } from '../../common/errors/index.js';
import type { AppLogger } from '../../common/log/app-logger.js';
import type { UpdateEntry } from './update-entry.js';
import type { UpdateTap } from './update-tap.js';
import type { LeasedEntry, Stored, StoredDelivery, UpdatesRepository, WantedDelivery } from './updates.repository.js';

/** Who tries deliveries as soon as they are stored. */
export interface DirectLanes {
  /** @returns the lane's epoch when it takes a delivery of this chat at once; it then gets it, or its `cancel` */
  reserve(subscriptionId: string, chatId: number | undefined, size: number): number | undefined;
  cancel(subscriptionId: string): void;
  /** A delivery that was reserved, stored and claimed. */
  feed(delivery: StoredDelivery, entry: UpdateEntry): void;
  /** Deliveries that wait in the database. */
  spill(subscriptionId: string): void;
}

const MAX_ROWS = 500;
const MAX_CHARACTERS = 4 * 1024 * 1024;
const RETRY_MS = 500;
/** A session that closes does not wait longer for the database: its journal keeps what is not stored. */
const CLOSE_TIMEOUT_MS = 3_000;

/**
 * Writes the updates of all sessions of this process to the database: one statement at a time, in which every session that has
 * something gets its share, so that the flood of one delays the others by a statement at most.
 */
export class UpdateWriter {
  private readonly filled = new Set<UpdateTap>();
  private readonly dropped = new Map<string, number>();
  private writing: Promise<void> | undefined;
  private retry: NodeJS.Timeout | undefined;
  private isFailing = false;
  private readonly doubts = new Set<string>();

  constructor(
    private readonly repository: UpdatesRepository,
    private readonly workerId: string,
    private readonly lanes: DirectLanes,
    private readonly stored: (subscriptionIds: ReadonlySet<string>) => Promise<void>,
    /** A statement has failed that may have been carried out: its claims are nobody's then. */
    private readonly doubted: (sessionIds: ReadonlySet<string>) => void,
    private readonly logger: AppLogger,
  ) {}

  /** The tap has something. */
  fill(tap: UpdateTap): void {
    this.filled.add(tap);
    this.begin();
  }

  drop(subscriptionIds: readonly string[]): void {
    for (const id of subscriptionIds) this.dropped.set(id, (this.dropped.get(id) ?? 0) + 1);
    this.begin();
  }

  /** Settles when what the tap has is stored, or after some seconds. */
  async flush(tap: UpdateTap): Promise<void> {
    const deadline = performance.now() + CLOSE_TIMEOUT_MS;
    while (tap.ready.length > 0 && performance.now() < deadline) {
      const pause = new Promise((resolve) => setTimeout(resolve, 50));
      await (this.writing === undefined ? pause : Promise.race([this.writing, pause]));
      this.begin();
    }
    this.filled.delete(tap);
  }

  stop(): void {
    clearTimeout(this.retry);
    this.filled.clear();
  }

  private begin(): void {
    if (this.writing !== undefined || this.retry !== undefined) return;
    // What comes in this turn of the event loop goes along.
    this.writing = new Promise<void>((resolve) => setImmediate(resolve)).then(() => this.writeAll());
  }

  private async writeAll(): Promise<void> {
    try {
      while (this.filled.size > 0 || this.dropped.size > 0) {
        await this.countDropped();
        await this.writeOnce();
      }
      this.isFailing = false;
    } catch (error) {
      if (!this.isFailing) {
        this.logger.warn(`updates are not stored for now, their journals keep them: ${messageOf(error)}`);
      }
      this.isFailing = true;
      this.retry = setTimeout(() => {
        this.retry = undefined;
        this.begin();
      }, RETRY_MS).unref();
    } finally {
      this.writing = undefined;
    }
  }

  private async writeOnce(): Promise<void> {
    const portions = this.takePortions();
    if (portions.length === 0) return;
    const entries = portions.flatMap(({ tap, count }) =>
      tap.ready.slice(0, count).map((entry): LeasedEntry => ({ entry, lease: tap.lease })),
    );
    const deliveries = this.reserve(entries);
    let result: Stored;
    try {
      result = await this.repository.store(this.workerId, entries, deliveries);
    } catch (error) {
      for (const { subscriptionId, claimEpoch } of deliveries) {
        if (claimEpoch !== undefined) this.lanes.cancel(subscriptionId);
      }
      for (const { lease } of entries) this.doubts.add(lease.sessionId);
      throw error;
    }
    if (this.doubts.size > 0) {
      this.doubted(new Set(this.doubts));
      this.doubts.clear();
    }
    for (const { tap, count } of portions) {
      if (result.leased.has(tap.lease.sessionId)) tap.stored(count);
      else tap.lose();
      if (tap.ready.length === 0) this.filled.delete(tap);
    }
    this.hand(deliveries, result.deliveries);
    await this.stored(new Set(result.deliveries.map(({ subscription_id }) => subscription_id)));
  }

  /** As many of each session as fit: all of them, when there is room. */
  private takePortions(): readonly { readonly tap: UpdateTap; readonly count: number }[] {
    const taps = [...this.filled].filter((tap) => tap.ready.length > 0);
    for (const tap of this.filled) if (tap.ready.length === 0) this.filled.delete(tap);
    const share = Math.max(1, Math.floor(MAX_ROWS / Math.max(1, taps.length)));
    const characters = MAX_CHARACTERS / Math.max(1, taps.length);
    return taps.slice(0, MAX_ROWS).map((tap) => {
      tap.rotate();
      // Whoever was served goes to the end of the line.
      this.filled.delete(tap);
      this.filled.add(tap);
      return { tap, count: fitting(tap.ready, share, characters) };
    });
  }

  private reserve(entries: readonly LeasedEntry[]): readonly WantedDelivery[] {
    return entries.flatMap(({ entry }) =>
      entry.subscriptionIds.map((subscriptionId) => ({
        entry,
        subscriptionId,
        claimEpoch: this.lanes.reserve(subscriptionId, entry.chatId, entry.payload.length),
      })),
    );
  }

  private hand(wanted: readonly WantedDelivery[], stored: readonly StoredDelivery[]): void {
    const made = new Map(stored.map((each) => [`${each.update_id} ${each.subscription_id}`, each]));
    for (const { entry, subscriptionId, claimEpoch } of wanted) {
      const key = `${entry.id} ${subscriptionId}`;
      const delivery = made.get(key);
      made.delete(key);
      if (delivery !== undefined && delivery.claim_epoch !== null) {
        this.lanes.feed(delivery, entry);
      } else {
        // Seen before, or of a subscription that is gone, or of another worker's lane.
        if (claimEpoch !== undefined) this.lanes.cancel(subscriptionId);
        if (delivery !== undefined) this.lanes.spill(subscriptionId);
      }
    }
  }

  private async countDropped(): Promise<void> {
    if (this.dropped.size === 0) return;
    const counted = new Map(this.dropped);
    await this.repository.countDropped(counted);
    for (const [id, count] of counted) {
      const left = (this.dropped.get(id) ?? 0) - count;
      if (left > 0) this.dropped.set(id, left);
      else this.dropped.delete(id);
    }
  }
}

function fitting(entries: readonly UpdateEntry[], rows: number, characters: number): number {
  let size = 0;
  for (const [index, { payload }] of entries.entries()) {
    size += payload.length;
    if (index >= rows || (index > 0 && size > characters)) return index;
  }
  return entries.length;
}
