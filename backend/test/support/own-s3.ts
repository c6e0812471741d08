import { join } from 'node:path';
import { freePort } from './app.js';
import { createDatabase } from './database.js';
import { ProductProcess } from './process.js';
import type { StoreS3 } from './s3rver.js';
import type { TestTelegram } from './telegram.js';
import { until } from './until.js';

/** A pool that has nothing else to do need not spare its bot. */
const BUDGET = { max: 1_000, window_s: 60, gap_ms: 0 };

/**
 * Starts an installation of its own, whose pool of one bot keeps what others store over S3.
 * @param dir an empty folder for it
 */
export async function startOwnS3(telegram: TestTelegram, dir: string): Promise<StoreS3> {
  const database = await createDatabase();
  const port = await freePort();
  const product = await ProductProcess.start('all', {
    ...telegram.env,
    DATABASE_URL: database.url,
    DATA_DIR: join(dir, 'store'),
    WORKER_ID: 'store',
    S3_LISTEN_ADDR: `127.0.0.1:${port}`,
  });
  const { app_id } = await product.must('POST', '/v1/apps', { api_id: 1, api_hash: 'a'.repeat(32) });
  const { token, userId } = telegram.control.createBot({ username: 'states_bot' });
  const { id: bot } = await product.must('POST', '/v1/bot', { token, app_id });
  const owner = telegram.control.createAccount({ phone: '15550899999' }).userId;
  const { chatId } = telegram.control.createChat({ type: 'channel', title: 'States', admins: [owner, userId] });
  const settings = { name: 'states', chat_id: chatId, session_ids: [bot], budget: BUDGET };
  const { id: pool } = await product.must('POST', '/v1/pools', settings);
  await until('the pool', async () => (await product.must('GET', '/v1/pools/states/status'))['state'] === 'ok');
  const holder = await product.must('POST', '/v1/tokens', { name: 's3', pool_ids: [pool], pool_access: 'write' });
  const key = await product.must('POST', `/v1/tokens/${String(holder['id'])}/s3-keys`);
  return {
    endpoint: `http://127.0.0.1:${port}`,
    url: (endpoint) => `s3://states/of-the-test?endpoint=${endpoint}`,
    credentials: (setting) => ({
      [`${setting}_ACCESS_KEY_ID`]: String(key['access_key_id']),
      [`${setting}_SECRET_ACCESS_KEY`]: String(key['secret_access_key']),
    }),
    keys: async () => {
      const { objects } = await product.must('GET', '/v1/pools/states/objects?limit=1000');
      return (objects as readonly { readonly key: string }[]).map((each) => each.key);
    },
    stop: async () => {
      await product.end('SIGTERM');
      await database.drop();
    },
  };
}
