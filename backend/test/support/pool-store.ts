import { createHash } from 'node:crypto';
import { type ObjectStore, OBJECT_STORE } from '../../src/modules/s3/object-store.js';
import { type TestApp, startApp } from './app.js';
import type { TestKey } from './s3.js';
import { ApiClient, type TestTelegram, startTelegram } from './telegram.js';
import { until } from './until.js';

const MIB = 1024 * 1024;

/** Pools of a whole product on an offline Telegram, as the S3 endpoint sees them. */
export interface TestPools {
  readonly app: TestApp;
  readonly api: ApiClient;
  readonly telegram: TestTelegram;
  readonly store: ObjectStore;
  readonly poolIds: readonly [string, string];
  /** The channel of the first pool. */
  readonly channel: number;
  /** An access key that may write to a pool, made over the API. */
  createKey(poolId: string): Promise<TestKey>;
  stop(): Promise<void>;
}

/**
 * Starts a product with two pools, whose own buckets have names that S3 does not show.
 * @param bots of the first pool; the second has one
 * @param chunkBytes of the messages of both
 */
export async function startPools(
  bots: number,
  { env = {}, chunkBytes = MIB }: { readonly env?: NodeJS.ProcessEnv; readonly chunkBytes?: number } = {},
): Promise<TestPools> {
  const telegram = await startTelegram();
  const app = await startApp({ env: { ...telegram.env, ...env } });
  const api = new ApiClient(app);
  const appId = await api.createApp();
  const owner = telegram.control.createAccount({ phone: '15550900000' }).userId;

  async function pool(name: string, count: number): Promise<{ id: string; channel: number }> {
    const made = Array.from({ length: count }, (_, n) => {
      const suffix = createHash('md5').update(`${name} ${n}`).digest('hex').slice(0, 8);
      return telegram.control.createBot({ username: `s3_${suffix}_bot` });
    });
    const sessionIds: string[] = [];
    for (const { token } of made) {
      sessionIds.push((await api.must(api.post('/v1/bot', { token, app_id: appId }))).id);
    }
    const admins = [owner, ...made.map(({ userId }) => userId)];
    const { chatId } = telegram.control.createChat({ type: 'channel', title: name, admins });
    const budget = { max: 1000, window_s: 60, gap_ms: 0 };
    const settings = { name, chat_id: chatId, session_ids: sessionIds, chunk_size: chunkBytes, budget };
    const { id } = await api.must(api.post('/v1/pools', settings));
    await until('the pool to be run', async () => {
      const { body } = await api.get(`/v1/pools/${name}/status`);
      return body.result?.['state'] === 'ok';
    });
    return { id, channel: chatId };
  }

  const first = await pool('xn--first', bots);
  const second = await pool('xn--second', 1);
  return {
    app,
    api,
    telegram,
    store: app.app.get<ObjectStore>(OBJECT_STORE, { strict: false }),
    poolIds: [first.id, second.id],
    createKey: async (poolId) => {
      const token = await api.must(api.post('/v1/tokens', { name: 's3', pool_ids: [poolId], pool_access: 'write' }));
      const key = await api.must(api.post(`/v1/tokens/${token.id}/s3-keys`));
      return { accessKeyId: String(key['access_key_id']), secretAccessKey: String(key['secret_access_key']) };
    },
    channel: first.channel,
    stop: async () => {
      await app.stop();
      await telegram.stop();
    },
  };
}
