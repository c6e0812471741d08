import { appendFileSync, mkdirSync, writeFileSync } from 'node:fs';
import { join, normalize } from 'node:path';
import fc from 'fast-check';
import pLimit from 'p-limit';
import { Pool } from 'undici';
import { isReservedMethod } from '../src/telegram/reserved-methods.js';
import { readTdSchema, type TdSchema } from '../src/telegram/td-schema.js';
import { TdJson } from '../src/telegram/td-json.js';
import { API_TOKEN, startApp, type TestApp } from './support/app.js';
import { TdCases, type FuzzCase } from './support/td-cases.js';
import { ApiClient, startTelegram, type TestTelegram } from './support/telegram.js';
import { loginUser } from './support/users.js';

const CASES = Number(process.env['FUZZ_CASES'] ?? 20_000);
/** Always the same unless told otherwise: `FUZZ_SEED=random` looks for something new. */
const GIVEN_SEED = process.env['FUZZ_SEED'] ?? '20261130';
const SEED = GIVEN_SEED === 'random' ? Math.floor(Math.random() * 2 ** 31) : Number(GIVEN_SEED);
/** A file that gets every query right before TDLib does: should TDLib abort, its end tells why. */
const LOG = process.env['FUZZ_LOG'];
const BATCH = 50;
const METHODS_AT_ONCE = 8;

/** They do what they say, and then there is no session to ask. Those that are reserved are called. */
const ENDS_THE_SESSION = new Set([
  // Telegram removes the account.
  'deleteAccount',
  // With networkTypeNone TDLib stays offline until it is told otherwise.
  'setNetworkType',
]);

/** What may be answered with 5xx for a reason of ours, see docs/ERRORS.md. */
const ALLOWED_FAILURES = new Set(['deadline_exceeded', 'too_many_calls']);

describe('whatever is asked of /call and /execute', () => {
  let telegram: TestTelegram;
  let app: TestApp;
  let api: ApiClient;
  let path: string;
  let userId: number;
  let schema: TdSchema;
  let cases: TdCases;
  let pool: Pool;
  let uploadsDir: string;
  /** What must not have reached TDLib. */
  const leaks: string[] = [];
  const late = new Map<string, number>();
  let reached = 0;

  beforeAll(async () => {
    telegram = await startTelegram();
    app = await startApp({ env: telegram.env });
    api = new ApiClient(app);
    pool = new Pool(app.url, { connections: 64 });
    const { control } = telegram;
    const { userId: friend } = control.createAccount({ phone: '15550700001', firstName: 'F', username: 'fuzz_friend' });
    ({ path, userId } = await loginUser(api, telegram, await api.createApp(), '15550700000'));
    const { chatId } = control.createChat({ type: 'channel', title: 'C', username: 'fuzz_channel', admins: [userId] });
    await control.sendMessage({ from: friend, chatId: userId, text: 'hello' });
    uploadsDir = app.config.uploads.dir;
    mkdirSync(uploadsDir, { recursive: true });
    const upload = join(uploadsDir, 'upload');
    writeFileSync(upload, 'uploaded');
    schema = await readTdSchema();
    cases = new TdCases(schema, {
      chatIds: [userId, friend, chatId, 777000],
      usernames: ['@fuzz_friend', 'https://t.me/fuzz_channel', 't.me/nobody_here', '@nobody_here'],
      upload,
      uploadsDir,
    });
    process.stderr.write(`fuzz: FUZZ_SEED=${SEED} FUZZ_CASES=${CASES}\n`);
    watch();
  });

  afterAll(async () => {
    jest.restoreAllMocks();
    process.stderr.write(`fuzz: reached TDLib ${reached}; late ${JSON.stringify([...late])}\n`);
    await pool.destroy();
    await app.stop();
    await telegram.stop();
  });

  /** Looks at everything that TDLib gets, with other eyes than those that guard it. */
  function watch(): void {
    const { send, execute } = TdJson.prototype;
    jest.spyOn(TdJson.prototype, 'send').mockImplementation(function (this: TdJson, clientId, request) {
      look(request);
      send.call(this, clientId, request);
    });
    jest.spyOn(TdJson.prototype, 'execute').mockImplementation(function (this: TdJson, request) {
      look(request);
      return execute.call(this, request);
    });
  }

  function look(request: string): void {
    reached += 1;
    if (LOG !== undefined) appendFileSync(LOG, `${request}\n`);
    const query = JSON.parse(request) as { readonly '@type': string };
    if (isReservedMethod(query['@type']) || isForbidden(query)) leaks.push(request);
  }

  /** Names a file that is nobody's upload, or has half of a surrogate pair. */
  function isForbidden(value: unknown): boolean {
    if (typeof value === 'string') return /\p{Surrogate}/u.test(value);
    if (typeof value !== 'object' || value === null) return false;
    const { '@type': type, path: file } = value as { readonly '@type'?: unknown; readonly path?: unknown };
    if (type === 'inputFileGenerated') return true;
    if (type === 'inputFileLocal') {
      const isUpload = typeof file === 'string' && !file.includes('\0') && normalize(file).startsWith(`${uploadsDir}/`);
      if (!isUpload) return true;
    }
    return Object.entries(value).flat().some(isForbidden);
  }

  /** @returns what is wrong with the answer, undefined when nothing is */
  async function faultOf({ route, body }: FuzzCase): Promise<string | undefined> {
    const began = performance.now();
    const answer = await pool.request({
      method: 'POST',
      path: route === 'call' ? `${path}/call?timeout=1` : '/v1/execute',
      headers: { authorization: `Bearer ${API_TOKEN}` },
      body,
    });
    const text = await answer.body.text();
    if (answer.statusCode === 504) {
      const name = /"method":"(\w+)"/.exec(body)?.[1] ?? '?';
      late.set(name, (late.get(name) ?? 0) + 1);
    }
    const fault = faultIn(answer.statusCode, answer.headers, text);
    const seconds = (performance.now() - began) / 1_000;
    const tooLong = seconds > 10 ? `took ${seconds} s` : undefined;
    const problem = fault ?? tooLong;
    return problem && `${problem}: ${route} ${body} was answered with ${answer.statusCode} ${text.slice(0, 500)}`;
  }

  function faultIn(status: number, headers: Readonly<Record<string, unknown>>, text: string): string | undefined {
    if (headers['x-request-id'] === undefined) return 'no X-Request-Id';
    let envelope: { ok?: unknown; result?: Record<string, unknown>; error?: Record<string, unknown> };
    try {
      envelope = JSON.parse(text) as typeof envelope;
    } catch {
      return 'no JSON';
    }
    const { ok, result, error } = envelope;
    if (status === 200) {
      const isWhole = ok === true && typeof result?.['@type'] === 'string';
      if (!isWhole) return 'no td_api object';
      return '@extra' in result || '@client_id' in result ? 'something of our own in the result' : undefined;
    }
    if (ok !== false || typeof error?.['message'] !== 'string') return 'no envelope';
    if (error['source'] === 'tdlib') return typeof error['code'] === 'number' ? undefined : 'no code of TDLib';
    if (error['source'] !== 'gateway' || typeof error['code'] !== 'string') return 'no code';
    return status >= 500 && !ALLOWED_FAILURES.has(error['code']) ? 'a failure of ours' : undefined;
  }

  async function check(arbitrary: fc.Arbitrary<FuzzCase>, size: number, numRuns: number, seed: number): Promise<void> {
    const batches = fc.array(arbitrary, { minLength: size, maxLength: size });
    await fc.assert(
      fc.asyncProperty(batches, async (batch) => {
        const before = leaks.length;
        const faults = await Promise.all(batch.map(faultOf));
        expect(faults.filter((fault) => fault !== undefined)).toEqual([]);
        expect(leaks.slice(before)).toEqual([]);
      }),
      // A failure names its request; to look for a smaller one would ask Telegram a thousand things more.
      { numRuns, seed, endOnFailure: true },
    );
  }

  const ofEach = Math.max(1, Math.floor((CASES * 0.4) / 962));

  it('every method of td_api, with parameters of any kind, is answered in order', async () => {
    const limit = pLimit(METHODS_AT_ONCE);
    const asked = schema.methods.filter(({ name }) => !ENDS_THE_SESSION.has(name));
    await Promise.all(
      asked.map((method, index) => limit(() => check(cases.ofMethod(method), ofEach, 1, SEED + index))),
    );
  }, 600_000);

  it('anything else is as well', async () => {
    await check(cases.anything(), BATCH, Math.ceil((CASES * 0.6) / BATCH), SEED);
  }, 600_000);

  it('and the session is what it was', async () => {
    expect((await api.call(path, 'getMe')).body.result).toMatchObject({ '@type': 'user', id: userId });
    expect((await api.get(path)).body.result).toMatchObject({ status: 'authorized', health: 'ok' });
    expect(leaks).toEqual([]);
  });
});
