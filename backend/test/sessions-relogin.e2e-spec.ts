import { existsSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { SessionsRepository } from '../src/modules/sessions/sessions.repository.js';
import { startApp, type TestApp } from './support/app.js';
import { type Answer, ApiClient, startTelegram, type TestTelegram } from './support/telegram.js';
import { until } from './support/until.js';
import { loginUser } from './support/users.js';

describe('a session whose authorization is gone', () => {
  let telegram: TestTelegram;
  let app: TestApp;
  let api: ApiClient;
  let appId: string;
  let accounts = 0;

  const newPhone = (): string => `1555030${String((accounts += 1)).padStart(4, '0')}`;
  const login = (path: string, body: object = {}): Promise<Answer> => api.post(`${path}/login`, body);
  const code = (path: string, phone: string): Promise<Answer> =>
    api.post(`${path}/login/code`, { code: telegram.control.newestCode(phone) });
  /** After `app.app.close()`: another process on the same database and folder. */
  const restart = async (): Promise<void> => {
    const { database, dataDir, stop } = app;
    const next = await startApp({ env: { ...telegram.env, DATA_DIR: dataDir }, database });
    app = { ...next, stop: () => next.stop().then(stop) };
    api = new ApiClient(app);
  };
  /** A user that was logged in and whose session was ended from another device. */
  const loggedOut = async (): Promise<{ path: string; id: string; userId: number; phone: string }> => {
    const phone = newPhone();
    const user = await loginUser(api, telegram, appId, phone);
    telegram.control.accounts.terminateSessions(user.userId);
    await api.becomes(user.path, 'logged_out');
    return { ...user, phone };
  };

  beforeAll(async () => {
    telegram = await startTelegram();
    app = await startApp({ env: telegram.env });
    api = new ApiClient(app);
    appId = await api.createApp();
  });

  afterEach(() => telegram.control.removeFault());

  afterAll(async () => {
    await app.stop();
    await telegram.stop();
  });

  it('logs in again by code and keeps its id, its label and its creation', async () => {
    const { path, id, userId, phone } = await loggedOut();
    await api.must(api.patch(path, { label: 'kept' }));
    const before = await api.state(path);
    const begun = await api.must(login(path));
    expect(begun).toMatchObject({ id, status: 'awaiting_code', label: 'kept', phone });
    expect(begun).not.toHaveProperty('last_error');
    const done = await api.must(code(path, phone));
    expect(done).toMatchObject({ id, status: 'authorized', created_at: before['created_at'], me: { id: userId } });
    expect((await api.call(path, 'getMe')).body.result).toMatchObject({ id: userId });
    await api.lists(id, { status: 'authorized', label: 'kept' });
  });

  it('logs in again by QR code, with a second step too', async () => {
    const { path, userId } = await loggedOut();
    telegram.control.accounts.update(userId, { password: 'pw' });
    const begun = await api.must(login(path, { method: 'qr' }));
    const { link, expires_at } = begun['qr'] as { link: string; expires_at: string };
    expect(Date.parse(expires_at)).toBeGreaterThan(Date.now());
    telegram.control.accounts.scanQr(userId, link);
    await api.becomes(path, 'awaiting_password');
    const done = await api.must(api.post(`${path}/login/password`, { password: 'pw' }));
    expect(done).toMatchObject({ status: 'authorized', me: { id: userId } });
  });

  it('is refused while it is logged in, logging in or stopped', async () => {
    const phone = newPhone();
    const { path } = await loginUser(api, telegram, appId, phone);
    const refused = async (status: string): Promise<void> => {
      const { status: http, body } = await login(path);
      expect([http, body.error]).toEqual([
        409,
        expect.objectContaining({ code: 'session_not_ready', details: { status } }),
      ]);
    };
    await refused('authorized');
    await api.must(api.post(`${path}/stop`));
    await refused('stopped');
    await api.must(api.post(`${path}/start`));
    telegram.control.accounts.terminateSessions(
      telegram.control.accounts.accounts().find((a) => a.phone === phone)?.userId ?? 0,
    );
    await api.becomes(path, 'logged_out');
    await api.must(login(path));
    await refused('awaiting_code');
  });

  it('sends one code when it is asked twice at once, and names the login of its number that goes on', async () => {
    const { path, id, phone } = await loggedOut();
    const before = telegram.control.accounts.codes(phone).length;
    const answers = await Promise.all([login(path), api.post('/v1/user', { app_id: appId, phone })]);
    const [won, lost] = answers.toSorted((a, b) => a.status - b.status);
    expect([won?.status, lost?.status]).toEqual([200, 409]);
    expect(lost?.body.error).toMatchObject({ code: 'login_in_progress', session_id: won?.body.result?.id });
    expect(telegram.control.accounts.codes(phone)).toHaveLength(before + 1);
    if (won?.body.result?.id !== id) {
      expect(await api.state(path)).toMatchObject({ status: 'logged_out' });
    }
  });

  it.each(['phone', 'qr'])(
    'is what it was before when its login by %s is given up, and its number is free',
    async (method) => {
      const { path, id, phone } = await loggedOut();
      const before = await api.state(path);
      await api.must(login(path, { method }));
      expect(await api.must(api.delete(`${path}/login`))).toMatchObject({ status: 'cancelled' });
      expect(await api.state(path)).toMatchObject({
        id,
        status: 'logged_out',
        since: before['since'],
        last_error: 'the login was cancelled',
      });
      const none = await api.delete(`${path}/login`);
      expect([none.status, none.body.error?.['details']]).toEqual([409, { status: 'logged_out' }]);
      const other = await api.must(api.post('/v1/user', { app_id: appId, phone }));
      expect(other).toMatchObject({ status: 'awaiting_code' });
      // A login of a session that never was logged in leaves nothing.
      await api.must(api.delete(`/v1/user/${other.id}/login`));
      expect((await api.get(`/v1/user/${other.id}`)).status).toBe(404);
    },
  );

  it('begins one login when it is asked for twice at once', async () => {
    const { path, phone } = await loggedOut();
    const before = telegram.control.accounts.codes(phone).length;
    const answers = await Promise.all([login(path), login(path)]);
    expect(answers.map(({ status }) => status).toSorted()).toEqual([200, 409]);
    expect(telegram.control.accounts.codes(phone)).toHaveLength(before + 1);
  });

  it('is what it was before when its worker is stopped during the login', async () => {
    const { path, id } = await loggedOut();
    const before = await api.state(path);
    await api.must(login(path));
    await app.app.close();
    const [row] = await app.database.query<{ status: string; last_error: string; former_status: string | null }>(
      `SELECT status, last_error, former_status FROM sessions WHERE id = '${id}'`,
    );
    expect(row).toEqual({
      status: before['status'],
      last_error: 'the worker was stopped during the login: log in again',
      former_status: null,
    });
    await restart();
    expect(await api.must(login(path))).toMatchObject({ status: 'awaiting_code' });
  });

  it.each(['phone', 'qr'])('that has expired in the middle of a login begins anew by %s', async (method) => {
    const { phone, userId } = telegram.control.createAccount({ phone: newPhone(), firstName: 'A' });
    const { id } = await api.must(api.post('/v1/user', { app_id: appId, phone }));
    const path = `/v1/user/${id}`;
    await app.app.close();
    await restart();
    expect(await api.state(path)).toMatchObject({ status: 'expired' });
    const begun = await api.must(login(path, { method }));
    if (method === 'qr') {
      telegram.control.accounts.scanQr(userId, (begun['qr'] as { link: string }).link);
    } else {
      expect(telegram.control.accounts.codes(phone)).toHaveLength(2);
      await api.must(code(path, phone));
    }
    expect(await api.becomes(path, 'authorized')).toMatchObject({ id, me: { id: userId } });
  });

  it('names no network in what a failed login leaves behind, but in its health', async () => {
    const { path, id } = await loggedOut();
    const proxy = await api.must(api.post('/v1/proxies', { type: 'socks5', host: '127.0.0.1', port: 1 }));
    await api.must(api.patch(path, { proxy_id: proxy['proxy_id'] }));
    const refused = await login(path);
    expect([refused.status, refused.body.error?.['code']]).toEqual([504, 'connection_failed']);
    expect(refused.body.error?.['message']).toContain('127.0.0.1:1');
    expect(await api.state(path)).toMatchObject({
      id,
      status: 'logged_out',
      last_error: 'Telegram could not be reached',
      health: 'down',
      health_cause: expect.stringContaining('127.0.0.1:1') as string,
    });
    await api.must(api.patch(path, { proxy_id: null }));
    expect(await api.must(login(path))).toMatchObject({ status: 'awaiting_code', health: 'ok' });
  });

  it.each([
    ['a flood', { code: 420, message: 'FLOOD_WAIT_3600' }, 429],
    ['a banned number', { code: 400, message: 'PHONE_NUMBER_BANNED' }, 400],
  ])('is what it was before, and says why, after %s', async (_what, error, status) => {
    const { path, id, phone } = await loggedOut();
    const before = await api.state(path);
    telegram.control.addFault({ method: 'auth.sendCode', phone, error, times: 1 });
    const refused = await login(path);
    expect([refused.status, refused.body.error?.['source']]).toEqual([status, 'tdlib']);
    const after = await api.state(path);
    expect(after).toMatchObject({ id, status: 'logged_out', since: before['since'] });
    expect(String(after['last_error'])).toMatch(/^tdlib \d+: /);
    expect(await api.must(login(path))).toMatchObject({ status: 'awaiting_code' });
  });

  it('takes no other account, and ends what that logged in', async () => {
    const { path, userId, phone } = await loggedOut();
    const other = telegram.control.createAccount({ phone: newPhone(), firstName: 'Other' });
    const begun = await api.must(login(path, { method: 'qr' }));
    telegram.control.accounts.scanQr(other.userId, (begun['qr'] as { link: string }).link);
    const after = await api.becomes(path, 'logged_out');
    expect(after['last_error']).toContain('another account');
    await until('the end of the other login', () => telegram.control.accounts.account(other.userId).sessions === 0);
    await api.must(login(path));
    expect(await api.must(code(path, phone))).toMatchObject({ status: 'authorized', me: { id: userId } });
  });

  it('tells whoever gives the last answer that it was another account', async () => {
    const { path } = await loggedOut();
    const other = telegram.control.createAccount({ phone: newPhone(), firstName: 'Other', password: 'pw' });
    const begun = await api.must(login(path, { method: 'qr' }));
    telegram.control.accounts.scanQr(other.userId, (begun['qr'] as { link: string }).link);
    await api.becomes(path, 'awaiting_password');
    const refused = await api.post(`${path}/login/password`, { password: 'pw' });
    expect([refused.status, refused.body.error?.['code']]).toEqual([409, 'other_account']);
    expect(await api.becomes(path, 'logged_out')).toMatchObject({ last_error: refused.body.error?.['message'] });
  });

  it('keeps its worker-side folder only while it is of use', async () => {
    const { path, id } = await loggedOut();
    await until('the folder to be removed', () => !existsSync(join(app.dataDir, 'sessions', id)));
    await api.must(login(path));
    expect(existsSync(join(app.dataDir, 'sessions', id))).toBe(true);
    await api.must(api.delete(path));
    expect(existsSync(join(app.dataDir, 'sessions', id))).toBe(false);
  });

  it('asks for a login when its database is damaged, and goes on when only what can be fetched again is', async () => {
    const { path, id, userId } = await loginUser(api, telegram, appId, newPhone());
    const database = join(app.dataDir, 'sessions', id, 'db');
    const damage = (kind: RegExp): void =>
      readdirSync(database)
        .filter((name) => kind.test(name))
        .forEach((name) => writeFileSync(join(database, name), Buffer.alloc(65_536, 'damaged')));
    await api.must(api.post(`${path}/stop`));
    damage(/\.sqlite$/);
    expect(await api.must(api.post(`${path}/start`))).toMatchObject({ status: 'authorized' });
    expect((await api.call(path, 'getMe')).body.result).toMatchObject({ id: userId });
    await api.must(api.post(`${path}/stop`));
    damage(/\.binlog$/);
    await api.post(`${path}/start`);
    expect(await api.becomes(path, 'expired')).toMatchObject({
      health_cause: 'the authorization is gone from the database: log in again',
    });
  });

  it('can log in again when Telegram has lifted a ban', async () => {
    const phone = newPhone();
    const { path, userId } = await loginUser(api, telegram, appId, phone);
    telegram.control.accounts.ban(userId);
    await api.becomes(path, 'banned');
    const refused = await login(path);
    expect(refused.body.error).toMatchObject({ source: 'tdlib', message: 'PHONE_NUMBER_BANNED' });
    expect(await api.state(path)).toMatchObject({ status: 'banned', last_error: 'tdlib 400: PHONE_NUMBER_BANNED' });
    telegram.control.accounts.unban(userId);
    await api.must(login(path));
    expect(await api.must(code(path, phone))).toMatchObject({ status: 'authorized' });
  });

  describe('of a bot', () => {
    let bots = 0;
    const newBot = async (): Promise<{ path: string; id: string; userId: number; token: string }> => {
      const { token, userId } = telegram.control.createBot({ username: `again_${(bots += 1)}_bot` });
      const { id } = await api.must(api.post('/v1/bot', { token, app_id: appId }));
      return { path: `/v1/bot/${id}`, id, userId, token };
    };
    const ready = (path: string): Promise<unknown> =>
      until('the bot to answer', async () => (await api.call(path, 'getMe')).status === 200);

    it('is brought back by its token, without anybody asking', async () => {
      const { path, id, userId } = await newBot();
      telegram.control.accounts.terminateSessions(userId);
      await until('the end', async () => (await api.state(path))['status'] !== 'authorized');
      await ready(path);
      expect(await api.state(path)).toMatchObject({ id, status: 'authorized', me: { id: userId } });
      expect(await api.state(path)).not.toHaveProperty('last_error');
    });

    it('is left alone when the token is revoked, and takes a new one', async () => {
      const { path, userId, token } = await newBot();
      telegram.control.addFault({
        method: 'auth.importBotAuthorization',
        error: { code: 400, message: 'ACCESS_TOKEN_EXPIRED' },
      });
      telegram.control.accounts.terminateSessions(userId);
      const gone = await api.becomes(path, 'logged_out');
      expect(gone['last_error']).toBe(
        'Telegram refuses the stored token (ACCESS_TOKEN_EXPIRED): log in with a new one',
      );
      const tries = telegram.control.faults()[0]?.hits;
      expect(tries).toBe(1);
      const refused = await login(path);
      expect(refused.body.error).toMatchObject({ source: 'tdlib', message: 'ACCESS_TOKEN_EXPIRED' });
      expect(await api.state(path)).toMatchObject({
        status: 'logged_out',
        last_error: 'tdlib 400: ACCESS_TOKEN_EXPIRED',
      });
      telegram.control.removeFault();
      const foreign = await login(path, { token: '77:of-another-bot' });
      expect([foreign.status, foreign.body.error?.['code']]).toEqual([409, 'other_account']);
      expect(await api.must(login(path, { token }))).toMatchObject({ status: 'authorized', me: { id: userId } });
      await ready(path);
    });

    it('comes back when the process starts without its folder', async () => {
      const { path, id, userId } = await newBot();
      await app.app.close();
      rmSync(join(app.dataDir, 'sessions', id), { recursive: true });
      await restart();
      await ready(path);
      expect(await api.state(path)).toMatchObject({ id, status: 'authorized', me: { id: userId } });
    });

    it('comes back although the answer was lost that it had been claimed to log in', async () => {
      const { path, userId } = await newBot();
      const repository = app.app.get(SessionsRepository);
      const claim = repository.claim.bind(repository);
      let isLost = false;
      jest.spyOn(repository, 'claim').mockImplementation(async (...claimed) => {
        const answer = await claim(...claimed);
        if (isLost || answer.length === 0) return answer;
        isLost = true;
        throw new Error('the connection is gone');
      });
      try {
        telegram.control.accounts.terminateSessions(userId);
        await until('the loss', () => isLost);
        expect(await api.state(path)).toMatchObject({ status: 'connecting' });
        await ready(path);
        expect(await api.state(path)).not.toHaveProperty('last_error');
      } finally {
        jest.restoreAllMocks();
      }
    });

    it('comes back when it is started after its folder was lost while it was stopped', async () => {
      const { path, id, userId } = await newBot();
      await api.must(api.post(`${path}/stop`));
      rmSync(join(app.dataDir, 'sessions', id), { recursive: true });
      expect(await api.must(api.post(`${path}/start`))).toMatchObject({ id, status: 'authorized', health: 'ok' });
      await ready(path);
      expect(await api.state(path)).toMatchObject({ id, me: { id: userId } });
    });

    it('comes back when its database is damaged', async () => {
      const { path, id } = await newBot();
      await api.must(api.post(`${path}/stop`));
      writeFileSync(join(app.dataDir, 'sessions', id, 'db', 'td.binlog'), Buffer.alloc(4_096, 'damaged'));
      await api.must(api.post(`${path}/start`));
      await ready(path);
    });

    it('tries again as late as Telegram asks, and says so meanwhile', async () => {
      const { path, id, userId } = await newBot();
      const error = { code: 420, message: 'FLOOD_WAIT_3600' };
      telegram.control.addFault({ method: 'auth.importBotAuthorization', error });
      telegram.control.accounts.terminateSessions(userId);
      const refused = await until('the refusal', async () => {
        const seen = await api.state(path);
        return String(seen['last_error']).includes('retry after') && seen['status'] === 'expired' && seen;
      });
      expect(refused['last_error']).toMatch(/^tdlib 429: Too Many Requests: retry after \d+$/);
      const wait = await until('the time of the next attempt', async () => {
        const [row] = await app.database.query<{ wait: number | null }>(
          `SELECT extract(epoch FROM login_again_at - now())::int AS wait FROM sessions WHERE id = '${id}'`,
        );
        return row?.wait ?? undefined;
      });
      expect(wait).toBeGreaterThan(3_400);
      expect(telegram.control.faults()[0]?.hits).toBe(1);
      telegram.control.removeFault();
      await app.database.query(`UPDATE sessions SET login_again_at = now() WHERE id = '${id}'`);
      await ready(path);
    });

    it('is not repeated when what it logged in for is lost again at once', async () => {
      const { path, userId } = await newBot();
      telegram.control.accounts.terminateSessions(userId);
      await until('the end', async () => (await api.state(path))['status'] !== 'authorized');
      await ready(path);
      telegram.control.accounts.terminateSessions(userId);
      expect(await api.becomes(path, 'logged_out')).toMatchObject({
        last_error: expect.stringContaining('right after the bot had logged in by itself') as string,
      });
    });

    it('is banned when Telegram says so', async () => {
      const { path, userId } = await newBot();
      telegram.control.accounts.ban(userId);
      expect(await api.becomes(path, 'banned')).toMatchObject({
        last_error: expect.stringContaining('USER_DEACTIVATED_BAN') as string,
      });
    });
  });
});
