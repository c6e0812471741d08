import fc from 'fast-check';
import type { Outcome } from './delivery-client.js';
import { ChatView } from '../../telegram/index.js';
import { CompiledFilters } from './filters.js';
import { Lane } from './lane.js';
import type { LaneHost, LaneItem, Loaded, LoadRequest, Settled } from './lane-host.js';
import type { DeliveryOrder } from './subscription.entity.js';
import type { Subscriber } from './subscriber.js';

const MINUTE = 60_000;

interface Row {
  readonly seq: number;
  readonly chatId: number;
  status: 'pending' | 'delivered' | 'failed';
  attempts: number;
  dueAt: number;
  isClaimed: boolean;
  wasProbe: boolean;
}

interface Task {
  readonly at: number;
  readonly work: () => void;
  isCancelled: boolean;
}

/** A database, a receiver and a clock, as a lane sees them. */
class World implements LaneHost {
  time = 0;
  readonly rows: Row[] = [];
  readonly posts: { readonly seq: number; readonly at: number; readonly attempt: number; readonly isGood: boolean }[] =
    [];
  readonly disabled: string[] = [];
  underWay = 0;
  mostUnderWay = 0;
  /** How long the database takes to write down what became of an attempt, and what is given back. */
  writingMs = 0;
  /** How long it takes to say what is due: what was stored in that time is not in its answer. */
  loadingMs = 0;
  loads = 0;
  /** How long the database takes for each statement and each answer, in turn; nothing unless given. */
  latencies: readonly number[] = [];
  private statements = 0;
  /** How the receiver answers. */
  answer: (row: Row, attempt: number) => Partial<Outcome> = () => ({ isDelivered: true, status: 200 });
  private readonly tasks: Task[] = [];

  add(count: number, chats = 1): void {
    for (let number = 0; number < count; number += 1) this.store(this.rows.length % chats, false);
  }

  store(chatId: number, isClaimed: boolean): Row {
    const attempts = isClaimed ? 1 : 0;
    const more = { status: 'pending', dueAt: this.time, isClaimed, wasProbe: false } as const;
    const row: Row = { seq: this.rows.length, chatId, attempts, ...more };
    this.rows.push(row);
    return row;
  }

  async run(untilMs: number): Promise<void> {
    for (;;) {
      await settleAll();
      const due = this.tasks.filter(({ isCancelled, at }) => !isCancelled && at <= untilMs);
      const next = due.sort((a, b) => a.at - b.at)[0];
      if (next === undefined) break;
      this.tasks.splice(this.tasks.indexOf(next), 1);
      this.time = Math.max(this.time, next.at);
      next.work();
    }
    this.time = untilMs;
  }

  now(): number {
    return this.time;
  }

  later(work: () => void, afterMs: number): () => void {
    const task = { at: this.time + afterMs, work, isCancelled: false };
    this.tasks.push(task);
    return () => (task.isCancelled = true);
  }

  mayPost(): boolean {
    return true;
  }

  post(item: LaneItem): Promise<Outcome> {
    const row = this.rowOf(item);
    this.underWay += 1;
    this.mostUnderWay = Math.max(this.mostUnderWay, this.underWay);
    return new Promise((resolve) => {
      this.later(() => {
        this.underWay -= 1;
        const answer = { isDelivered: false, at: this.time, durationMs: 20, ...this.answer(row, item.attempt) };
        this.posts.push({ seq: row.seq, at: this.time, attempt: item.attempt, isGood: answer.isDelivered });
        resolve(answer);
      }, 20);
    });
  }

  async load(of: Subscriber, { limit, except: asked, isProbe }: LoadRequest): Promise<Loaded> {
    this.loads += 1;
    await this.statement();
    const repeated = this.rows.filter(({ status, dueAt }) => status === 'pending' && dueAt > this.time);
    const blocked = of.order === 'chat' && !isProbe ? [...new Set(repeated.map(({ chatId }) => chatId))] : [];
    await this.statement();
    const except = [...asked, ...blocked];
    const waiting = this.rows.filter(({ status, isClaimed }) => status === 'pending' && !isClaimed);
    const isFree = ({ chatId, dueAt }: Row): boolean => isProbe || (dueAt <= this.time && !except.includes(chatId));
    const items = waiting.filter(isFree).slice(0, limit);
    for (const row of items) {
      row.isClaimed = true;
      row.attempts += 1;
    }
    const later = waiting
      .filter((row) => !row.isClaimed && row.dueAt > this.time)
      .map(({ dueAt }) => dueAt - this.time);
    const nextDueInMs = later.length === 0 ? undefined : Math.min(...later);
    await this.statement();
    return this.after(this.loadingMs, { items: items.map(toItem), nextDueInMs, blocked });
  }

  async settle({ item, status, dueInMs, wasProbe }: Settled): Promise<void> {
    await this.after(this.writingMs);
    await this.statement();
    Object.assign(this.rowOf(item), { status, dueAt: this.time + dueInMs, isClaimed: false, wasProbe });
    await this.statement();
  }

  async release(items: readonly LaneItem[]): Promise<void> {
    await this.after(this.writingMs);
    await this.statement();
    for (const item of items) {
      const row = this.rowOf(item);
      row.isClaimed = false;
      row.attempts -= 1;
    }
    await this.statement();
  }

  async recover(): Promise<void> {
    await this.statement();
    for (const row of this.rows) {
      if (row.status === 'failed' && row.wasProbe)
        Object.assign(row, { status: 'pending', attempts: 0, dueAt: this.time });
      if (row.status === 'pending' && !row.isClaimed) row.dueAt = Math.min(row.dueAt, this.time);
    }
    await this.statement();
  }

  disable(_of: Subscriber, reason: string): void {
    this.disabled.push(reason);
  }

  private async statement(): Promise<void> {
    const ms = this.latencies[this.statements++ % this.latencies.length];
    if (ms !== undefined) await this.after(ms);
  }

  private after(ms: number): Promise<void>;
  private after<Value>(ms: number, value: Value): Promise<Value>;
  private after<Value>(ms: number, value?: Value): Promise<Value | undefined> {
    return ms === 0 ? Promise.resolve(value) : new Promise((resolve) => this.later(() => resolve(value), ms));
  }

  private rowOf({ id }: LaneItem): Row {
    const row = this.rows[Number(id)];
    if (row === undefined) throw new Error(`no row ${id}`);
    return row;
  }
}

function toItem({ seq, chatId, attempts }: Row): LaneItem {
  return {
    id: String(seq),
    part: 0,
    seq,
    chatId,
    attempt: attempts,
    payload: `{"@type":"updateChatTitle","chat_id":${chatId + 1}}`,
  };
}

async function settleAll(): Promise<void> {
  for (let turn = 0; turn < 20; turn += 1) await Promise.resolve();
}

function subscriber(order: DeliveryOrder = 'none', more: Partial<Subscriber> = {}): Subscriber {
  return {
    ...{
      id: 'l',
      sessionId: 's',
      sessionKind: 'bot',
      kind: 'webhook',
      filters: new CompiledFilters({}),
      view: undefined,
    },
    ...{
      isServed: true,
      since: 0,
      url: 'http://r/',
      secrets: [],
      order,
      maxConnections: 40,
      laneEpoch: 1,
      isFailing: false,
    },
    ...more,
  };
}

/** Stores updates as they come, one statement after another, and offers each to the lane first. */
class Writer {
  private readonly coming: number[] = [];
  private isWriting = false;

  constructor(
    private readonly world: World,
    private readonly lane: Lane,
    private readonly storingMs: number,
  ) {}

  /** An update of a chat every so many milliseconds. */
  flow(count: number, everyMs: number, chatOf: (number: number) => number): void {
    for (let number = 0; number < count; number += 1) {
      this.world.later(() => {
        this.coming.push(chatOf(number));
        this.write();
      }, number * everyMs);
    }
  }

  private write(): void {
    if (this.isWriting || this.coming.length === 0) return;
    this.isWriting = true;
    const wanted = this.coming.splice(0).map((chatId) => ({ chatId, isTaken: this.lane.reserve(chatId, 50) }));
    this.world.later(() => {
      const stored = wanted.map(({ chatId, isTaken }) => ({ isTaken, row: this.world.store(chatId, isTaken) }));
      for (const { isTaken, row } of stored) {
        if (isTaken) this.lane.feed(toItem(row));
        else this.lane.lookAgain();
      }
      this.isWriting = false;
      this.write();
    }, this.storingMs);
  }
}

function begin(world: World, of = subscriber()): Lane {
  const lane = new Lane(of, world);
  lane.lookAgain();
  return lane;
}

describe('Lane', () => {
  let world: World;

  beforeEach(() => (world = new World()));

  it.each(['none', 'chat'] as const)(
    'tries again also when writing the failure down takes longer than the repeat should wait (order %s)',
    async (order) => {
      world.writingMs = 7_000;
      world.answer = (_row, attempt) => ({ isDelivered: attempt > 1 });
      world.add(1);
      begin(world, subscriber(order));
      await world.run(MINUTE);
      expect(world.posts.map(({ attempt }) => attempt)).toEqual([1, 2]);
    },
  );

  it('delivers 5,000 that waited while the receiver was away for 60 minutes: all of them, paced, without spending attempts', async () => {
    world.answer = () => ({ isDelivered: world.time >= 60 * MINUTE, status: world.time >= 60 * MINUTE ? 200 : 502 });
    world.add(5_000);
    begin(world);
    await world.run(60 * MINUTE);
    const tried = world.posts.length;
    // Five to notice it, then the oldest alone: at most one in five minutes once its schedule is at its end.
    expect(tried).toBeLessThan(40);
    expect(world.rows.filter(({ attempts }) => attempts > 0).length).toBeLessThan(20);
    world.mostUnderWay = 0;
    await world.run(70 * MINUTE);
    expect(world.rows.every(({ status }) => status === 'delivered')).toBe(true);
    const good = world.posts.filter(({ isGood }) => isGood);
    expect(new Set(good.map(({ seq }) => seq)).size).toBe(5_000);
    expect(good).toHaveLength(5_000);
    // Not all at once: the first second after its return brings a fraction of what it can take.
    const [first] = good;
    expect(good.filter(({ at }) => at < (first?.at ?? 0) + 200).length).toBeLessThan(60);
    expect(world.mostUnderWay).toBeLessThanOrEqual(40);
  }, 60_000);

  it('tries the oldest at the pace of the schedule while the receiver is away', async () => {
    world.answer = () => ({ status: 500 });
    world.add(100);
    begin(world, subscriber('none', { maxConnections: 1 }));
    await world.run(10 * MINUTE);
    expect(world.posts.slice(0, 5).map(({ seq }) => seq)).toEqual([0, 1, 2, 3, 4]);
    expect(new Set(world.posts.slice(5).map(({ seq }) => seq))).toEqual(new Set([0]));
    const gaps = world.posts
      .slice(6)
      .map(({ at }, index) => Math.round((at - (world.posts[index + 5]?.at ?? 0)) / 1_000));
    expect(gaps.slice(0, 4)).toEqual([10, 20, 40, 80]);
  });

  it('gives a delivery up after the tenth attempt, and goes on with others meanwhile', async () => {
    world.add(50);
    world.answer = ({ seq }) => ({ isDelivered: seq !== 7, status: seq === 7 ? 500 : 200 });
    begin(world);
    await world.run(MINUTE);
    expect(world.rows.filter(({ status }) => status === 'delivered')).toHaveLength(49);
    await world.run(60 * MINUTE);
    expect(world.rows[7]).toMatchObject({ status: 'failed', attempts: 10 });
    const times = world.posts.filter(({ seq }) => seq === 7).map(({ at }) => at);
    const delays = times.slice(1).map((at, index) => Math.round((at - (times[index] ?? 0)) / 1_000));
    expect(delays).toEqual([5, 10, 20, 40, 80, 160, 300, 300, 300]);
  });

  it('waits as long as a receiver asks for, with everything', async () => {
    world.add(10);
    world.answer = (_row, attempt) =>
      attempt === 1 && world.time < 1_000 ? { status: 429, retryAfterMs: 30_000 } : { isDelivered: true, status: 200 };
    begin(world, subscriber('none', { maxConnections: 2 }));
    await world.run(29_000);
    expect(world.posts).toHaveLength(2);
    await world.run(32_000);
    expect(world.rows.every(({ status }) => status === 'delivered')).toBe(true);
  });

  it('spends no attempts sooner than the schedule says, whatever a receiver asks for', async () => {
    world.add(1);
    world.answer = () =>
      world.time < 20 * MINUTE ? { status: 429, retryAfterMs: 0 } : { isDelivered: true, status: 200 };
    begin(world);
    await world.run(30 * MINUTE);
    expect(world.rows[0]).toMatchObject({ status: 'delivered' });
  });

  it('delivers what it gave up while the receiver was away once a later delivery gets through', async () => {
    world.add(1);
    world.answer = () => (world.time < 60 * MINUTE ? { status: 500 } : { isDelivered: true, status: 200 });
    const lane = begin(world);
    await world.run(61 * MINUTE);
    expect(world.rows[0]).toMatchObject({ status: 'failed', attempts: 10 });
    world.add(1);
    lane.lookAgain();
    await world.run(62 * MINUTE);
    expect(world.rows.map(({ status }) => status)).toEqual(['delivered', 'delivered']);
  });

  it('posts nothing that waits when its token has lost the chat, not even to find out whether the receiver is back', async () => {
    const world = new World();
    world.answer = () => ({ status: 500 });
    const chats = (...of: number[]): Partial<Subscriber> => ({ view: new ChatView({ classes: ['read'], chats: of }) });
    const lane = begin(world, subscriber('chat', chats(1, 2)));
    world.add(40, 2);
    lane.lookAgain();
    await world.run(MINUTE);
    lane.change(subscriber('chat', chats(2)));
    const before = world.posts.length;
    world.answer = () => ({ isDelivered: true, status: 200 });
    await world.run(2 * 60 * MINUTE);
    const after = world.posts.slice(before);
    expect(after.filter(({ seq }) => seq % 2 === 0)).toEqual([]);
    expect(world.rows.filter(({ chatId, status }) => status !== (chatId === 0 ? 'failed' : 'delivered'))).toEqual([]);
  });

  it('keeps the order of each chat over failures, and lets other chats go on', async () => {
    world.add(300, 3);
    world.answer = ({ seq }, attempt) => ({ isDelivered: seq !== 30 || attempt > 2, status: 500 });
    begin(world, subscriber('chat'));
    await world.run(4_000);
    const chatOf = (seq: number): number => seq % 3;
    expect(world.posts.filter(({ seq, isGood }) => isGood && chatOf(seq) !== 0)).toHaveLength(200);
    expect(world.posts.filter(({ seq, isGood }) => isGood && chatOf(seq) === 0)).toHaveLength(10);
    await world.run(MINUTE);
    for (const chat of [0, 1, 2]) {
      const order = world.posts.filter(({ seq, isGood }) => isGood && chatOf(seq) === chat).map(({ seq }) => seq);
      expect(order).toHaveLength(100);
      expect(order).toEqual(order.toSorted((a, b) => a - b));
    }
  });

  it('keeps the order of a chat over an outage that lasts longer than ten attempts', async () => {
    world.add(20);
    world.answer = () => ({ isDelivered: world.time > 90 * MINUTE, status: 500 });
    begin(world, subscriber('chat'));
    await world.run(100 * MINUTE);
    const order = world.posts.filter(({ isGood }) => isGood).map(({ seq }) => seq);
    expect(order).toEqual(Array.from({ length: 20 }, (_, seq) => seq));
  });

  it('switches off a subscription whose receiver says that it is gone', async () => {
    world.add(1);
    world.answer = () => ({ status: 410 });
    begin(world);
    await world.run(MINUTE);
    expect(world.posts).toHaveLength(1);
    expect(world.disabled).toEqual(['the receiver answered 410 Gone']);
  });

  it('has at most so many under way as allowed, and one at a time of each chat in order', async () => {
    world.add(200, 2);
    begin(world, subscriber('chat', { maxConnections: 7 }));
    await world.run(MINUTE);
    expect(world.mostUnderWay).toBe(2);
    world.mostUnderWay = 0;
    const free = new World();
    free.add(200);
    begin(free, subscriber('none', { maxConnections: 7 }));
    await free.run(MINUTE);
    expect(free.mostUnderWay).toBe(7);
  });

  it('takes a new delivery at once only when nothing waits before it', async () => {
    const lane = begin(world);
    await world.run(1_000);
    expect(lane.reserve(0, 10)).toBe(true);
    lane.cancel();
    world.add(1_000);
    expect(lane.reserve(0, 5_000_000)).toBe(false);
    expect(lane.reserve(0, 10)).toBe(false);
    lane.lookAgain();
    await world.run(MINUTE);
    expect(lane.reserve(0, 10)).toBe(true);
  });

  it.each(['none', 'chat'] as const)(
    'comes back to taking what comes at once, though the database takes longer than until the next (order %s)',
    async (order) => {
      world.loadingMs = 90;
      const lane = begin(world, subscriber(order));
      new Writer(world, lane, 4).flow(1_000, 10, (number) => number % 7);
      // Whatever makes it look into the database: a change of another subscription of its session, a lost connection.
      world.later(() => lane.lookAgain(), 5_000);
      await world.run(MINUTE);
      expect(world.posts).toHaveLength(1_000);
      expect(world.loads).toBeLessThanOrEqual(4);
    },
  );

  it('keeps the order of each chat, whatever is claimed as it comes and what out of the database', async () => {
    const times = fc.record({
      loadingMs: fc.integer({ min: 0, max: 200 }),
      writingMs: fc.integer({ min: 0, max: 200 }),
      storingMs: fc.integer({ min: 1, max: 50 }),
      everyMs: fc.integer({ min: 1, max: 40 }),
      looks: fc.array(fc.integer({ min: 0, max: 8_000 }), { maxLength: 20 }),
      chats: fc.integer({ min: 1, max: 5 }),
      before: fc.integer({ min: 0, max: 100 }),
      fails: fc.uniqueArray(fc.integer({ min: 0, max: 300 }), { maxLength: 6 }),
    });
    const keepsOrder = fc.asyncProperty(
      times,
      async ({ looks, chats, before, fails, everyMs, storingMs, ...database }) => {
        const count = 300;
        const of = Object.assign(new World(), database);
        of.answer = ({ seq }, attempt) => ({ isDelivered: !fails.includes(seq) || attempt > 1, status: 500 });
        of.add(before, chats);
        const lane = begin(of, subscriber('chat'));
        new Writer(of, lane, storingMs).flow(count, everyMs, (number) => (number * number) % chats);
        for (const at of looks) of.later(() => lane.lookAgain(), at);
        await of.run(10 * MINUTE);
        for (let chat = 0; chat < chats; chat += 1) {
          const order = of.posts
            .filter(({ seq, isGood }) => isGood && of.rows[seq]?.chatId === chat)
            .map(({ seq }) => seq);
          expect(order).toEqual(order.toSorted((a, b) => a - b));
        }
        expect(of.posts.filter(({ isGood }) => isGood)).toHaveLength(before + count);
      },
    );
    await fc.assert(keepsOrder, { numRuns: Number(process.env['LANE_RUNS'] ?? 30) });
  }, 120_000);

  it('keeps the order of each chat and forgets nothing, however the database takes its time, over outages and a new owner', async () => {
    const times = fc.record({
      latencies: fc.array(fc.integer({ min: 0, max: 120 }), { minLength: 1, maxLength: 40 }),
      storingMs: fc.integer({ min: 1, max: 50 }),
      bursts: fc.array(fc.record({ at: fc.integer({ min: 0, max: 20_000 }), count: fc.integer({ min: 1, max: 60 }) }), {
        maxLength: 12,
      }),
      chats: fc.integer({ min: 1, max: 4 }),
      before: fc.integer({ min: 0, max: 100 }),
      failsEvery: fc.integer({ min: 3, max: 120 }),
      failures: fc.integer({ min: 0, max: 3 }),
      isFailing: fc.boolean(),
    });
    const keepsOrder = fc.asyncProperty(
      times,
      async ({ latencies, storingMs, bursts, chats, before, failsEvery, failures, isFailing }) => {
        const of = Object.assign(new World(), { latencies });
        of.answer = ({ seq }, attempt) => ({
          isDelivered: seq % failsEvery >= chats || attempt > failures,
          status: 500,
        });
        of.add(before, chats);
        const lane = begin(of, subscriber('chat', { isFailing }));
        const writer = new Writer(of, lane, storingMs);
        for (const { at, count } of bursts) of.later(() => writer.flow(count, 1, (number) => number % chats), at);
        await of.run(60 * MINUTE);
        const good = of.posts.filter(({ isGood }) => isGood);
        for (let chat = 0; chat < chats; chat += 1) {
          const order = good.filter(({ seq }) => of.rows[seq]?.chatId === chat).map(({ seq }) => seq);
          expect(order).toEqual(order.toSorted((a, b) => a - b));
        }
        expect(of.rows.filter(({ status }) => status !== 'delivered')).toEqual([]);
        expect(good).toHaveLength(of.rows.length);
      },
    );
    await fc.assert(keepsOrder, { numRuns: Number(process.env['LANE_RUNS'] ?? 30) });
  }, 120_000);

  it('gives everything back when it is closed or not served any more, and begins anew when it is served again', async () => {
    world.add(100);
    const lane = begin(world, subscriber('none', { maxConnections: 1 }));
    await world.run(100);
    lane.change(subscriber('none', { maxConnections: 1, isServed: false }));
    await world.run(5_000);
    const count = world.posts.length;
    expect(world.rows.filter(({ isClaimed }) => isClaimed)).toEqual([]);
    expect(world.rows.filter(({ attempts }) => attempts > 0)).toHaveLength(count);
    lane.change(subscriber('none', { maxConnections: 1 }));
    await world.run(MINUTE);
    expect(world.rows.every(({ status }) => status === 'delivered')).toBe(true);
    world.add(10);
    lane.lookAgain();
    await settleAll();
    lane.close();
    await world.run(2 * MINUTE);
    expect(world.rows.filter(({ isClaimed }) => isClaimed)).toEqual([]);
  });

  it('that was failing before its worker came begins with one attempt', async () => {
    world.add(100);
    world.answer = () => ({ status: 500 });
    begin(world, subscriber('none', { isFailing: true }));
    await world.run(4_000);
    expect(world.posts).toHaveLength(1);
  });
});
