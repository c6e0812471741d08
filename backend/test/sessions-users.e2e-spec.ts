import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { startApp, type TestApp } from './support/app.js';
import { type Answer, ApiClient, startTelegram, type TestTelegram } from './support/telegram.js';
import { until } from './support/until.js';

describe('user sessions', () => {
  let telegram: TestTelegram;
  let app: TestApp;
  let api: ApiClient;
  let appId: string;
  let accounts = 0;

  const newAccount = (more: object = {}): { userId: number; phone: string } => {
    accounts += 1;
    return telegram.control.createAccount({
      phone: `1555010${String(accounts).padStart(4, '0')}`,
      firstName: 'A',
      ...more,
    });
  };
  const begin = (phone: string): Promise<Answer> => api.post('/v1/user', { app_id: appId, phone });
  const newestCode = (phone: string): string => telegram.control.newestCode(phone);
  const count = async (): Promise<number> => (await api.sessions()).length;

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

  it('log in by code, however it is typed', async () => {
    const { phone, userId } = newAccount();
    const began = await api.must(begin(`+${phone.slice(0, 1)} (${phone.slice(1, 4)}) ${phone.slice(4)}`));
    expect(began).toMatchObject({ status: 'awaiting_code', code_info: { '@type': 'authenticationCodeInfo' } });
    expect(Date.parse(String((began['code_info'] as Record<string, unknown>)['resend_at']))).not.toBeNaN();
    const code = newestCode(phone);
    const typed = `${code.slice(0, 2)} - ${code.slice(2)}`;
    const done = await api.must(api.post(`/v1/user/${began.id}/login/code`, { code: typed }));
    expect(done).toMatchObject({ status: 'authorized', phone, me: { id: userId } });
    expect(done).not.toHaveProperty('last_error');
    expect((await api.call(`/v1/user/${began.id}`, 'getMe')).body.result).toMatchObject({ id: userId });
    await api.lists(began.id, { kind: 'user', status: 'authorized', phone });
  });

  it('keep the attempt through wrong codes and passwords, in the words of Telegram', async () => {
    const { phone } = newAccount({ password: 'correct horse', passwordHint: 'what horse' });
    const { id } = await api.must(begin(phone));
    const wrong = await api.post(`/v1/user/${id}/login/code`, { code: '00000' });
    expect(wrong.status).toBe(400);
    expect(wrong.body.error).toMatchObject({ source: 'tdlib', code: 400, message: 'PHONE_CODE_INVALID' });
    expect((await api.get(`/v1/user/${id}`)).body.result).toMatchObject({
      status: 'awaiting_code',
      last_error: 'tdlib 400: PHONE_CODE_INVALID',
    });
    const early = await api.post(`/v1/user/${id}/login/password`, { password: 'correct horse' });
    expect([early.status, early.body.error?.['code']]).toEqual([409, 'session_not_ready']);
    const asked = await api.must(api.post(`/v1/user/${id}/login/code`, { code: newestCode(phone) }));
    expect(asked).toMatchObject({ status: 'awaiting_password', password_hint: 'what horse' });
    const refused = await api.post(`/v1/user/${id}/login/password`, { password: 'wrong' });
    expect(refused.body.error).toMatchObject({ source: 'tdlib', message: 'PASSWORD_HASH_INVALID' });
    const done = await api.must(api.post(`/v1/user/${id}/login/password`, { password: 'correct horse' }));
    expect(done).toMatchObject({ status: 'authorized' });
    expect(telegram.control.accounts.codes(phone)).toHaveLength(1);
  });

  it('can have the code sent again', async () => {
    const { phone } = newAccount();
    const { id } = await api.must(begin(phone));
    const before = telegram.control.accounts.codes(phone).length;
    const resent = await api.post(`/v1/user/${id}/login/resend`);
    // Telegram may find it too early; then it says so, and the login goes on waiting.
    if (resent.status === 200) {
      expect(resent.body.result).toMatchObject({ status: 'awaiting_code' });
      expect(telegram.control.accounts.codes(phone).length).toBeGreaterThan(before);
    } else {
      expect(resent.body.error).toMatchObject({ source: 'tdlib' });
    }
    const done = await api.must(api.post(`/v1/user/${id}/login/code`, { code: newestCode(phone) }));
    expect(done).toMatchObject({ status: 'authorized' });
  });

  it.each([
    ['a number that Telegram does not know', { code: 400, message: 'PHONE_NUMBER_INVALID' }, 400],
    ['a banned number', { code: 400, message: 'PHONE_NUMBER_BANNED' }, 400],
    ['a flood', { code: 420, message: 'FLOOD_WAIT_3600' }, 429],
  ])("leave Telegram's refusal and no row for %s", async (_what, error, status) => {
    const { phone } = newAccount();
    telegram.control.addFault({ method: 'auth.sendCode', error, times: 1 });
    const before = await count();
    const answer = await begin(phone);
    expect(answer.status).toBe(status);
    expect(answer.body.error).toMatchObject({ source: 'tdlib' });
    if (status === 429) {
      expect(answer.body.error?.['retry_after']).toBe(3600);
      expect(answer.headers['retry-after']).toBe('3600');
    }
    expect(await count()).toBe(before);
    expect(readdirSync(join(app.dataDir, 'sessions'))).toHaveLength(before);
    // The number is free for the next attempt.
    expect(await api.must(begin(phone))).toMatchObject({ status: 'awaiting_code' });
  });

  it('refuse what cannot be a number before anybody is asked', async () => {
    const { status, body } = await begin('call me');
    expect([status, body.error?.['code']]).toEqual([400, 'validation_failed']);
    expect(body.error?.['details']).toMatchObject({ issues: [{ path: 'phone' }] });
  });

  it('send one code when the same number is begun twice at once, and name the login to go on with', async () => {
    const { phone } = newAccount();
    const answers = await Promise.all([begin(`+${phone}`), begin(`00${phone}`)]);
    const [won, lost] = answers.toSorted((a, b) => a.status - b.status);
    expect([won?.status, lost?.status]).toEqual([200, 409]);
    expect(lost?.body.error).toMatchObject({ code: 'login_in_progress', session_id: won?.body.result?.id });
    expect(telegram.control.accounts.codes(phone)).toHaveLength(1);
  });

  it('may be several for one number, with a warning', async () => {
    const { phone } = newAccount();
    const first = await api.must(begin(phone));
    await api.must(api.post(`/v1/user/${first.id}/login/code`, { code: newestCode(phone) }));
    const second = await api.must(begin(phone));
    expect(second['warnings']).toEqual([expect.stringContaining(first.id)]);
  });

  it('cancel a login at once, even while Telegram is asked', async () => {
    const { phone } = newAccount();
    const { id } = await api.must(begin(phone));
    telegram.control.addFault({ method: 'auth.signIn', hang: true });
    const pending = api.post(`/v1/user/${id}/login/code`, { code: newestCode(phone) });
    await until('the question to Telegram', () => telegram.control.faults()[0]?.hits === 1);
    const began = Date.now();
    expect(await api.must(api.delete(`/v1/user/${id}`))).toMatchObject({ status: 'deleted' });
    // Telegram's verdict is waited for 20 s.
    expect(Date.now() - began).toBeLessThan(18_000);
    const answered = await pending;
    expect([answered.status, answered.body.error?.['code']]).toEqual([503, 'session_closed']);
    expect(existsSync(join(app.dataDir, 'sessions', id))).toBe(false);
    telegram.control.removeFault();
    expect(await api.must(begin(phone))).toMatchObject({ status: 'awaiting_code' });
  });

  it('tell who began a login that it was cancelled, when it is deleted while Telegram is still asked', async () => {
    const { phone } = newAccount();
    telegram.control.addFault({ method: 'auth.sendCode', hang: true });
    const begun = begin(phone).then((answer) => answer);
    await until('the question to Telegram', () => telegram.control.faults()[0]?.hits === 1);
    const { id } = await until('the login in the list', async () =>
      (await api.sessions()).find((each) => each['status'] === 'connecting'),
    );
    expect(await api.must(api.delete(`/v1/user/${String(id)}`))).toMatchObject({ status: 'deleted' });
    const { status, body } = await begun;
    expect([status, body.error?.['code']]).toEqual([409, 'login_cancelled']);
    expect(existsSync(join(app.dataDir, 'sessions', String(id)))).toBe(false);
  });

  it('log in by QR code, with a second step too', async () => {
    const { userId } = newAccount({ password: 'pw', passwordHint: 'hint' });
    const began = await api.must(api.post('/v1/user', { app_id: appId, method: 'qr' }));
    expect(began).toMatchObject({
      status: 'awaiting_qr',
      qr: { link: expect.stringMatching(/^tg:\/\/login\?token=/) as string },
    });
    telegram.control.accounts.scanQr(userId, (began['qr'] as { link: string }).link);
    const waiting = await until('the second step', async () => {
      const { result } = (await api.get(`/v1/user/${began.id}`)).body;
      return result?.['status'] === 'awaiting_password' && result;
    });
    expect(waiting).toMatchObject({ password_hint: 'hint' });
    const done = await api.must(api.post(`/v1/user/${began.id}/login/password`, { password: 'pw' }));
    expect(done).toMatchObject({ status: 'authorized', me: { id: userId } });
  });

  it.each([
    ['terminated elsewhere', 'logged_out', (id: number) => telegram.control.accounts.terminateSessions(id)],
    ['banned', 'banned', (id: number) => telegram.control.accounts.ban(id)],
  ] as const)('notice at once that they were %s, and hang no call', async (_what, status, end) => {
    const { phone, userId } = newAccount();
    const { id } = await api.must(begin(phone));
    await api.must(api.post(`/v1/user/${id}/login/code`, { code: newestCode(phone) }));
    end(userId);
    const ended = await until('the end', async () => {
      const listed = (await api.sessions()).find((session) => session['id'] === id);
      return listed?.['status'] !== 'authorized' && listed;
    });
    expect(ended).toMatchObject({ status, last_error: expect.any(String) as string });
    const refused = await api.call(`/v1/user/${id}`, 'getMe');
    expect([refused.status, refused.body.error]).toEqual([
      409,
      expect.objectContaining({ code: 'session_not_ready', details: { status } }),
    ]);
    expect((await api.get(`/v1/user/${id}`)).body.result).toMatchObject({ status });
    expect(await api.must(api.delete(`/v1/user/${id}`))).toMatchObject({ status: 'deleted' });
  });

  it('tell that the account is frozen, and that it thawed', async () => {
    const { phone, userId } = newAccount({ premium: true });
    const { id } = await api.must(begin(phone));
    await api.must(api.post(`/v1/user/${id}/login/code`, { code: newestCode(phone) }));
    const state = (): Promise<Record<string, unknown>> => api.state(`/v1/user/${id}`);
    await until('premium', async () => (await state())['is_premium'] === true);
    telegram.control.accounts.freeze(userId);
    await until('the freeze', async () => (await state())['frozen'] === true);
    telegram.control.accounts.unfreeze(userId);
    await until('the thaw', async () => (await state())['frozen'] === false);
  });
});
