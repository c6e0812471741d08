import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { SessionsRepository } from '../src/modules/sessions/sessions.repository.js';
import { cluster, startApp, type TestApp } from './support/app.js';
import { createDatabase, type TestDatabase } from './support/database.js';
import { type Answer, ApiClient, startTelegram, type TestTelegram } from './support/telegram.js';
import { until } from './support/until.js';

describe('sessions through a gateway', () => {
  let telegram: TestTelegram;
  let database: TestDatabase;
  let worker: TestApp;
  let gateway: TestApp;
  let api: ApiClient;
  let appId: string;

  beforeAll(async () => {
    telegram = await startTelegram();
    database = await createDatabase();
    // Both roles and every other test file share this process and so one library: the proxy-only one.
    const { TDLIB_PATH } = telegram.env;
    worker = await startApp({ role: 'worker', env: { ...telegram.env, WORKER_ID: 'w1' }, database });
    gateway = await startApp({ role: 'gateway', env: { TDLIB_PATH, TDLIB_PROXY_ONLY: 'true' }, database });
    api = new ApiClient(gateway);
    appId = await api.createApp();
  });

  afterAll(async () => {
    await gateway.stop();
    await worker.stop();
    await database.drop();
    await telegram.stop();
  });

  const createBot = async (username: string): Promise<{ id: string; userId: number }> => {
    const { token, userId } = telegram.control.createBot({ username });
    const { id } = await api.must(api.post('/v1/bot', { token, app_id: appId }));
    return { id, userId };
  };

  it('run as on one process: create, call, list, change, remove', async () => {
    const { id, userId } = await createBot('split_bot');
    const path = `/v1/bot/${id}`;
    expect((await api.call(path, 'getMe')).body.result).toMatchObject({ '@type': 'user', id: userId });
    expect((await api.get(path)).body.result).toMatchObject({
      status: 'authorized',
      worker_id: 'w1',
      me: { id: userId },
    });
    await api.must(api.patch(path, { label: 'there' }));
    await api.lists(id, { label: 'there', worker_id: 'w1' });
    expect(await api.sessions()).toHaveLength(1);
    expect(await api.must(api.delete(`${path}?logout=true`))).toEqual(
      expect.objectContaining({ status: 'deleted', logged_out: true }),
    );
    await until('the end of its route', async () => (await api.call(path, 'getMe')).status === 404);
  });

  it("pass the worker's and Telegram's refusals on unchanged", async () => {
    const bad = await api.post('/v1/bot', { token: '1:wrong', app_id: appId });
    expect([bad.status, bad.headers['x-error-source']]).toEqual([400, 'tdlib']);
    expect(bad.body.error).toMatchObject({ source: 'tdlib', code: 400, message: 'ACCESS_TOKEN_INVALID' });
    const { id } = await createBot('refusals_bot');
    const reserved = await api.call(`/v1/bot/${id}`, 'logOut');
    expect([reserved.status, reserved.body.error?.['code']]).toEqual([403, 'method_reserved']);
    const mismatch = await api.call(`/v1/user/${id}`, 'getMe');
    expect([mismatch.status, mismatch.body.error?.['code']]).toEqual([404, 'kind_mismatch']);
    for (const unknown of ['nope', '00000000-0000-4000-8000-000000000000']) {
      expect((await api.call(`/v1/bot/${unknown}`, 'getMe')).status).toBe(404);
      expect((await api.get(`/v1/bot/${unknown}`)).status).toBe(404);
      expect((await api.delete(`/v1/bot/${unknown}`)).status).toBe(404);
    }
  });

  it('log a user in step by step', async () => {
    const { phone } = telegram.control.createAccount({ phone: '15550177', firstName: 'A', password: 'pw' });
    const begun = await api.must(api.post('/v1/user', { app_id: appId, phone }));
    expect(begun).toMatchObject({ status: 'awaiting_code' });
    const twice = await api.post('/v1/user', { app_id: appId, phone });
    expect([twice.status, twice.body.error?.['session_id']]).toEqual([409, begun.id]);
    const wrong = await api.post(`/v1/user/${begun.id}/login/code`, { code: '00000' });
    expect(wrong.body.error).toMatchObject({ source: 'tdlib', message: 'PHONE_CODE_INVALID' });
    const code = telegram.control.newestCode(phone);
    expect(await api.must(api.post(`/v1/user/${begun.id}/login/code`, { code }))).toMatchObject({
      status: 'awaiting_password',
    });
    const done = await api.must(api.post(`/v1/user/${begun.id}/login/password`, { password: 'pw' }));
    expect(done).toMatchObject({ status: 'authorized', phone });
  });

  it('log in again, and recover a password, through the worker', async () => {
    const { phone, userId } = telegram.control.createAccount({
      phone: '15550178',
      firstName: 'A',
      password: 'pw',
      recoveryEmail: 'name@example.org',
    });
    const { id } = await api.must(api.post('/v1/user', { app_id: appId, phone }));
    const path = `/v1/user/${id}`;
    const early = await api.post(`${path}/login`);
    expect([early.status, early.body.error?.['details']]).toEqual([409, { status: 'awaiting_code' }]);
    await api.must(api.post(`${path}/login/code`, { code: telegram.control.newestCode(phone) }));
    await api.must(api.post(`${path}/login/password`, { password: 'pw' }));
    telegram.control.accounts.terminateSessions(userId);
    await until('the end', async () => (await api.get(path)).body.result?.['status'] === 'logged_out');
    expect(await api.must(api.post(`${path}/login`))).toMatchObject({ id, status: 'awaiting_code', worker_id: 'w1' });
    await api.must(api.post(`${path}/login/code`, { code: telegram.control.newestCode(phone) }));
    const asked = await api.must(api.post(`${path}/login/recover`));
    expect(asked).toMatchObject({ email_pattern: 'n***e@example.org' });
    const recovery = { code: telegram.control.newestCode(phone), new_password: 'new' };
    expect(await api.must(api.post(`${path}/login/recover`, recovery))).toMatchObject({ id, status: 'authorized' });
  });

  it('refuse malformed requests at the worker as well', async () => {
    const id = '00000000-0000-4000-8000-000000000000';
    const bad = [
      ['post', `${id}/login`, {}],
      ['post', `${id}/login`, { step: 'constructor' }],
      ['post', `${id}/login`, { step: 'code', code: 1 }],
      ['post', `${id}/login`, { step: 'recover-code', code: '1' }],
      ['post', `${id}/relogin`, {}],
      ['post', `${id}/relogin`, { kind: 'user', method: 'sms' }],
      ['post', `${id}/relogin`, { kind: 'bot', token: 1 }],
      ['patch', `${id}/proxy`, {}],
      ['post', `bot/${id}/call`, undefined],
    ] as const;
    for (const [method, path, body] of bad) {
      const answer = await worker.http()[method](`/internal/sessions/${path}`).set(cluster).send(body);
      expect([path, answer.status]).toEqual([path, 400]);
    }
    expect((await worker.http().post('/internal/sessions/nope/stop').set(cluster)).status).toBe(404);
  });

  it('need no worker for what is local', async () => {
    const { status, body } = await api.post('/v1/execute', { method: 'getTextEntities', params: { text: '@probe' } });
    expect([status, body.result?.['@type']]).toEqual([200, 'textEntities']);
  });

  it('have what is local computed by a worker when the gateway cannot load the library', async () => {
    const bare = await startApp({ role: 'gateway', env: { TDLIB_PATH: '/nowhere/libtdjson.so' }, database });
    try {
      const execute = (method: string, params: object): Promise<Answer> =>
        new ApiClient(bare).post('/v1/execute', { method, params });
      const { status, body } = await execute('getTextEntities', { text: '@probe' });
      expect([status, body.result]).toMatchObject([200, { '@type': 'textEntities', entities: [{ length: 6 }] }]);
      const refused = await execute('getTextEntities', { text: {} });
      expect([refused.status, refused.body.error?.['source']]).toEqual([400, 'tdlib']);
      expect((await execute('logOut', {})).body.error?.['code']).toBe('method_reserved');
    } finally {
      await bare.stop();
    }
  });

  it('take an answer of 10 MB', async () => {
    const { id } = await createBot('large_bot');
    const { status, body } = await api.call(`/v1/bot/${id}`, 'getTextEntities', { text: '@abcde '.repeat(120_000) });
    expect(status).toBe(200);
    expect(JSON.stringify(body.result).length).toBeGreaterThan(10_000_000);
  });

  it('go over to another worker when theirs stops, without a new login', async () => {
    const { id, userId } = await createBot('moving_bot');
    const second = await startApp({
      role: 'worker',
      env: { ...telegram.env, WORKER_ID: 'w2', DATA_DIR: worker.dataDir },
      database,
    });
    const stopped = worker;
    try {
      const logins = telegram.control.journal({ method: 'auth.importBotAuthorization' }).length;
      await stopped.app.close();
      await until('the other worker to have it', async () => {
        const { status, body } = await api.get(`/v1/bot/${id}`);
        return status === 200 && body.result?.['worker_id'] === 'w2';
      });
      await until('a call there', async () => (await api.call(`/v1/bot/${id}`, 'getMe')).status === 200);
      expect((await api.call(`/v1/bot/${id}`, 'getMe')).body.result).toMatchObject({ id: userId });
      expect(telegram.control.journal({ method: 'auth.importBotAuthorization' })).toHaveLength(logins);
    } finally {
      worker = { ...second, stop: () => second.stop() };
    }
  });

  it.each([
    ['the database was gone for a moment when they were to be given free', 'release', false],
    ['the answer was lost that they had been given free', 'release', true],
    ['the answer was lost that they had been claimed', 'claim', true],
  ] as const)('answer again although %s', async (_what, method, isCarriedOut) => {
    const { id, userId } = await createBot(`doubtful_${method}_${isCarriedOut}_bot`);
    const other = await startApp({
      role: 'worker',
      env: { ...telegram.env, WORKER_ID: 'other', DATA_DIR: worker.dataDir },
      database,
    });
    try {
      const repository = (method === 'release' ? worker : other).app.get(SessionsRepository);
      const original = repository[method].bind(repository) as (...all: unknown[]) => Promise<never>;
      const isMeant = (all: readonly unknown[]): boolean => JSON.stringify(all).includes(id) || method === 'claim';
      let isBroken = true;
      jest.spyOn(repository, method).mockImplementation(async (...all: unknown[]): Promise<never> => {
        if (!isBroken || !isMeant(all)) return original(...all);
        const answer = isCarriedOut ? await original(...all) : undefined;
        // A claim of nothing loses nothing.
        if (method === 'claim' && (answer as readonly unknown[] | undefined)?.length === 0) return answer as never;
        isBroken = false;
        throw new Error('the connection is gone');
      });
      expect((await api.post(`/v1/bot/${id}/move`, { worker_id: 'other' })).status).toBe(200);
      await until('a call', async () => (await api.call(`/v1/bot/${id}`, 'getMe')).status === 200);
      expect(isBroken).toBe(false);
      expect((await api.call(`/v1/bot/${id}`, 'getMe')).body.result).toMatchObject({ id: userId });
    } finally {
      jest.restoreAllMocks();
      await other.stop();
    }
    await until('it to be back', async () => (await api.call(`/v1/bot/${id}`, 'getMe')).status === 200);
    await api.must(api.delete(`/v1/bot/${id}`));
  });

  it('stay as they are on a worker that does not have their directory, and go on where it is', async () => {
    const { id, userId } = await createBot('shared_bot');
    const { body } = await api.post(`/v1/bot/${(await createBot('stopped_bot')).id}/stop`);
    const stopped = body.result?.id ?? '';
    const { dataDir } = worker;
    const elsewhere = await startApp({ role: 'worker', env: { ...telegram.env, WORKER_ID: 'w3' }, database });
    try {
      await worker.app.close();
      const row = await until('the other worker to have looked', async () =>
        (await api.sessions()).find(
          (each) => each['id'] === id && String(each['health_cause']).includes('directory is not on this worker'),
        ),
      );
      expect(row).toMatchObject({ status: 'authorized', health: 'down' });
      expect(row['worker_id']).toBeUndefined();
      await until('its worker to be known as gone', async () => {
        const refused = await api.post(`/v1/bot/${stopped}/start`);
        return refused.body.error?.['code'] === 'session_directory_missing';
      });
      expect((await api.get(`/v1/bot/${stopped}`)).body.result).toMatchObject({ status: 'stopped' });
      for (const each of [id, stopped]) {
        expect(existsSync(join(elsewhere.dataDir, 'sessions', each))).toBe(false);
      }
      const heir = { role: 'worker', env: { ...telegram.env, WORKER_ID: 'w4', DATA_DIR: dataDir }, database } as const;
      worker = await startApp(heir);
      await until('a call where it is', async () => (await api.call(`/v1/bot/${id}`, 'getMe')).status === 200);
      expect((await api.call(`/v1/bot/${id}`, 'getMe')).body.result).toMatchObject({ id: userId });
      expect((await api.get(`/v1/bot/${id}`)).body.result).toMatchObject({ health: 'ok', worker_id: 'w4' });
    } finally {
      await elsewhere.stop();
    }
  });

  it('answer 503 while nobody holds them', async () => {
    const { id } = await createBot('orphan_bot');
    await worker.app.close();
    const refused = await until('the loss to be known', async () => {
      const answer = await api.call(`/v1/bot/${id}`, 'getMe');
      return answer.status === 503 && answer;
    });
    expect(refused.body.error).toMatchObject({ source: 'gateway', code: 'no_live_worker' });
    expect((await api.get(`/v1/bot/${id}`)).status).toBe(503);
    await api.lists(id, { status: 'authorized', health: 'down', health_cause: expect.any(String) as string });
    await until(
      'no worker to be left',
      async () => (await api.post('/v1/bot', { token: '1:x', app_id: appId })).status === 503,
    );
  });
});
