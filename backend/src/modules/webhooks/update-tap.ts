import { readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { type Lease, type LiveState, type SessionTap, type TapOpening, TurnJournal } from '../sessions/index.js';
import type { Subscriber } from './subscriber.js';
import type { TdClient } from '../../telegram/index.js';
import { Backlog } from './backlog.js';
import { inOrder } from './in-order.js';
import { MessageGap } from './message-gap.js';
import type { FoundMessage } from './missed-messages.js';
import { type NewestSeen, SeenMessages } from './seen-messages.js';
import { entriesOf, parseEntry, type UpdateEntry, writeEntry } from './update-entry.js';
import { factsOf, NEW_MESSAGE, type UpdateFacts } from './update-facts.js';
import { SYSTEM_TYPES } from './update-types.js';

/** What a tap does with what it has found. */
export interface TapEvents {
  /** Something waits to be stored. */
  filled(tap: UpdateTap): void;
  /** An update is lost: too much waits already. */
  dropped(subscriptionIds: readonly string[]): void;
  /** The journal was not written: what it does not hold is lost with the process. */
  unwritten(error: unknown): void;
  /** Messages that a killed process had not handed over were found. */
  found(count: number): void;
  /** They could not be looked for. */
  unfound(error: unknown): void;
  /** Stores what waits, as long as the database is there. */
  closing(tap: UpdateTap): Promise<void>;
}

/** For so long, or until so many characters wait, younger updates come after those that are still looked for. */
const HELD_MS = 60_000;
const MAX_HELD = 8 * 1024 * 1024;
/** Telegram's clock is another than ours. */
const CLOCK_SLACK_MS = 5_000;

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

function* messagesIn(entries: readonly UpdateEntry[]): Generator<readonly [chatId: number, messageId: number]> {
  for (const { type, payload } of entries) {
    const { chatId, messageId } = type === NEW_MESSAGE ? factsOf(type, payload) : {};
    if (chatId !== undefined && messageId !== undefined) yield [chatId, messageId];
  }
}

/**
 * The updates of one open session that somebody wants. TDLib has no acknowledgement: an update is lost with the process unless
 * it is written down the moment it comes. So each goes to a journal in the session's folder first, and then waits here for the
 * database.
 * What a killed process had not been handed over is looked for first, as far as it can be found.
 */
export class UpdateTap implements SessionTap {
  /** Of every subscription that is served; by type those that want it. */
  private readonly byType = new Map<string, readonly Subscriber[]>();
  private served: readonly Subscriber[];
  private all: readonly Subscriber[];
  private queue: UpdateEntry[] = [];
  private waiting = 0;
  private journal: TurnJournal | undefined;
  /** How many entries came and were stored, and up to which one the journal's other file has them. */
  private appended = 0;
  private storedCount = 0;
  private mark = 0;
  private hasStarted = false;
  private isOver = false;
  /** Its session is another worker's: what still comes is written down for that one. */
  private isLost = false;
  private leftBehind: readonly string[] = [];
  private leftMark = 0;
  private last: Pick<LiveState, 'status' | 'health'> | undefined;
  private readonly seen: SeenMessages;
  private readonly gap = new MessageGap();
  /** What a killed process had not handed over, while the younger updates wait for it. */
  private missed: UpdateEntry[] | undefined;
  private followsMessages = false;

  constructor(
    readonly opening: TapOpening,
    subscribers: readonly Subscriber[],
    private readonly events: TapEvents,
    private readonly backlog = new Backlog(),
    private readonly now: () => number = Date.now,
  ) {
    this.all = subscribers;
    this.served = subscribers.filter(({ isServed }) => isServed);
    this.seen = new SeenMessages(opening.directory);
  }

  get lease(): Lease {
    return this.opening.lease;
  }

  get subscribers(): readonly Subscriber[] {
    return this.all;
  }

  /** Whether its session is over, or another worker's: nothing is to be stored any more. */
  get isClosed(): boolean {
    return this.isOver || this.isLost;
  }

  /** Characters that wait. */
  get size(): number {
    return this.waiting;
  }

  /** What may be stored now, oldest first. */
  get ready(): readonly UpdateEntry[] {
    return this.hasStarted && !this.isClosed && this.missed === undefined ? this.queue : [];
  }

  /** From now on these. */
  subscribe(subscribers: readonly Subscriber[]): void {
    this.all = subscribers;
    this.served = subscribers.filter(({ isServed }) => isServed);
    this.byType.clear();
    if (this.hasStarted) this.followMessages();
  }

  receive(type: string, update: string): void {
    this.gap.watch(type, update);
    const wanting = this.wanting(type);
    if (wanting.length === 0 || this.isOver) return;
    if (!this.isLost && !this.backlog.hasRoom(this.waiting, update.length)) {
      this.events.dropped(this.served.map(({ id }) => id));
      return;
    }
    const facts = factsOf(type, update);
    const entries = entriesOf(this.lease.sessionId, type, update, wanting, this.now(), facts);
    if (entries.length > 0) {
      this.write(entries.map(writeEntry).join(''));
      if (this.isLost) return;
      for (const entry of entries) this.push(entry);
    }
    this.note(facts);
    if (this.waiting > MAX_HELD) this.release();
    else if (entries.length > 0) this.tellFilled();
  }

  started(client: Promise<TdClient | undefined>): void {
    const { directory, lease } = this.opening;
    this.leftBehind = journalNames(directory).filter((name) => name !== `${NAME}.${lease.epoch}`);
    const left = this.leftBehind.flatMap((name) =>
      TurnJournal.read(directory, name).flatMap((l) => parseEntry(l) ?? []),
    );
    const younger = this.queue.splice(0);
    for (const entry of inOrder(left)) this.push(entry);
    this.leftMark = left.length;
    this.queue.push(...younger);
    this.hasStarted = true;
    if (left.length === 0) this.removeLeft();
    const bounds = this.followMessages(left);
    if (bounds !== undefined) void this.lookForMissed(bounds, client);
    this.tellFilled();
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
    this.gap.end();
    this.release();
    await this.events.closing(this);
    this.isOver = true;
    this.journal?.close();
    if (!this.isLost) {
      if (this.followsMessages) this.keep(() => this.seen.close());
      if (this.journal !== undefined && this.queue.length === 0) this.remove(`${NAME}.${this.lease.epoch}`);
    }
    this.journal = undefined;
    this.forgetWaiting();
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
    const stored = this.queue.splice(0, count);
    this.storedCount += count;
    if (this.isClosed) return;
    const characters = stored.reduce((sum, { payload }) => sum + payload.length, 0);
    this.waiting -= characters;
    this.backlog.remove(characters);
    if (this.storedCount >= this.mark) {
      this.keep(() => this.seen.flush());
      this.journal?.stored();
    }
    if (this.leftBehind.length > 0 && this.storedCount >= this.leftMark) this.removeLeft();
  }

  /**
   * The session is another worker's: its journal is left to that one. TDLib goes on until it is closed, which is what the other one
   * waits for, and will not hand over again what comes until then.
   */
  lose(): void {
    this.isLost = true;
    this.gap.end();
    this.missed = undefined;
    this.queue.length = 0;
    this.forgetWaiting();
  }

  private forgetWaiting(): void {
    this.backlog.remove(this.waiting);
    this.waiting = 0;
  }

  private wanting(type: string): readonly Subscriber[] {
    if (this.served.length === 0) return this.served;
    const known = this.byType.get(type);
    if (known !== undefined) return known;
    const wanting = this.served.filter(({ filters }) => filters.wantsType(type));
    this.byType.set(type, wanting);
    return wanting;
  }

  /** @returns up to where a killed process had handed messages over, when there was one */
  private followMessages(left: readonly UpdateEntry[] = []): NewestSeen | undefined {
    const wantsMessages = this.wanting(NEW_MESSAGE).length > 0;
    if (wantsMessages === this.followsMessages && wantsMessages) return undefined;
    this.followsMessages = wantsMessages;
    return this.keep(() => {
      if (wantsMessages) return this.seen.begin(messagesIn(left));
      this.seen.forget();
      return undefined;
    });
  }

  private async lookForMissed(seen: NewestSeen, client: Promise<TdClient | undefined>): Promise<void> {
    this.missed = [];
    const timer = setTimeout(() => this.release(), HELD_MS).unref();
    const since = Math.min(...this.wanting(NEW_MESSAGE).map((each) => each.since)) - CLOCK_SLACK_MS;
    const newest = (sequence: number): number => this.seen.newestOf(sequence);
    const search = { kind: this.opening.kind, seen, since: since / 1_000, newest, client };
    let count = 0;
    try {
      const isComplete = await this.gap.search(search, (message) => {
        count += this.takeMissed(message);
      });
      if (!isComplete) return;
    } catch (error) {
      this.events.unfound(error);
    } finally {
      clearTimeout(timer);
      this.release();
    }
    if (this.isClosed) return;
    this.keep(() => this.seen.settle());
    if (count > 0) this.events.found(count);
  }

  /** @returns how many it makes; a message of our own was told of under another id, before it was sent */
  private takeMissed({ text, isOutgoing, date }: FoundMessage): number {
    const wanting = this.wanting(NEW_MESSAGE).filter(({ since }) => date * 1_000 >= since - CLOCK_SLACK_MS);
    if (isOutgoing || this.isClosed || wanting.length === 0) return 0;
    const update = `{"@type":"${NEW_MESSAGE}","message":${text}}`;
    const facts = factsOf(NEW_MESSAGE, update);
    const entries = entriesOf(this.lease.sessionId, NEW_MESSAGE, update, wanting, this.now(), facts);
    this.write(entries.map(writeEntry).join(''));
    for (const entry of entries) this.push(entry, this.missed);
    this.note(facts);
    this.tellFilled();
    return entries.length;
  }

  private note({ chatId, messageId }: UpdateFacts): void {
    if (chatId !== undefined && messageId !== undefined) this.keep(() => this.seen.note(chatId, messageId));
  }

  /** Younger updates need not wait any more for what is looked for. */
  private release(): void {
    const { missed } = this;
    if (missed === undefined) return;
    this.missed = undefined;
    // Nothing was stored since the start: what a former client has left is still there.
    const younger = this.queue.slice(this.leftMark);
    this.queue = [...inOrder([...this.queue.slice(0, this.leftMark), ...missed]), ...younger];
    this.leftMark += missed.length;
    this.tellFilled();
  }

  private tellFilled(): void {
    if (this.ready.length > 0) this.events.filled(this);
  }

  private push(entry: UpdateEntry, queue = this.queue): void {
    queue.push(entry);
    this.appended += 1;
    this.waiting += entry.payload.length;
    this.backlog.add(entry.payload.length);
  }

  private write(lines: string): void {
    this.keep(() => {
      this.journal ??= TurnJournal.open(this.opening.directory, `${NAME}.${this.lease.epoch}`);
      this.journal.append(lines);
    });
  }

  /** Does something with the session's files. */
  private keep<Result>(work: () => Result): Result | undefined {
    try {
      return work();
    } catch (error) {
      this.events.unwritten(error);
      return undefined;
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
