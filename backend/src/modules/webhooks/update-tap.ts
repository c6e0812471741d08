import { readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { type Lease, type LiveState, type SessionTap, type TapOpening, TurnJournal } from '../sessions/index.js';
import type { Subscriber } from './subscriber.js';
import { entriesOf, parseEntry, type UpdateEntry, writeEntry } from './update-entry.js';
import { SYSTEM_TYPES } from './update-types.js';

/** What a tap does with what it has found. */
export interface TapEvents {
  /** Something waits to be stored. */
  filled(tap: UpdateTap): void;
  /** An update is lost: too much waits already. */
  dropped(subscriptionIds: readonly string[]): void;
  /** The journal was not written: what it does not hold is lost with the process. */
  unwritten(error: unknown): void;
  /** Stores what waits, as long as the database is there. */
  closing(tap: UpdateTap): Promise<void>;
}

/** How much of one session may wait in memory to be stored, in characters. */
const MAX_WAITING = 64 * 1024 * 1024;

const NAME = 'updates';

/** Several clients may have left journals in a folder, each under the epoch of its lease. */
function journalNames(directory: string): readonly string[] {
  try {
    const files = readdirSync(directory).flatMap((file) => /^(updates\.\d+)\.[01]$/.exec(file)?.[1] ?? []);
    return [...new Set(files)];
  } catch {
    return [];
  }
}

/**
 * The updates of one open session that somebody wants. TDLib has no acknowledgement: an update is lost with the process unless
 * it is written down the moment it comes. So each goes to a journal in the session's folder first, and then waits here for the
 * database.
 */
export class UpdateTap implements SessionTap {
  /** Of every subscription that is served; by type those that want it. */
  private readonly byType = new Map<string, readonly Subscriber[]>();
  private served: readonly Subscriber[];
  private all: readonly Subscriber[];
  private readonly queue: UpdateEntry[] = [];
  private waiting = 0;
  private journal: TurnJournal | undefined;
  /** How many entries came and were stored, and up to which one the journal's other file has them. */
  private appended = 0;
  private storedCount = 0;
  private mark = 0;
  private hasStarted = false;
  private isOver = false;
  private leftBehind: readonly string[] = [];
  private leftMark = 0;
  private last: Pick<LiveState, 'status' | 'health'> | undefined;

  constructor(
    readonly opening: TapOpening,
    subscribers: readonly Subscriber[],
    private readonly events: TapEvents,
    private readonly now: () => number = Date.now,
  ) {
    this.all = subscribers;
    this.served = subscribers.filter(({ isServed }) => isServed);
  }

  get lease(): Lease {
    return this.opening.lease;
  }

  get subscribers(): readonly Subscriber[] {
    return this.all;
  }

  /** Whether its session is over, or another worker's: nothing is to be stored any more. */
  get isClosed(): boolean {
    return this.isOver;
  }

  /** Characters that wait. */
  get size(): number {
    return this.waiting;
  }

  /** What may be stored now, oldest first. */
  get ready(): readonly UpdateEntry[] {
    return this.hasStarted && !this.isOver ? this.queue : [];
  }

  /** From now on these. */
  subscribe(subscribers: readonly Subscriber[]): void {
    this.all = subscribers;
    this.served = subscribers.filter(({ isServed }) => isServed);
    this.byType.clear();
  }

  receive(type: string, update: string): void {
    const wanting = this.wanting(type);
    if (wanting.length === 0 || this.isOver) return;
    if (this.waiting + update.length > MAX_WAITING) {
      this.events.dropped(this.served.map(({ id }) => id));
      return;
    }
    const entries = entriesOf(this.lease.sessionId, type, update, wanting, this.now());
    if (entries.length === 0) return;
    this.write(entries.map(writeEntry).join(''));
    for (const entry of entries) this.push(entry);
    if (this.hasStarted) this.events.filled(this);
  }

  started(): void {
    const { directory, lease } = this.opening;
    this.leftBehind = journalNames(directory).filter((name) => name !== `${NAME}.${lease.epoch}`);
    const left = this.leftBehind.flatMap((name) =>
      TurnJournal.read(directory, name).flatMap((l) => parseEntry(l) ?? []),
    );
    const younger = this.queue.splice(0);
    for (const entry of left) this.push(entry);
    this.leftMark = left.length;
    this.queue.push(...younger);
    this.hasStarted = true;
    if (left.length === 0) this.removeLeft();
    if (this.queue.length > 0) this.events.filled(this);
  }

  changed({ id, kind, status, since, health, health_since, health_cause, last_error }: LiveState): void {
    const { last } = this;
    this.last = { status, health };
    if (last === undefined) return;
    if (last.status !== status) {
      const event = { session_id: id, kind, status, former: last.status, since, ...(last_error && { last_error }) };
      this.emit(SYSTEM_TYPES.status, event);
    }
    if (last.health !== health) {
      const cause = health_cause === undefined ? {} : { cause: health_cause };
      this.emit(SYSTEM_TYPES.health, {
        session_id: id,
        kind,
        health,
        former: last.health,
        since: health_since,
        ...cause,
      });
    }
  }

  limited({ scope, startedAt, until, reason }: Parameters<SessionTap['limited']>[0]): void {
    const { kind, lease } = this.opening;
    this.emit(SYSTEM_TYPES.limit, {
      session_id: lease.sessionId,
      kind,
      scope,
      started_at: startedAt.toISOString(),
      until: until.toISOString(),
      reason,
    });
  }

  /** Makes an event of the product. */
  emit(type: string, members: object): void {
    this.receive(type, JSON.stringify({ '@type': type, ...members }));
  }

  async close(): Promise<void> {
    if (this.isOver) return;
    await this.events.closing(this);
    this.isOver = true;
    this.journal?.close();
    if (this.journal !== undefined && this.queue.length === 0) this.remove(`${NAME}.${this.lease.epoch}`);
    this.journal = undefined;
  }

  /** What was appended so far is about to be stored. */
  rotate(): void {
    if (this.mark <= this.storedCount) {
      this.journal?.rotate();
      this.mark = this.appended;
    }
  }

  /** The first so many of what waits are in the database. */
  stored(count: number): void {
    for (const { payload } of this.queue.splice(0, count)) this.waiting -= payload.length;
    this.storedCount += count;
    if (this.isOver) return;
    if (this.storedCount >= this.mark) this.journal?.stored();
    if (this.leftBehind.length > 0 && this.storedCount >= this.leftMark) this.removeLeft();
  }

  /** The session is another worker's: its journal is left to that one. */
  lose(): void {
    this.isOver = true;
    this.queue.length = 0;
    this.waiting = 0;
    this.journal?.close();
    this.journal = undefined;
  }

  private wanting(type: string): readonly Subscriber[] {
    if (this.served.length === 0) return this.served;
    const known = this.byType.get(type);
    if (known !== undefined) return known;
    const wanting = this.served.filter(({ filters }) => filters.wantsType(type));
    this.byType.set(type, wanting);
    return wanting;
  }

  private push(entry: UpdateEntry): void {
    this.queue.push(entry);
    this.appended += 1;
    this.waiting += entry.payload.length;
  }

  private write(lines: string): void {
    try {
      this.journal ??= TurnJournal.open(this.opening.directory, `${NAME}.${this.lease.epoch}`);
      this.journal.append(lines);
    } catch (error) {
      this.events.unwritten(error);
    }
  }

  private removeLeft(): void {
    for (const name of this.leftBehind) this.remove(name);
    this.leftBehind = [];
  }

  private remove(name: string): void {
    for (const turn of ['0', '1']) rmSync(join(this.opening.directory, `${name}.${turn}`), { force: true });
  }
}
