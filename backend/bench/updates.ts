import pg from 'pg';
import { Api } from './lib/api.js';
import { cpuMs, type Helper, type Measured, until } from './lib/processes.js';

/** What one question showed; what does not belong to it is absent. */
export interface UpdatesResult {
  readonly deliveriesPerSecond?: number;
  /** Milliseconds from push to receipt. */
  readonly p50?: number;
  readonly p99?: number;
  /** Of the product's processor, in microseconds. */
  readonly cpuPerDelivery?: number;
}

type Seen = Readonly<
  Record<string, { readonly count: number; readonly latencies: readonly number[]; readonly last: number }>
>;

/** Everything that is measured together. */
export interface UpdatesTarget {
  readonly product: Measured;
  readonly apiToken: string;
  readonly databaseUrl: string;
  readonly receivers: Helper<{ readonly port: number }>;
  readonly sandbox: Helper<unknown>;
  /** Bots, of which each session is one. */
  readonly tokens: readonly string[];
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
    const [latency, beside, fan, slow] = sessions;
    if (latency === undefined || beside === undefined || fan === undefined || slow === undefined) {
      throw new Error('four bots are needed');
    }
    const results: Record<string, UpdatesResult> = {};
    results[`one receiver, ${RATE} updates/s`] = await this.latency(latency, ['alone/0']);
    const nine = Array.from({ length: 9 }, (_, index) => `healthy${index}/0`);
    results[`nine receivers, ${RATE} updates/s`] = await this.latency(beside, nine);
    results['the same nine beside a dead one'] = await this.latency(beside, ['dead/never']);
    results['ten instant receivers, from a backlog'] = await this.backlog(
      fan.id,
      Array.from({ length: 10 }, (_, index) => `instant${index}/0`),
      this.seconds * 400,
    );
    results['one receiver of 20 ms, from a backlog'] = await this.backlog(slow.id, ['slow/20'], this.seconds * 1_500);
    results['ten instant receivers, as updates come'] = await this.flood(fan);
    return results;
  }

  private async latency(session: { token: string; id: string }, more: readonly string[]): Promise<UpdatesResult> {
    for (const receiver of more) await this.subscribe(session.id, receiver);
    await this.push(session.token, RATE, RATE);
    await this.seen(true);
    const count = this.seconds * RATE;
    const before = cpuMs(this.target.product.pid);
    await this.push(session.token, count, RATE);
    const isHealthy = ([name]: [string, unknown]): boolean => !name.startsWith('dead');
    const healthy = await until('the deliveries', async () => {
      const all = Object.entries(await this.seen(false)).filter(isHealthy);
      return all.length > 0 && all.every(([, { count: got }]) => got >= count) ? all : undefined;
    });
    const cpu = cpuMs(this.target.product.pid) - before;
    const latencies = healthy.flatMap(([, { latencies: each }]) => each).sort((a, b) => a - b);
    return {
      p50: latencies[Math.floor(latencies.length / 2)] ?? NaN,
      p99: latencies[Math.floor(latencies.length * 0.99)] ?? NaN,
      cpuPerDelivery: (cpu * 1_000) / latencies.length,
    };
  }

  /** Updates that wait in the database already: what is measured is claiming, posting and noting. */
  private async backlog(id: string, receivers: readonly string[], count: number): Promise<UpdatesResult> {
    const ids: string[] = [];
    for (const receiver of receivers) ids.push(await this.subscribe(id, receiver));
    const client = new pg.Client({ connectionString: this.target.databaseUrl });
    await client.connect();
    await client.query(
      `WITH made AS (
         INSERT INTO updates (part, id, session_id, type, at, payload)
         SELECT update_part(now()), gen_random_uuid(), $1, 'updateNewMessage', now(), $3
           FROM generate_series(1, $4) RETURNING part, id)
       INSERT INTO deliveries (part, id, subscription_id, update_id, chat_id, status, due_at)
       SELECT part, gen_random_uuid(), s, made.id, 7, 'pending', now() FROM made, unnest($2::uuid[]) AS s`,
      [id, ids, JSON.stringify({ '@type': 'updateNewMessage', filler: 'x'.repeat(1_200) }), count],
    );
    await client.query('ANALYZE updates; ANALYZE deliveries');
    await this.seen(true);
    const before = cpuMs(this.target.product.pid);
    const began = Date.now();
    for (const each of ids) await client.query(`SELECT pg_notify('tgcontrol', $1)`, [`delivery_wanted ${each}`]);
    await client.end();
    const total = count * ids.length;
    const last = await until(
      'the backlog',
      async () => {
        const all = Object.values(await this.seen(false));
        const got = all.reduce((sum, each) => sum + each.count, 0);
        return got >= total ? Math.max(...all.map((each) => each.last)) : undefined;
      },
      300_000,
    );
    const cpu = cpuMs(this.target.product.pid) - before;
    return { deliveriesPerSecond: (total * 1_000) / (last - began), cpuPerDelivery: (cpu * 1_000) / total };
  }

  /** As fast as the sandbox pushes and TDLib takes them, to the receivers that the session has. */
  private async flood({ token }: { readonly token: string }): Promise<UpdatesResult> {
    await this.seen(true);
    const count = this.seconds * 200;
    const before = cpuMs(this.target.product.pid);
    const began = Date.now();
    await this.push(token, count, AS_FAST_AS_IT_GOES);
    const last = await until(
      'the flood',
      async () => {
        const all = Object.values(await this.seen(false));
        return all.length === 10 && all.every((each) => each.count >= count)
          ? Math.max(...all.map((each) => each.last))
          : undefined;
      },
      300_000,
    );
    const cpu = cpuMs(this.target.product.pid) - before;
    return { deliveriesPerSecond: (10 * count * 1_000) / (last - began), cpuPerDelivery: (cpu * 100) / count };
  }

  private async subscribe(id: string, receiver: string): Promise<string> {
    const made = await this.api.post<{ id: string }>(`/v1/bot/${id}/updates/subscriptions`, {
      url: `http://127.0.0.1:${this.target.receivers.ready.port}/${receiver}`,
      filters: { types: ['updateNewMessage'] },
    });
    return made.id;
  }

  private async push(token: string, count: number, perSecond: number): Promise<void> {
    await this.target.sandbox.ask({ token, count, perSecond });
  }

  private seen(reset: boolean): Promise<Seen> {
    return this.target.receivers.ask<Seen>({ reset });
  }
}
