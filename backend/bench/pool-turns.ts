/** What a burst of parts over limited bots comes to. */
export interface TurnsResult {
  readonly seconds: number;
  readonly sends: number;
  readonly rejected: number;
  readonly lost: number;
}

const BOTS = 6;
const PER_MINUTE = 20;
const LATENCY_MS = 100;
const MINUTE_MS = 60_000;

interface Timer {
  readonly at: number;
  readonly order: number;
  readonly action: () => void;
}

/** Jumps from timer to timer. */
class VirtualClock {
  private time = 0;
  private order = 0;
  private readonly timers = new Set<Timer>();

  now(): number {
    return this.time;
  }

  unixNow(): number {
    return this.time;
  }

  schedule(at: number, action: () => void): () => void {
    const timer = { at, order: this.order++, action };
    this.timers.add(timer);
    return () => this.timers.delete(timer);
  }

  wait(ms: number): Promise<void> {
    return new Promise((resolve) => this.schedule(this.time + ms, resolve));
  }

  async until(work: Promise<unknown>): Promise<void> {
    const state = { isDone: false };
    const done = (): void => void (state.isDone = true);
    work.then(done, done);
    for (;;) {
      await new Promise((resolve) => setImmediate(resolve));
      if (state.isDone) return;
      const [next] = [...this.timers].sort((a, b) => a.at - b.at || a.order - b.order);
      if (next === undefined) throw new Error('no timer is left');
      this.timers.delete(next);
      this.time = Math.max(this.time, next.at);
      next.action();
    }
  }
}

/** Takes 20 messages a minute of each bot, and tells the others how long to wait. */
class LimitedChannel {
  sends = 0;
  rejected = 0;
  private readonly posted = new Map<string, number[]>();

  constructor(private readonly clock: VirtualClock) {}

  async send(botId: string): Promise<number> {
    this.sends += 1;
    await this.clock.wait(LATENCY_MS);
    const from = this.clock.now() - MINUTE_MS;
    const recent = (this.posted.get(botId) ?? []).filter((at) => at > from);
    const [oldest] = recent;
    if (oldest !== undefined && recent.length >= PER_MINUTE) {
      this.rejected += 1;
      throw new Error(`Too Many Requests: retry after ${Math.max(1, Math.ceil((oldest - from) / 1_000))}`);
    }
    this.posted.set(botId, [...recent, this.clock.now()]);
    return this.sends;
  }
}

/** The product's dispatcher, as far as it is used here. */
interface Pool {
  addBot(bot: { readonly id: string }): void;
  submit(part: object): Promise<unknown>;
}

interface DispatcherModule {
  readonly Dispatcher: new (port: object, clock: VirtualClock, chatId: number) => Pool;
}

/** Bursts of 300 and 600 parts: over the product's dispatcher, and as its forerunner did it. */
export async function benchTurns(): Promise<Record<string, TurnsResult>> {
  const built = new URL('../../dist/modules/bot-pool/dispatcher/dispatcher.js', import.meta.url).href;
  const { Dispatcher } = (await import(built)) as DispatcherModule;
  const results: Record<string, TurnsResult> = {};
  for (const parts of [300, 600]) {
    results[`${parts} parts, dispatcher`] = await burst(parts, (clock, channel) =>
      dispatched(Dispatcher, clock, channel),
    );
    results[`${parts} parts, global round robin`] = await burst(parts, roundRobin);
  }
  return results;
}

type Store = (number: number) => Promise<unknown>;

async function burst(
  parts: number,
  prepare: (clock: VirtualClock, channel: LimitedChannel) => Store,
): Promise<TurnsResult> {
  const clock = new VirtualClock();
  const channel = new LimitedChannel(clock);
  const store = prepare(clock, channel);
  let lost = 0;
  const all = Array.from({ length: parts }, (_, number) => store(number).catch(() => (lost += 1)));
  await clock.until(Promise.all(all));
  return { seconds: clock.now() / 1_000, sends: channel.sends, rejected: channel.rejected, lost };
}

function dispatched(Dispatcher: DispatcherModule['Dispatcher'], clock: VirtualClock, channel: LimitedChannel): Store {
  const send = async ({ botId, chatId }: { readonly botId: string; readonly chatId: number }): Promise<object> => ({
    botId,
    chatId,
    messageId: await channel.send(botId),
    sizeBytes: 1,
  });
  const pool = new Dispatcher({ send, find: () => Promise.resolve(undefined) }, clock, 1);
  for (let bot = 0; bot < BOTS; bot += 1) pool.addBot({ id: `bot-${bot}` });
  return (number) =>
    pool.submit({ id: `part-${number}`, ownerId: 'token', objectId: `object-${number}`, sizeBytes: 1 });
}

/**
 * One queue for all with as many slots as bots, which takes the bots by turns and retries over the next one ten times; told to wait,
 * it waits in its slot.
 */
function roundRobin(clock: VirtualClock, channel: LimitedChannel): Store {
  const ATTEMPTS = 10;
  const waiting: (() => void)[] = [];
  let running = 0;
  let turn = 0;
  const slot = (): Promise<void> =>
    new Promise((resolve) => {
      if (running < BOTS) {
        running += 1;
        resolve();
      } else waiting.push(resolve);
    });
  const free = (): void => {
    const next = waiting.shift();
    if (next === undefined) running -= 1;
    else next();
  };
  return async () => {
    await slot();
    try {
      for (let attempt = 1; ; attempt += 1) {
        try {
          return await channel.send(`bot-${turn++ % BOTS}`);
        } catch (error) {
          if (attempt === ATTEMPTS || !(error instanceof Error)) throw error;
          await clock.wait(Number(/retry after (\d+)/.exec(error.message)?.[1]) * 1_000);
        }
      }
    } finally {
      free();
    }
  };
}
