import { startApp, type TestApp } from './support/app.js';
import { type Answer, ApiClient, startTelegram, type TestTelegram } from './support/telegram.js';
import { until } from './support/until.js';

describe('logins of users', () => {
  let telegram: TestTelegram;
  let app: TestApp;
  let api: ApiClient;
  let appId: string;
  let accounts = 0;

  const newAccount = (more: object = {}): { userId: number; phone: string } =>
    telegram.control.createAccount({
      phone: `1555020${String((accounts += 1)).padStart(4, '0')}`,
      firstName: 'A',
      ...more,
    });
  const begin = async (phone: string): Promise<string> => {
    const { id } = await api.must(api.post('/v1/user', { app_id: appId, phone }));
    return `/v1/user/${id}`;
  };
  const newest = (phone: string): string => telegram.control.newestCode(phone);
  const answer = (path: string, step: string, body: object = {}): Promise<Answer> =>
    api.post(`${path}/login/${step}`, body);
  const refusalOf = async (asked: Promise<Answer>): Promise<unknown[]> => {
    const { status, body } = await asked;
    return [status, body.error?.['source'], body.error?.['message']];
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

  it('go on through three wrong codes and three wrong passwords, with the one code that was sent', async () => {
    const { phone } = newAccount({ password: 'correct', passwordHint: 'hint' });
    const path = await begin(phone);
    for (const code of ['00000', '00001', '00002']) {
      expect(await refusalOf(answer(path, 'code', { code }))).toEqual([400, 'tdlib', 'PHONE_CODE_INVALID']);
      expect(await api.state(path)).toMatchObject({
        status: 'awaiting_code',
        last_error: 'tdlib 400: PHONE_CODE_INVALID',
      });
    }
    const second = await api.must(answer(path, 'code', { code: newest(phone) }));
    expect(second).toMatchObject({ status: 'awaiting_password', password_hint: 'hint', has_recovery_email: false });
    expect(second).not.toHaveProperty('last_error');
    for (const password of ['a', 'b', 'c']) {
      expect(await refusalOf(answer(path, 'password', { password }))).toEqual([400, 'tdlib', 'PASSWORD_HASH_INVALID']);
    }
    expect(await api.must(answer(path, 'password', { password: 'correct' }))).toMatchObject({ status: 'authorized' });
    expect(telegram.control.accounts.codes(phone)).toHaveLength(1);
  });

  it.each([
    ['code', 'auth.signIn', { code: '00000' }],
    ['password', 'auth.checkPassword', { password: 'x' }],
  ])('tell how long to wait when Telegram wants no %s for now, and go on afterwards', async (step, method, body) => {
    const { phone } = newAccount({ password: 'pw' });
    const path = await begin(phone);
    if (step === 'password') {
      await api.must(answer(path, 'code', { code: newest(phone) }));
    }
    telegram.control.addFault({ method, error: { code: 420, message: 'FLOOD_WAIT_3600' }, times: 1 });
    const refused = await answer(path, step, body);
    expect([refused.status, refused.body.error?.['retry_after'], refused.headers['retry-after']]).toEqual([
      429,
      3600,
      '3600',
    ]);
    expect(await api.state(path)).toMatchObject({ status: `awaiting_${step}` });
    if (step === 'code') {
      await api.must(answer(path, 'code', { code: newest(phone) }));
    }
    expect(await api.must(answer(path, 'password', { password: 'pw' }))).toMatchObject({ status: 'authorized' });
  });

  it('have the code sent the next way, and tell when there is no other', async () => {
    const { phone } = newAccount();
    const path = await begin(phone);
    const first = (await api.state(path))['code_info'] as Record<string, Record<string, unknown>>;
    expect(first['type']).toMatchObject({ '@type': 'authenticationCodeTypeSms' });
    expect(first['next_type']).toMatchObject({ '@type': 'authenticationCodeTypeCall' });
    const resent = await api.must(answer(path, 'resend'));
    expect((resent['code_info'] as Record<string, unknown>)['type']).toMatchObject({
      '@type': 'authenticationCodeTypeCall',
    });
    expect(telegram.control.accounts.codes(phone)).toHaveLength(2);
    const [status, source] = await refusalOf(answer(path, 'resend'));
    expect([status, source]).toEqual([400, 'tdlib']);
    expect(await api.state(path)).toMatchObject({ status: 'awaiting_code' });
    expect(await api.must(answer(path, 'code', { code: newest(phone) }))).toMatchObject({ status: 'authorized' });
  });

  it("pass Telegram's word on when it is too early to send the code again, and go on", async () => {
    const { phone } = newAccount();
    const path = await begin(phone);
    telegram.control.addFault({ method: 'auth.resendCode', error: { code: 420, message: 'FLOOD_WAIT_90' }, times: 1 });
    const refused = await answer(path, 'resend');
    expect([refused.status, refused.body.error?.['retry_after']]).toEqual([429, 90]);
    expect(await api.must(answer(path, 'code', { code: newest(phone) }))).toMatchObject({ status: 'authorized' });
  });

  it('set an email address up when Telegram wants one, through refused addresses and codes', async () => {
    const { phone } = newAccount({ email: '' });
    const path = await begin(phone);
    expect(await api.state(path)).toMatchObject({ status: 'awaiting_email' });
    expect((await answer(path, 'email', { email: 'not an address' })).body.error).toMatchObject({
      code: 'validation_failed',
    });
    expect(await refusalOf(answer(path, 'email', { email: 'a@nowhere' }))).toEqual([400, 'tdlib', 'EMAIL_INVALID']);
    expect(await api.state(path)).toMatchObject({ status: 'awaiting_email' });
    expect(await api.must(answer(path, 'email', { email: 'a@example.org' }))).toMatchObject({
      status: 'awaiting_email_code',
    });
    expect(await refusalOf(answer(path, 'email-code', { code: '000000' }))).toEqual([400, 'tdlib', 'CODE_INVALID']);
    let seen = await api.must(answer(path, 'email-code', { code: newest(phone) }));
    if (seen['status'] === 'awaiting_email_code') {
      // The address is set up; now the login code itself comes there.
      seen = await api.must(answer(path, 'email-code', { code: newest(phone) }));
    }
    expect(seen).toMatchObject({ status: 'authorized' });
  });

  it('take the code that came by mail, with spaces in it', async () => {
    const { phone } = newAccount({ email: 'name@example.org' });
    const path = await begin(phone);
    expect(await api.state(path)).toMatchObject({ status: 'awaiting_email_code' });
    expect((await answer(path, 'email-code', { code: '00000' })).status).toBe(400);
    const code = newest(phone).split('').join(' ');
    expect(await api.must(answer(path, 'email-code', { code }))).toMatchObject({ status: 'authorized' });
  });

  it('register a number that has no account, through a refused name', async () => {
    const { phone } = newAccount({ registered: false });
    const path = await begin(phone);
    expect(await api.must(answer(path, 'code', { code: newest(phone) }))).toMatchObject({
      status: 'awaiting_registration',
    });
    telegram.control.addFault({ method: 'auth.signUp', error: { code: 400, message: 'FIRSTNAME_INVALID' }, times: 1 });
    expect(await refusalOf(answer(path, 'register', { first_name: 'A' }))).toEqual([400, 'tdlib', 'FIRSTNAME_INVALID']);
    expect(await api.state(path)).toMatchObject({ status: 'awaiting_registration' });
    expect(await api.must(answer(path, 'register', { first_name: 'Ada', last_name: 'L' }))).toMatchObject({
      status: 'authorized',
      me: { first_name: 'Ada', last_name: 'L' },
    });
  });

  describe('whose password is forgotten', () => {
    const atPassword = async (more: object = {}): Promise<{ path: string; phone: string; userId: number }> => {
      const account = newAccount({ password: 'forgotten', recoveryEmail: 'name@example.org', ...more });
      const path = await begin(account.phone);
      await api.must(answer(path, 'code', { code: newest(account.phone) }));
      return { ...account, path };
    };

    it('have a code sent by mail, and set a new password with it', async () => {
      const { path, phone, userId } = await atPassword();
      expect(await api.state(path)).toMatchObject({ status: 'awaiting_password', has_recovery_email: true });
      const asked = await api.must(answer(path, 'recover'));
      expect(asked).toMatchObject({ status: 'awaiting_password', email_pattern: 'n***e@example.org' });
      expect(await api.state(path)).toMatchObject({ email_pattern: 'n***e@example.org' });
      const wrong = await refusalOf(answer(path, 'recover', { code: '000000', new_password: 'new' }));
      expect(wrong).toEqual([400, 'tdlib', 'CODE_INVALID']);
      expect(await api.state(path)).toMatchObject({
        status: 'awaiting_password',
        email_pattern: 'n***e@example.org',
        last_error: 'tdlib 400: CODE_INVALID',
      });
      const code = newest(phone);
      const body = { code: `${code.slice(0, 3)} ${code.slice(3)}`, new_password: 'new', new_hint: 'a new hint' };
      expect(await api.must(answer(path, 'recover', body))).toMatchObject({ status: 'authorized', me: { id: userId } });
      const again = await begin(phone);
      const asks = await api.must(answer(again, 'code', { code: newest(phone) }));
      expect(asks).toMatchObject({ status: 'awaiting_password', password_hint: 'a new hint' });
      expect(await api.must(answer(again, 'password', { password: 'new' }))).toMatchObject({ status: 'authorized' });
    });

    it('may go on without a password', async () => {
      const { path, phone } = await atPassword();
      await api.must(answer(path, 'recover'));
      expect(await api.must(answer(path, 'recover', { code: newest(phone) }))).toMatchObject({ status: 'authorized' });
      const again = await begin(phone);
      expect(await api.must(answer(again, 'code', { code: newest(phone) }))).toMatchObject({ status: 'authorized' });
    });

    it('can still remember it', async () => {
      const { path } = await atPassword();
      await api.must(answer(path, 'recover'));
      expect(await api.must(answer(path, 'password', { password: 'forgotten' }))).toMatchObject({
        status: 'authorized',
      });
    });

    it("get Telegram's refusal when there is no address, and go on waiting for the password", async () => {
      const { path } = await atPassword({ recoveryEmail: undefined });
      expect(await refusalOf(answer(path, 'recover'))).toEqual([400, 'tdlib', 'PASSWORD_RECOVERY_NA']);
      expect(await api.must(answer(path, 'password', { password: 'forgotten' }))).toMatchObject({
        status: 'authorized',
      });
    });

    it('need to be asked for a password first', async () => {
      const path = await begin(newAccount().phone);
      const { status, body } = await answer(path, 'recover');
      expect([status, body.error?.['code'], body.error?.['details']]).toEqual([
        409,
        'session_not_ready',
        { status: 'awaiting_code' },
      ]);
    });
  });

  it.each([
    ['awaiting_code', {}, []],
    ['awaiting_password', { password: 'pw' }, ['code']],
    ['awaiting_email', { email: '' }, []],
    ['awaiting_email_code', { email: 'name@example.org' }, []],
    ['awaiting_registration', { registered: false }, ['code']],
  ] as const)('in %s can be cancelled, and their number is free at once', async (status, more, steps) => {
    const { phone } = newAccount(more);
    const path = await begin(phone);
    for (const step of steps) {
      await api.must(answer(path, step, { code: newest(phone) }));
    }
    expect(await api.state(path)).toMatchObject({ status });
    await api.must(api.delete(path));
    const again = await begin(phone);
    expect((await api.state(again))['status']).toMatch(/^awaiting_/);
    await api.must(api.delete(again));
  });

  it('by QR code go on with new links for as long as nobody scans, and end when they are cancelled', async () => {
    telegram.control.setQrLifetime(1);
    try {
      const began = await api.must(api.post('/v1/user', { app_id: appId, method: 'qr' }));
      const path = `/v1/user/${began.id}`;
      const links = new Set<string>();
      await until('five links', async () => {
        const { status, qr } = (await api.state(path)) as {
          status: string;
          qr: { link: string; expires_at: string };
        };
        expect(status).toBe('awaiting_qr');
        links.add(qr.link);
        return links.size >= 5;
      });
      // What was shown for how long tells how long the present link is good.
      const { qr } = (await api.state(path)) as { qr: { expires_at: string } };
      expect(Date.parse(qr.expires_at) - Date.now()).toBeLessThan(5_000);
      await api.must(api.delete(path));
      expect((await api.get(path)).status).toBe(404);
    } finally {
      telegram.control.setQrLifetime(30);
    }
  });

  it('take null for no proxy, as bots do', async () => {
    const { phone } = newAccount();
    const user = await api.must(api.post('/v1/user', { app_id: appId, phone, proxy_id: null }));
    expect(user).toMatchObject({ status: 'awaiting_code' });
    const { token } = telegram.control.createBot({ username: 'no_proxy_bot' });
    const bot = await api.must(api.post('/v1/bot', { app_id: appId, token, proxy_id: null }));
    expect(bot).toMatchObject({ status: 'authorized' });
    expect((await api.post('/v1/bot', { app_id: appId, token, proxy_id: 5 })).status).toBe(400);
  });

  it('tell an expired code from a wrong one', async () => {
    const { phone } = newAccount();
    const path = await begin(phone);
    const code = newest(phone);
    telegram.control.advanceClock(600);
    expect(await refusalOf(answer(path, 'code', { code }))).toEqual([400, 'tdlib', 'PHONE_CODE_EXPIRED']);
    expect(await api.state(path)).toMatchObject({ last_error: 'tdlib 400: PHONE_CODE_EXPIRED' });
    await api.must(api.delete(path));
    const again = await begin(phone);
    expect(await api.must(answer(again, 'code', { code: newest(phone) }))).toMatchObject({ status: 'authorized' });
  });
});
