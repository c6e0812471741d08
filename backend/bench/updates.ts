import pg from 'pg';
import { Api } from './lib/api.js';
import { cpuMs, forgetPeak, type Helper, type Measured, peakMiB, residentMiB, until } from './lib/processes.js';

/** What one question showed; what does not belong to it is absent. */
export interface UpdatesResult {
  readonly deliveriesPerSecond?: number;
  /** Milliseconds from push to receipt. */
  readonly p50?: number;
  readonly p99?: number;
  /** Of the product's processor, in microseconds. */
  readonly cpuPerDelivery?: number;
  /** By how much the product's memory has grown at most, in MiB. */
  readonly grownMiB?: number;
  /** By how much that of bare tdl has, which got the same: TDLib keeps what has come. */
  readonly bareGrownMiB?: number;
  /** Updates that were not kept. */
  readonly dropped?: number;
}

interface SeenOfOne {
  readonly count: number;
  readonly latencies: readonly number[];
  readonly last: number;
}

type Seen = Readonly<Partial<Record<string, SeenOfOne>>>;

/** Everything that is measured together. */
export interface UpdatesTarget {
  readonly product: Measured;
  readonly apiToken: string;
  readonly databaseUrl: string;
  readonly receivers: Helper<{ readonly port: number }>;
  readonly sandbox: Helper<unknown>;
  /** Bots, of which each session is one. */
  readonly tokens: readonly string[];
  /** An account that writes only when it is asked to. */
  readonly rare: number;
  /** A bot in a process of bare tdl. */
  readonly bare: Helper<unknown> & { readonly token: string };
}

const RATE = 100;
const AS_FAST_AS_IT_GOES = 1_000_000;

/** What a webhook costs, how soon it comes, and what a dead receiver does to nine others. */
export class UpdatesBench {
  private readonly api: Api;

  constructor(
    private readonly target: UpdatesTarget,
    private readonly seconds: number,
  ) {
    this.api = new Api(target.product.url, target.apiToken);
  }

  async run(): Promise<Record<string, UpdatesResult>> {
    const appId = await this.api.createApp();
    const sessions: { readonly token: string; readonly id: string }[] = [];
    for (const token of this.target.tokens) {
      sessions.push({ token, id: await this.api.createBot(appId, token) });
    }
    const [latency, beside, fan, slow, narrow] = sessions;
    if (!latency || !beside || !fan || !slow || !narrow) throw new Error('five bots are needed');
    const results: Record<string, UpdatesResult> = {};
    const measure = async (what: string, result: () => Promise<UpdatesResult>): Promise<void> => {
      console.error(what);
      results[what] = await result();
    };
    const nine = names(9, 'healthy');
    const ten = names(10, 'instant');
    await measure(`one receiver, ${RATE} updates/s`, () => this.latency(latency, ['alone/0'], ['alone']));
    await measure(`nine receivers, ${RATE} updates/s`, () => this.latency(beside, paths(nine), nine));
    await measure('the same nine beside a dead one', () => this.latency(beside, ['dead/never'], nine));
    await measure('ten instant receivers, from a backlog', () => this.backlog(fan.id, ten, 0, this.seconds * 400));
    await measure('one receiver of 20 ms, from a backlog', () =>
      this.backlog(slow.id, ['slow'], 20, this.seconds * 1_500),
    );
    await measure('ten instant receivers, as updates come', () => this.flood(fan, ten));
    const burst = this.seconds * 6_250;
    await measure(`${burst} updates at once, of which a filter wants one`, () => this.burst(narrow, burst));
    return results;
  }

  /** @param measured the receivers that the session has then, but for those that are dead */
  private async latency(
    session: { token: string; id: string },
    more: readonly string[],
    measured: readonly string[],
  ): Promise<UpdatesResult> {
    for (const path of more) await this.subscribe(session.id, path);
    await this.push(session.token, RATE, RATE);
    await this.all('the first deliveries', measured, RATE);
    await this.seen(true);
    const count = this.seconds * RATE;
    const before = cpuMs(this.target.product.pid);
    await this.push(session.token, count, RATE);
    const seen = await this.all('the deliveries', measured, count);
    const cpu = cpuMs(this.target.product.pid) - before;
    const latencies = seen.flatMap((each) => each.latencies).sort((a, b) => a - b);
    return {
      p50: latencies[Math.floor(latencies.length / 2)] ?? NaN,
      p99: latencies[Math.floor(latencies.length * 0.99)] ?? NaN,
      cpuPerDelivery: (cpu * 1_000) / latencies.length,
    };
  }

  /** Updates that wait in the database already: what is measured is claiming, posting and noting. */
  private async backlog(
    id: string,
    receivers: readonly string[],
    takesMs: number,
    count: number,
  ): Promise<UpdatesResult> {
    const ids: string[] = [];
    for (const path of paths(receivers, takesMs)) ids.push(await this.subscribe(id, path));
    const client = new pg.Client({ connectionString: this.target.databaseUrl });
    await client.connect();
    // Seen by nobody before all of it is there.
    await client.query('BEGIN');
    await client.query(
      `WITH made AS (
         INSERT INTO updates (part, id, session_id, type, at, payload)
         SELECT update_part(now()), gen_random_uuid(), $1, 'updateNewMessage', now(), $3
           FROM generate_series(1, $4) RETURNING part, id)
       INSERT INTO deliveries (part, id, subscription_id, update_id, chat_id, status, due_at)
       SELECT part, gen_random_uuid(), s, made.id, 7, 'pending', now() FROM made, unnest($2::uuid[]) AS s`,
      [id, ids, JSON.stringify({ '@type': 'updateNewMessage', filler: 'x'.repeat(1_200) }), count],
    );
    await client.query('ANALYZE updates, deliveries');
    await this.seen(true);
    const before = cpuMs(this.target.product.pid);
    const began = Date.now();
    await client.query('COMMIT');
    for (const each of ids) await client.query(`SELECT pg_notify('tgcontrol', $1)`, [`delivery_wanted ${each}`]);
    await client.end();
    const total = count * ids.length;
    const seen = await this.all('the backlog', receivers, count);
    const cpu = cpuMs(this.target.product.pid) - before;
    return { deliveriesPerSecond: (total * 1_000) / (lastOf(seen) - began), cpuPerDelivery: (cpu * 1_000) / total };
  }

  /** As fast as the sandbox pushes and TDLib takes them, to the receivers that the session has. */
  private async flood({ token }: { readonly token: string }, receivers: readonly string[]): Promise<UpdatesResult> {
    await this.seen(true);
    const count = this.seconds * 200;
    const before = cpuMs(this.target.product.pid);
    const began = Date.now();
    await this.push(token, count, AS_FAST_AS_IT_GOES);
    const seen = await this.all('the flood', receivers, count);
    const cpu = cpuMs(this.target.product.pid) - before;
    const total = count * receivers.length;
    return { deliveriesPerSecond: (total * 1_000) / (lastOf(seen) - began), cpuPerDelivery: (cpu * 1_000) / total };
  }

  /** Updates that nobody wants, and after them one that somebody does: all were looked at when it is there. */
  private async burst({ id, token }: { id: string; token: string }, count: number): Promise<UpdatesResult> {
    const subscription = await this.subscribe(id, 'narrow', { chats: [this.target.rare] });
    await this.push(token, 1, 1, true);
    await this.all('the first one', ['narrow'], 1);
    const grownMiB = await growthOf(this.target.product.pid, async () => {
      await this.push(token, count, AS_FAST_AS_IT_GOES);
      await this.push(token, 1, 1, true);
      await this.all('the last one', ['narrow'], 2);
    });
    const { bare } = this.target;
    const bareGrownMiB = await growthOf(bare.pid, async () => {
      await this.push(bare.token, count, AS_FAST_AS_IT_GOES);
      const areThere = async (): Promise<true | undefined> =>
        (await bare.ask<{ newMessages: number }>({})).newMessages >= count || undefined;
      await until('the burst in bare tdl', areThere, 120_000);
    });
    const { dropped } = await this.api.get<{ dropped: number }>(`/v1/bot/${id}/updates/subscriptions/${subscription}`);
    return { grownMiB, bareGrownMiB, dropped };
  }

  /**
   * What each of these receivers has seen, once all of them have seen so much. Others, such as a dead one to which deliveries
   * are repeated, do not count.
   */
  private async all(what: string, receivers: readonly string[], count: number): Promise<readonly SeenOfOne[]> {
    let last: Seen = {};
    return until(
      what,
      async () => {
        last = await this.seen(false);
        const seen = receivers.flatMap((name) => last[name] ?? []);
        return seen.length === receivers.length && seen.every((each) => each.count >= count) ? seen : undefined;
      },
      120_000,
    ).catch((error: unknown) => {
      const counts = receivers.map((name) => `${name}: ${last[name]?.count ?? 0}`).join(', ');
      throw new Error(`of ${count} deliveries each were seen: ${counts}`, { cause: error });
    });
  }

  private async subscribe(id: string, path: string, filters: object = {}): Promise<string> {
    const made = await this.api.post<{ id: string }>(`/v1/bot/${id}/updates/subscriptions`, {
      url: `http://127.0.0.1:${this.target.receivers.ready.port}/${path}`,
      filters: { types: ['updateNewMessage'], ...filters },
    });
    return made.id;
  }

  private async push(token: string, count: number, perSecond: number, isRare = false): Promise<void> {
    await this.target.sandbox.ask({ token, count, perSecond, isRare }, 300_000);
  }

  private seen(reset: boolean): Promise<Seen> {
    return this.target.receivers.ask<Seen>({ reset });
  }
}

async function growthOf(pid: number, work: () => Promise<void>): Promise<number> {
  const before = residentMiB(pid);
  forgetPeak(pid);
  await work();
  return peakMiB(pid) - before;
}

const names = (count: number, name: string): readonly string[] =>
  Array.from({ length: count }, (_, index) => `${name}${index}`);

/** Of receivers that take so long to answer. */
const paths = (receivers: readonly string[], takesMs = 0): readonly string[] =>
  receivers.map((name) => `${name}/${takesMs}`);

const lastOf = (seen: readonly SeenOfOne[]): number => Math.max(...seen.map(({ last }) => last));
