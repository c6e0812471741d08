import pg from 'pg';
import { Api } from './lib/api.js';
import { median } from './lib/load.js';
import { until } from './lib/processes.js';

/** What limits add to a call, in milliseconds. */
export interface LimitsResult {
  readonly p50: number;
  readonly p99: number;
}

/** A product, and two user accounts that can log in at its Telegram. */
export interface LimitedTarget {
  readonly url: string;
  readonly apiToken: string;
  readonly databaseUrl: string;
  readonly phones: readonly [string, string];
  readonly code: string;
}

const RULES = 20;
const COOLDOWNS = 20;
const WARM_UP = 200;
/** Lists of methods, so that the rules stack and none replaces another: each has the method that is called. */
const METHODS = ['getOption', 'getChat', 'getUser', 'getMessage', 'getChatHistory'];
const PERIODS = ['minute', 'hour', 'day', 'week'];

/**
 * The same call on a session with nothing of all this, by the master token, and on one with a cooldown table and twenty rules, by a
 * scoped token; one after the other by turns, so that a busy machine is busy for both.
 */
export async function benchLimits(target: LimitedTarget, calls: number): Promise<Record<string, LimitsResult>> {
  const { url, apiToken, databaseUrl, phones, code } = target;
  const api = new Api(url, apiToken);
  const appId = await api.createApp();
  const login = async (phone: string): Promise<string> => {
    const { id } = await api.post<{ id: string }>('/v1/user', { app_id: appId, phone });
    await api.post(`/v1/user/${id}/login/code`, { code });
    return id;
  };
  const [plain, limited] = [await login(phones[0]), await login(phones[1])];
  const { id: tokenId, token } = await api.post<{ id: string; token: string }>('/v1/tokens', {
    session_ids: [limited],
  });
  for (let number = 0; number < RULES; number += 1) {
    const per = PERIODS[number % PERIODS.length];
    const methods = ['getMe', METHODS[Math.floor(number / PERIODS.length)]];
    const of = number % 2 === 0 ? { level: 'session', session_id: limited } : { level: 'token', token_id: tokenId };
    await api.post('/v1/limits', { ...of, methods, max: 1_000_000, per });
  }
  const database = new pg.Client({ connectionString: databaseUrl });
  await database.connect();
  await database.query(
    `INSERT INTO limit_cooldowns (session_id, scope, until, ends_at, reason)
     SELECT $1, 'method' || n, now() + interval '1 day', now() + interval '1 day', 'bench' FROM generate_series(1, $2) n`,
    [limited, COOLDOWNS],
  );
  await database.end();
  // The table is read when the session is opened.
  await api.post(`/v1/user/${limited}/stop`, {});
  await api.post(`/v1/user/${limited}/start`, {});

  const body = JSON.stringify({ method: 'getMe' });
  const time = async (id: string, bearer: string): Promise<number> => {
    const began = performance.now();
    const response = await fetch(`${url}/v1/user/${id}/call`, {
      method: 'POST',
      headers: { authorization: `Bearer ${bearer}`, 'content-type': 'application/json' },
      body,
    });
    await response.arrayBuffer();
    if (response.status !== 200) throw new Error(`a call was answered with ${response.status}`);
    return performance.now() - began;
  };
  await until('the session', async () => ((await time(limited, token)) > 0 ? true : undefined));
  const times: Record<'plain' | 'limited', number[]> = { plain: [], limited: [] };
  for (let number = -WARM_UP; number < calls; number += 1) {
    const [one, other] = [await time(plain, apiToken), await time(limited, token)];
    if (number >= 0) {
      times.plain.push(one);
      times.limited.push(other);
    }
  }
  const counted = await api.get<{ rules: readonly { per: string; usage: { used: number } }[] }>(
    `/v1/user/${limited}/limits`,
  );
  // The minute may have been another one when most calls were made.
  const lasting = counted.rules.filter(({ per }) => per !== 'minute');
  if (counted.rules.length !== RULES || lasting.some(({ usage }) => usage.used < calls / 2)) {
    throw new Error('the rules have not counted the calls');
  }
  const of = (values: readonly number[]): LimitsResult => ({ p50: median(values), p99: at(values, 0.99) });
  const [without, with20] = [of(times.plain), of(times.limited)];
  return {
    'no limits': without,
    [`scoped token, ${RULES} rules, ${COOLDOWNS} cooldowns`]: with20,
    added: { p50: with20.p50 - without.p50, p99: with20.p99 - without.p99 },
  };
}

function at(values: readonly number[], share: number): number {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.floor(sorted.length * share)] ?? Number.NaN;
}
