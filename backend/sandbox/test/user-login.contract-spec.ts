import type { Driver, TdObject } from './driver.js';
import { WorldFixture } from './world-fixture.js';

const WAIT_PHONE = 'authorizationStateWaitPhoneNumber';
const WAIT_CODE = 'authorizationStateWaitCode';
const WAIT_PASSWORD = 'authorizationStateWaitPassword';
const READY = 'authorizationStateReady';

const phoneNumber = (phone: string): TdObject => ({ '@type': 'setAuthenticationPhoneNumber', phone_number: phone });
const code = (value: string): TdObject => ({ '@type': 'checkAuthenticationCode', code: value });
const password = (value: string): TdObject => ({ '@type': 'checkAuthenticationPassword', password: value });

describe('the login of a user with the real TDLib', () => {
  const fixture = new WorldFixture();
  let phones = 0;

  beforeAll(() => fixture.start());
  afterAll(() => fixture.stop());
  beforeEach(() => {
    fixture.control.removeFault();
  });

  /** A number nobody used yet, with an account unless told otherwise. */
  function newPhone(account: object = {}): string {
    phones += 1;
    const phone = `1555100${String(phones).padStart(4, '0')}`;
    fixture.control.createAccount({ phone, ...account });
    return phone;
  }

  async function openAtCode(phone: string): Promise<{ user: Driver; state: TdObject }> {
    const user = await fixture.open();
    await user.waitForState(WAIT_PHONE);
    await user.request(phoneNumber(phone));
    return { user, state: await user.waitForState(WAIT_CODE) };
  }

  it('takes the code that was sent', async () => {
    const phone = newPhone({ firstName: 'Ada' });
    const { user } = await openAtCode(phone);
    await user.request(code(fixture.control.newestCode(phone)));
    await user.waitForState(READY);
    expect(await user.request({ '@type': 'getMe' })).toMatchObject({ first_name: 'Ada', phone_number: phone });
  });

  it('refuses wrong codes three times and then takes the right one of the same attempt', async () => {
    const phone = newPhone({ code: '12345' });
    const { user } = await openAtCode(phone);
    for (const wrong of ['11111', '22222', '33333']) {
      await expect(user.request(code(wrong))).rejects.toMatchObject({ code: 400, message: 'PHONE_CODE_INVALID' });
    }
    expect(fixture.control.accounts.codes(phone)).toHaveLength(1);
    await user.request(code('12345'));
    await user.waitForState(READY);
  });

  it('says when a code has expired, and takes the next one', async () => {
    const phone = newPhone();
    const { user } = await openAtCode(phone);
    const old = fixture.control.newestCode(phone);
    fixture.control.advanceClock(3600);
    await expect(user.request(code(old))).rejects.toMatchObject({ code: 400, message: 'PHONE_CODE_EXPIRED' });
    await user.request(phoneNumber(phone));
    await user.request(code(fixture.control.newestCode(phone)));
    await user.waitForState(READY);
  });

  it('sends the code again by the next way', async () => {
    const phone = newPhone();
    const { user, state } = await openAtCode(phone);
    expect(state.code_info).toMatchObject({
      type: { '@type': 'authenticationCodeTypeSms', length: 5 },
      next_type: { '@type': 'authenticationCodeTypeCall' },
      timeout: 60,
    });
    await user.request({ '@type': 'resendAuthenticationCode', reason: { '@type': 'resendCodeReasonUserRequest' } });
    await user.waitFor((update) => {
      const next =
        update['@type'] === 'updateAuthorizationState' ? (update.authorization_state as TdObject) : undefined;
      const info = next?.code_info as TdObject | undefined;
      return (info?.type as TdObject | undefined)?.['@type'] === 'authenticationCodeTypeCall';
    }, 'the call');
    expect(fixture.control.accounts.codes(phone)).toMatchObject([{ route: 'call' }, { route: 'sms' }]);
  });

  it('sends codes to the app where the account is logged in already', async () => {
    const phone = newPhone();
    const { user: first } = await openAtCode(phone);
    await first.request(code(fixture.control.newestCode(phone)));
    await first.waitForState(READY);
    const { state } = await openAtCode(phone);
    expect(state.code_info).toMatchObject({ type: { '@type': 'authenticationCodeTypeTelegramMessage' } });
    const sentCode = fixture.control.newestCode(phone);
    await first.waitFor((update) => {
      const message = update['@type'] === 'updateNewMessage' ? (update.message as TdObject) : undefined;
      return message?.chat_id === 777_000 && JSON.stringify(message).includes(sentCode);
    }, 'the code');
  });

  it('refuses a malformed and a banned number and waits for another', async () => {
    const banned = newPhone();
    const account = fixture.control.accounts.accounts().find(({ phone }) => phone === banned);
    fixture.control.accounts.ban(account?.userId ?? 0);
    const user = await fixture.open();
    await user.waitForState(WAIT_PHONE);
    await expect(user.request(phoneNumber('12'))).rejects.toMatchObject({ message: 'PHONE_NUMBER_INVALID' });
    await expect(user.request(phoneNumber(banned))).rejects.toMatchObject({ message: 'PHONE_NUMBER_BANNED' });
    await user.request(phoneNumber(newPhone()));
    await user.waitForState(WAIT_CODE);
  });

  it('reports a flood wait and then goes on', async () => {
    const phone = newPhone();
    fixture.control.addFault({
      method: 'auth.sendCode',
      phone,
      error: { code: 420, message: 'FLOOD_WAIT_3600' },
      times: 1,
    });
    const user = await fixture.open();
    await user.waitForState(WAIT_PHONE);
    await expect(user.request(phoneNumber(phone))).rejects.toMatchObject({
      code: 429,
      message: 'Too Many Requests: retry after 3600',
    });
    await user.request(phoneNumber(phone));
    await user.waitForState(WAIT_CODE);
  });

  it('asks for the 2FA password with its hint, refuses a wrong one and takes the right one', async () => {
    const phone = newPhone({ password: 'correct horse', passwordHint: 'battery' });
    const { user } = await openAtCode(phone);
    await user.request(code(fixture.control.newestCode(phone)));
    expect(await user.waitForState(WAIT_PASSWORD)).toMatchObject({ password_hint: 'battery' });
    await expect(user.request(password('wrong'))).rejects.toMatchObject({
      code: 400,
      message: 'PASSWORD_HASH_INVALID',
    });
    await user.request(password('correct horse'));
    await user.waitForState(READY);
  });

  it('replaces a forgotten 2FA password by a code sent to the recovery address', async () => {
    const phone = newPhone({ password: 'forgotten', recoveryEmail: 'ada@example.org' });
    const { user } = await openAtCode(phone);
    await user.request(code(fixture.control.newestCode(phone)));
    expect(await user.waitForState(WAIT_PASSWORD)).toMatchObject({ has_recovery_email_address: true });
    await user.request({ '@type': 'requestAuthenticationPasswordRecovery' });
    const recover = (recovery: string): TdObject => ({
      '@type': 'recoverAuthenticationPassword',
      recovery_code: recovery,
      new_password: 'remembered',
      new_hint: 'new',
    });
    await expect(user.request(recover('000'))).rejects.toMatchObject({ message: 'CODE_INVALID' });
    await user.request(recover(fixture.control.newestCode(phone)));
    await user.waitForState(READY);
    const again = await fixture.open();
    await fixture.logIn(again, phone, 'remembered');
  });

  it('asks for the password that a client has set itself', async () => {
    const phone = newPhone();
    const { user } = await openAtCode(phone);
    await user.request(code(fixture.control.newestCode(phone)));
    await user.waitForState(READY);
    const settings = { old_password: '', new_password: 'my own', new_hint: 'mine', set_recovery_email_address: false };
    expect(await user.request({ '@type': 'setPassword', ...settings })).toMatchObject({ has_password: true });
    const again = await fixture.open();
    await fixture.logIn(again, phone, 'my own');
  });

  it('lets a number without an account sign up', async () => {
    const phone = newPhone({ registered: false });
    const { user } = await openAtCode(phone);
    await user.request(code(fixture.control.newestCode(phone)));
    await user.waitForState('authorizationStateWaitRegistration');
    await user.request({ '@type': 'registerUser', first_name: 'New', last_name: 'Person' });
    await user.waitForState(READY);
    expect(await user.request({ '@type': 'getMe' })).toMatchObject({ first_name: 'New', last_name: 'Person' });
  });

  it('takes the code from the login address', async () => {
    const phone = newPhone({ email: 'ada@example.org' });
    const user = await fixture.open();
    await user.waitForState(WAIT_PHONE);
    await user.request(phoneNumber(phone));
    const state = await user.waitForState('authorizationStateWaitEmailCode');
    expect(state.code_info).toMatchObject({ email_address_pattern: 'a***a@example.org' });
    const emailCode = { '@type': 'emailAddressAuthenticationCode', code: fixture.control.newestCode(phone) };
    await user.request({ '@type': 'checkAuthenticationEmailCode', code: emailCode });
    await user.waitForState(READY);
  });

  it('lets the login address be set up first', async () => {
    const phone = newPhone({ email: '' });
    const user = await fixture.open();
    await user.waitForState(WAIT_PHONE);
    await user.request(phoneNumber(phone));
    await user.waitForState('authorizationStateWaitEmailAddress');
    await user.request({ '@type': 'setAuthenticationEmailAddress', email_address: 'new@example.org' });
    await user.waitForState('authorizationStateWaitEmailCode');
    const setUp = { '@type': 'emailAddressAuthenticationCode', code: fixture.control.newestCode(phone) };
    await user.request({ '@type': 'checkAuthenticationEmailCode', code: setUp });
    const login = { '@type': 'emailAddressAuthenticationCode', code: fixture.control.newestCode(phone) };
    await user.waitForState('authorizationStateWaitEmailCode');
    await user.request({ '@type': 'checkAuthenticationEmailCode', code: login });
    await user.waitForState(READY);
  });

  it('logs in by a QR code that is scanned elsewhere', async () => {
    const { userId } = fixture.control.createAccount({ phone: '15559990001', firstName: 'Scanner' });
    const user = await fixture.open();
    await user.waitForState(WAIT_PHONE);
    await user.request({ '@type': 'requestQrCodeAuthentication', other_user_ids: [] });
    const { link } = await user.waitForState('authorizationStateWaitOtherDeviceConfirmation');
    fixture.control.accounts.scanQr(userId, String(link));
    await user.waitForState(READY);
    expect(await user.request({ '@type': 'getMe' })).toMatchObject({ id: userId });
  });

  it('asks for the 2FA password after a QR code too', async () => {
    const account = { phone: '15559990002', password: 'correct horse' };
    const { userId } = fixture.control.createAccount(account);
    const user = await fixture.open();
    await user.waitForState(WAIT_PHONE);
    await user.request({ '@type': 'requestQrCodeAuthentication', other_user_ids: [] });
    const { link } = await user.waitForState('authorizationStateWaitOtherDeviceConfirmation');
    fixture.control.accounts.scanQr(userId, String(link));
    await user.waitForState(WAIT_PASSWORD);
    await user.request(password('correct horse'));
    await user.waitForState(READY);
  });

  it('shows a new QR code when the old one has expired', async () => {
    fixture.control.setQrLifetime(2);
    const user = await fixture.open();
    await user.waitForState(WAIT_PHONE);
    await user.request({ '@type': 'requestQrCodeAuthentication', other_user_ids: [] });
    const { link: first } = await user.waitForState('authorizationStateWaitOtherDeviceConfirmation');
    await user.waitFor((update) => {
      const state =
        update['@type'] === 'updateAuthorizationState' ? (update.authorization_state as TdObject) : undefined;
      return state?.link !== undefined && state.link !== first;
    }, 'another link');
  });
});
