import type { Outcome } from './delivery-client.js';
import { Growth } from './growth.js';
import type { LaneHost, LaneItem } from './lane-host.js';
import { MAX_ATTEMPTS, retryDelayMs } from './retry-schedule.js';
import type { Subscriber } from './subscriber.js';
import { visibleStored } from './visible-update.js';

/** After so many failures in a row only the oldest delivery is tried. */
const FAILURES_TO_OPEN = 5;
/** How many deliveries of one chat may wait here; the others leave room for other chats. */
const MAX_PER_CHAT = 20;
/** How much one lane keeps in memory, in characters and in deliveries. */
const MAX_WAITING = 4 * 1024 * 1024;
const MIN_ITEMS = 32;
const MAX_ITEMS = 400;
const AGAIN_MS = 1_000;
/** What is due at nearly the same time is looked for once. */
const SOON_MS = 50;
const GONE = 410;
const WITHHELD = 'not posted: the token of the subscription may not see it any more';

/**
 * The deliveries of one subscription: how many are under way, which come next, what happens when they fail. It keeps few in
 * memory, those that are tried next; all others wait in the database, and are claimed in their order.
 */
export class Lane {
  private readonly growth: Growth;
  private ready: LaneItem[] = [];
  /** Claimed as they were stored, while older ones may still be in the database: these come first. Oldest first. */
  private held: LaneItem[] = [];
  /** Characters of both. */
  private waiting = 0;
  private reserved = 0;
  private underWay = 0;
  private readonly busyChats = new Set<number>();
  /** By chat, until when its deliveries wait for the repetition of the first. */
  private readonly blockedChats = new Map<number, number>();
  /** Whether there may be some in the database; grows with each reason to think so. */
  private hasMore = true;
  private reasons = 0;
  /** Whether what may be there is no more than came lately: new ones are claimed as they are stored, or it would never be all. */
  private isNear = false;
  /** Claims on their way back: the database does not show yet that these wait. */
  private releases = 0;
  /** All that is left belongs to chats of which enough wait here: one of those has to go first. */
  private isFull = false;
  private isLoading = false;
  private failures = 0;
  private isOut: boolean;
  /** What was given up while the receiver was away waits for its return. */
  private owes = false;
  private probeAt = 0;
  private pausedUntil = 0;
  private dueAt: number | undefined;
  private timer: { readonly at: number; readonly cancel: () => void } | undefined;
  private isClosed = false;
  private averageSize = 1_000;

  constructor(
    private subscriber: Subscriber,
    private readonly host: LaneHost,
  ) {
    this.growth = new Growth(subscriber.maxConnections);
    // What the process before has learned is not learned again at the receiver's expense.
    this.isOut = subscriber.isFailing;
    if (this.isOut) this.growth.restart();
  }

  get of(): Subscriber {
    return this.subscriber;
  }

  /** Deliveries under way. */
  get inFlight(): number {
    return this.underWay;
  }

  /** The subscription has changed: its new form counts from the next delivery on. */
  change(subscriber: Subscriber): void {
    const isAnew = subscriber.url !== this.subscriber.url || (subscriber.isServed && !this.subscriber.isServed);
    this.subscriber = subscriber;
    if (isAnew) this.begin();
    this.growth.limitTo(subscriber.maxConnections);
    if (!subscriber.isServed) this.giveBack(this.takeReady());
    this.lookAgain();
  }

  /** Takes nothing new. What is under way ends by itself, and what only waits is given back. */
  close(): void {
    this.isClosed = true;
    this.timer?.cancel();
    this.giveBack(this.takeReady());
  }

  /** There may be something in the database that is due. */
  lookAgain(): void {
    this.hasMore = true;
    this.isFull = false;
    this.reasons += 1;
    this.pump();
  }

  /** Its owner wants something tried: now. */
  nudge(): void {
    this.probeAt = 0;
    this.lookAgain();
  }

  /**
   * @returns whether a new delivery is claimed as it is stored, without another question to the database. All that were refused
   * before are stored by then, or are with it in the same statement.
   */
  reserve(chatId: number | undefined, size: number): boolean {
    const isBlocked = this.isOrdered && chatId !== undefined && this.blockedChats.has(chatId);
    const hasRoom =
      this.mayTake &&
      !this.isOut &&
      this.isNear &&
      this.ready.length + this.held.length + this.reserved < this.window &&
      this.waiting + size < MAX_WAITING;
    const isFree = hasRoom && !isBlocked;
    if (isFree) this.reserved += 1;
    else this.hasMore = true;
    this.isNear = hasRoom;
    return isFree;
  }

  cancel(): void {
    this.reserved -= 1;
  }

  /** One that was reserved. */
  feed(item: LaneItem): void {
    this.reserved -= 1;
    if (this.hasMore) this.held.push(...this.accepted([item]));
    else this.ready.push(...this.accepted([item]));
    this.pump();
  }

  /** What is known of the receiver does not count any more. */
  private begin(): void {
    this.isOut = false;
    this.failures = 0;
    this.probeAt = 0;
    this.pausedUntil = 0;
  }

  private get isOrdered(): boolean {
    return this.subscriber.order === 'chat';
  }

  private get mayTake(): boolean {
    return !this.isClosed && this.subscriber.isServed && this.host.now() >= this.pausedUntil;
  }

  /** How many may wait here. */
  private get window(): number {
    return Math.min(MAX_ITEMS, Math.max(MIN_ITEMS, this.growth.limit * 4));
  }

  private pump(): void {
    if (!this.mayTake || !this.host.mayPost()) {
      this.wakeLater();
      return;
    }
    if (this.isOut) {
      this.probe();
      return;
    }
    while (this.underWay < this.growth.limit) {
      const item = this.next();
      if (item === undefined) break;
      this.send(item);
    }
    if (this.hasMore && !this.isFull && this.ready.length < this.window / 2) this.load(false);
    this.wakeLater();
  }

  private probe(): void {
    if (this.underWay === 0 && this.host.now() >= this.probeAt) this.load(true);
    else this.wakeLater();
  }

  private next(): LaneItem | undefined {
    const index = this.isOrdered
      ? this.ready.findIndex(({ chatId }) => chatId === undefined || !this.busyChats.has(chatId))
      : 0;
    const [item] = index < 0 ? [] : this.ready.splice(index, 1);
    if (item !== undefined) this.waiting -= item.payload.length;
    return item;
  }

  private send(item: LaneItem): void {
    const to = this.subscriber;
    const payload = visibleStored(to.view, item.payload);
    if (payload === undefined) {
      this.withhold(item, to);
      return;
    }
    this.underWay += 1;
    if (this.isOrdered && item.chatId !== undefined) this.busyChats.add(item.chatId);
    void this.host.post(payload === item.payload ? item : { ...item, payload }, to).then((outcome) => {
      this.underWay -= 1;
      this.isFull = false;
      if (item.chatId !== undefined) this.busyChats.delete(item.chatId);
      if (outcome.isDelivered) this.succeeded(item, outcome, to);
      else this.failed(item, outcome, to);
      this.pump();
    });
  }

  /** What it is about has been taken from its token since it was stored. */
  private withhold(item: LaneItem, to: Subscriber): void {
    const outcome = { isDelivered: false, at: Date.now(), durationMs: 0, error: WITHHELD };
    const settled = { item, outcome, status: 'failed', dueInMs: 0, wasProbe: false, isWithheld: true } as const;
    void this.host.settle(settled, to).then(() => this.lookAgain());
  }

  private succeeded(item: LaneItem, outcome: Outcome, to: Subscriber): void {
    void this.host.settle({ item, outcome, status: 'delivered', dueInMs: 0, wasProbe: false }, to);
    this.failures = 0;
    this.growth.succeeded(outcome.durationMs);
    if (this.isOut || this.owes) {
      this.isOut = false;
      this.owes = false;
      void this.host.recover(to).then(
        () => this.lookAgain(),
        () => this.lookAgain(),
      );
    }
  }

  private failed(item: LaneItem, outcome: Outcome, to: Subscriber): void {
    const now = this.host.now();
    // Sooner than the schedule would use the attempts up while the receiver is away.
    const delay = Math.max(outcome.retryAfterMs ?? 0, retryDelayMs(item.attempt));
    const isGone = outcome.status === GONE;
    this.failures += 1;
    this.growth.failed();
    // In order, nothing may come before the oldest: it is tried on while the receiver is away.
    const isLast = isGone || (item.attempt >= MAX_ATTEMPTS && !(this.isOut && this.isOrdered));
    const status = isLast ? 'failed' : 'pending';
    const wasProbe = isLast && this.isOut && !isGone;
    const written = this.host.settle({ item, outcome, status, dueInMs: delay, wasProbe }, to);
    if (isGone) this.host.disable(to, 'the receiver answered 410 Gone');
    if (outcome.retryAfterMs !== undefined) this.pausedUntil = Math.max(this.pausedUntil, now + outcome.retryAfterMs);
    if (status === 'pending') {
      // Due so long after it was written down: before that the database does not tell that it waits.
      void written.then(() => {
        this.noteDue(delay);
        this.wakeLater();
      });
      if (this.isOrdered && item.chatId !== undefined) this.block(item.chatId, written, delay);
    }
    const opens = !this.isOut && this.failures >= FAILURES_TO_OPEN;
    if (opens) {
      this.isOut = true;
      this.growth.restart();
      this.giveBack(this.takeReady());
    }
    if (this.isOut) this.probeAt = Math.max(this.probeAt, now + delay);
  }

  /** Nothing of a chat comes before what has failed is tried again, which is due so long after it was written down. */
  private block(chatId: number, written: Promise<void>, delayMs: number): void {
    this.blockedChats.set(chatId, Infinity);
    void written.then(() => {
      this.blockedChats.set(chatId, this.host.now() + delayMs + SOON_MS);
      this.wakeLater();
    });
    this.setAside(chatId);
  }

  /** Of this chat nothing is tried for now. */
  private setAside(chatId: number): void {
    const isOther = (item: LaneItem): boolean => item.chatId !== chatId;
    const behind = [...this.ready, ...this.held].filter((item) => !isOther(item));
    this.ready = this.ready.filter(isOther);
    this.held = this.held.filter(isOther);
    for (const { payload } of behind) this.waiting -= payload.length;
    this.giveBack(behind);
  }

  private load(isProbe: boolean): void {
    if (this.isLoading) return;
    this.isLoading = true;
    const { reasons, subscriber, releases } = this;
    const lastHeld = this.held.at(-1)?.seq ?? 0;
    const room = Math.floor((MAX_WAITING - this.waiting) / this.averageSize);
    const limit = isProbe ? 1 : Math.max(1, Math.min(this.window - this.ready.length, room));
    const full = this.fullChats;
    const except = [...new Set([...this.blockedChats.keys(), ...full])];
    this.host.load(subscriber, { limit, except, isProbe }).then(
      ({ items, nextDueInMs, blocked }) => {
        this.isLoading = false;
        for (const chatId of blocked) {
          if (this.blockedChats.has(chatId)) continue;
          this.blockedChats.set(chatId, this.host.now() + AGAIN_MS);
          this.setAside(chatId);
        }
        const wasEmptied = items.length < limit;
        const isAll = wasEmptied && this.reasons === reasons;
        // Of chats that were left out, some may be in the database that are not seen; blocked ones wake it by themselves.
        if (isAll) this.hasMore = full.length > 0;
        this.isFull = isAll && full.length > 0;
        this.isNear = wasEmptied && full.length === 0 && releases === 0 && this.releases === 0;
        this.noteDue(nextDueInMs);
        if (isProbe) this.takeProbe(items);
        else this.take(items, { lastHeld: this.isNear ? lastHeld : 0, full });
        this.pump();
      },
      () => {
        this.isLoading = false;
        this.again();
      },
    );
  }

  private takeProbe(items: readonly LaneItem[]): void {
    const [item] = items;
    if (item === undefined) {
      // Nothing is left to try: the next one that comes is tried at once.
      this.isOut = false;
      this.owes = true;
    } else if (this.isOut && !this.isClosed && this.subscriber.isServed) {
      this.send(item);
    } else {
      this.take(items);
    }
  }

  /** What has failed meanwhile may not be in the database's answer. */
  private noteDue(nextDueInMs: number | undefined): void {
    const now = this.host.now();
    const known = this.dueAt !== undefined && this.dueAt > now ? [this.dueAt] : [];
    const times = [...known, ...(nextDueInMs === undefined ? [] : [now + nextDueInMs])];
    this.dueAt = times.length === 0 ? undefined : Math.min(...times);
  }

  /** Not at once: whatever was in the way may still be. */
  private again(): void {
    this.noteDue(AGAIN_MS);
    this.wakeLater();
  }

  /** In order: chats of which enough wait here. */
  private get fullChats(): readonly number[] {
    if (!this.isOrdered) return [];
    const counts = new Map<number, number>();
    for (const { chatId } of this.ready) if (chatId !== undefined) counts.set(chatId, (counts.get(chatId) ?? 0) + 1);
    return [...counts].filter(([, count]) => count >= MAX_PER_CHAT).map(([chatId]) => chatId);
  }

  /**
   * What the database had: all that is older than the last of these is here now, but for what belongs to full chats.
   * @param lastHeld all up to this one is here in any case
   */
  private take(items: readonly LaneItem[], { lastHeld, full } = { lastHeld: 0, full: [] as readonly number[] }): void {
    const known = this.hasMore ? Math.max(lastHeld, items.at(-1)?.seq ?? 0) : Infinity;
    const isNext = ({ seq, chatId }: LaneItem): boolean =>
      seq <= known && (chatId === undefined || !full.includes(chatId));
    const next = [...this.accepted(items), ...this.held.filter(isNext)];
    this.held = this.held.filter((item) => !isNext(item));
    this.ready.push(...next.sort((a, b) => a.seq - b.seq));
  }

  /** Those of them that may wait here; the others are given back. */
  private accepted(items: readonly LaneItem[]): readonly LaneItem[] {
    const isRefused = this.isClosed || this.isOut || !this.subscriber.isServed;
    // A chat may have been blocked since they were asked for.
    const isKept = ({ chatId }: LaneItem): boolean =>
      !isRefused && !(this.isOrdered && chatId !== undefined && this.blockedChats.has(chatId));
    const kept = items.filter(isKept);
    for (const { payload } of kept) {
      this.waiting += payload.length;
      this.averageSize += (payload.length - this.averageSize) / 16;
    }
    this.giveBack(items.filter((item) => !isKept(item)));
    return kept;
  }

  private takeReady(): readonly LaneItem[] {
    this.waiting = 0;
    return [...this.ready.splice(0), ...this.held.splice(0)];
  }

  private giveBack(items: readonly LaneItem[]): void {
    if (items.length === 0) return;
    this.hasMore = true;
    this.isNear = false;
    this.releases += 1;
    void this.host.release(items, this.subscriber).then(() => {
      this.releases -= 1;
      if (!this.isClosed) this.lookAgain();
    });
  }

  /** Wakes when the first thing that is waited for has come. */
  private wakeLater(): void {
    const at = this.wakeTime();
    if (at === undefined || (this.timer !== undefined && this.timer.at <= at)) return;
    this.timer?.cancel();
    const wake = (): void => {
      this.timer = undefined;
      const now = this.host.now();
      for (const [chatId, until] of this.blockedChats) if (until <= now) this.blockedChats.delete(chatId);
      this.lookAgain();
    };
    this.timer = { at, cancel: this.host.later(wake, at - this.host.now()) };
  }

  private wakeTime(): number | undefined {
    const now = this.host.now();
    if (this.isClosed || !this.subscriber.isServed) return undefined;
    if (now < this.pausedUntil) return this.pausedUntil;
    if (!this.host.mayPost()) return now + AGAIN_MS;
    // Whatever is under way wakes it by its end.
    if (this.isOut) return this.isLoading || this.underWay > 0 ? undefined : Math.max(this.probeAt, now + SOON_MS);
    // The time of a chat may have passed while nothing was tried but a probe.
    const times = [...this.blockedChats.values()].filter((time) => time < Infinity);
    if (this.dueAt !== undefined && this.dueAt > now) times.push(this.dueAt);
    return times.length === 0 ? undefined : Math.max(now + SOON_MS, Math.min(...times));
  }
}
