import { SessionNotReadyError, TdlibError } from '../../common/errors/index.js';
import type { TdClient, TdObject } from '../../telegram/index.js';
import { LiveSession } from './live-session.js';
import type { LoginPlan } from './login-plan.js';

const ME = { '@type': 'user', id: 5, phone_number: '15550142' };

function sessionWith(
  plan: LoginPlan,
  answers: Record<string, () => Promise<TdObject>> = {},
  kind: 'bot' | 'user' = 'user',
) {
  const asked: TdObject[] = [];
  const closed = jest.fn();
  const session = new LiveSession('id', kind, plan, { changed: () => undefined, closed }, () => 'the network', {
    status: plan.kind === 'resume' ? 'authorized' : 'connecting',
    since: new Date(0),
  });
  const request = (query: TdObject): Promise<TdObject> => {
    asked.push(query);
    return (answers[query['@type']] ?? (() => Promise.resolve({ '@type': 'ok' })))();
  };
  session.attach({ request } as Partial<TdClient> as TdClient);
  const state = (type: string, members: Record<string, unknown> = {}): void =>
    session.receive(
      'updateAuthorizationState',
      JSON.stringify({ '@type': 'updateAuthorizationState', authorization_state: { '@type': type, ...members } }),
    );
  return { session, asked, state, closed };
}

const getMe = { getMe: () => Promise.resolve(ME) };
const settled = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));
const PHONE: LoginPlan = { kind: 'phone', phone: '15550142' };

describe('LiveSession', () => {
  it('asks for one code only, however often Telegram falls back to the phone step', async () => {
    const { session, asked, state } = sessionWith(PHONE);
    state('authorizationStateWaitPhoneNumber');
    state('authorizationStateWaitCode', { code_info: { '@type': 'authenticationCodeInfo', timeout: 60 } });
    state('authorizationStateWaitPhoneNumber');
    await settled();
    expect(asked).toEqual([{ '@type': 'setAuthenticationPhoneNumber', phone_number: '+15550142' }]);
    expect(session.status).toBe('error');
    expect(session.lastError).toBe('the login attempt expired');
  });

  it('says when a code may be sent again', () => {
    const { session, state } = sessionWith(PHONE);
    const before = Date.now();
    state('authorizationStateWaitPhoneNumber');
    state('authorizationStateWaitCode', { code_info: { '@type': 'authenticationCodeInfo', timeout: 60 } });
    const resendAt = Date.parse(String(session.awaitedCode?.['resend_at']));
    expect(resendAt).toBeGreaterThanOrEqual(before + 60_000);
    expect(resendAt).toBeLessThanOrEqual(Date.now() + 60_000);
  });

  it('keeps the attempt when Telegram refuses a code, and forgets the refusal at the next answer', async () => {
    let refuse = true;
    const { session, state } = sessionWith(PHONE, {
      ...getMe,
      checkAuthenticationCode: () => {
        if (refuse) return Promise.reject(new TdlibError(400, 'PHONE_CODE_INVALID'));
        state('authorizationStateReady');
        return Promise.resolve({ '@type': 'ok' });
      },
    });
    state('authorizationStateWaitPhoneNumber');
    state('authorizationStateWaitCode');
    const answer = { status: 'awaiting_code', query: { '@type': 'checkAuthenticationCode', code: '1' } } as const;
    await expect(session.answer(answer)).rejects.toThrow('PHONE_CODE_INVALID');
    expect(session.status).toBe('awaiting_code');
    expect(session.lastError).toBe('tdlib 400: PHONE_CODE_INVALID');
    refuse = false;
    await session.answer(answer);
    expect(session.status).toBe('authorized');
    expect(session.lastError).toBeUndefined();
    expect(session.me).toEqual(ME);
  });

  it('takes one answer at a time, and only what it waits for', async () => {
    let release = (): void => undefined;
    const { session, state } = sessionWith(PHONE, {
      checkAuthenticationPassword: () =>
        new Promise((_, reject) => (release = () => reject(new TdlibError(400, 'PASSWORD_HASH_INVALID')))),
    });
    state('authorizationStateWaitPhoneNumber');
    state('authorizationStateWaitPassword', { password_hint: 'cat' });
    expect(session.passwordStep?.hint).toBe('cat');
    const answer = { status: 'awaiting_password', query: { '@type': 'checkAuthenticationPassword' } } as const;
    const first = session.answer(answer);
    await expect(session.answer(answer)).rejects.toMatchObject({ code: 'login_busy', status: 409 });
    await expect(session.answer({ ...answer, status: 'awaiting_code' })).rejects.toThrow(SessionNotReadyError);
    release();
    await expect(first).rejects.toThrow('PASSWORD_HASH_INVALID');
  });

  it('is logged out when Telegram ends the authorization', async () => {
    const { session, state, closed } = sessionWith({ kind: 'resume' }, getMe);
    state('authorizationStateReady');
    await settled();
    expect(session.isReady).toBe(true);
    state('authorizationStateLoggingOut');
    expect(session.isReady).toBe(false);
    expect(() => session.readyClient()).toThrow('the session is logged_out');
    state('authorizationStateClosed');
    expect(session.status).toBe('logged_out');
    expect(closed).toHaveBeenCalledTimes(1);
    expect(session.lastError).toBe('Telegram has ended the authorization');
  });

  it('is banned when a call was told so before', async () => {
    const { session, state } = sessionWith({ kind: 'resume' }, getMe);
    state('authorizationStateReady');
    await settled();
    session.noteRefusal(new TdlibError(401, 'USER_DEACTIVATED_BAN'));
    state('authorizationStateLoggingOut');
    state('authorizationStateClosed');
    expect(session.status).toBe('banned');
  });

  it.each([
    ['before', ['ban', 'authorizationStateLoggingOut', 'authorizationStateClosed']],
    ['while', ['authorizationStateLoggingOut', 'ban', 'authorizationStateClosed']],
    ['after', ['authorizationStateLoggingOut', 'authorizationStateClosed', 'ban']],
  ])('is banned when TDLib tells so %s it closes', (_when, events) => {
    const { session, state } = sessionWith({ kind: 'resume' }, getMe);
    state('authorizationStateReady');
    for (const event of events) {
      if (event === 'ban') session.noteLoss('USER_DEACTIVATED_BAN');
      else state(event);
    }
    expect(session.status).toBe('banned');
  });

  it('keeps its status when the end is ours', async () => {
    const { session, state } = sessionWith({ kind: 'resume' }, getMe);
    state('authorizationStateReady');
    await settled();
    session.expectEnd();
    state('authorizationStateClosed');
    expect(session.status).toBe('authorized');
    expect(session.isReady).toBe(false);
  });

  it('never logs in by itself when the database has lost its authorization', async () => {
    const { session, asked, state } = sessionWith({ kind: 'resume' });
    state('authorizationStateWaitPhoneNumber');
    await settled();
    expect(asked).toEqual([]);
    expect(session.status).toBe('expired');
  });

  it('hands the refusal of a phone or a token to whoever created it', async () => {
    const refusal = new TdlibError(400, 'ACCESS_TOKEN_INVALID');
    const { session, state } = sessionWith(
      { kind: 'bot', token: '1:x' },
      { checkAuthenticationBotToken: () => Promise.reject(refusal) },
      'bot',
    );
    state('authorizationStateWaitPhoneNumber');
    await session.waitFor(() => session.status !== 'connecting', 1_000);
    expect(session.fatalError).toBe(refusal);
  });

  it('follows the flags of the account', () => {
    const { session } = sessionWith({ kind: 'resume' });
    session.receive(
      'updateOption',
      '{"@type":"updateOption","name":"is_premium","value":{"@type":"optionValueBoolean","value":true}}',
    );
    session.receive(
      'updateFreezeState',
      '{"@type":"updateFreezeState","is_frozen":true,"freezing_date":100,"appeal_link":"l"}',
    );
    expect(session.facts.isPremium).toBe(true);
    expect(session.facts.freeze).toEqual({ frozen: true, since: new Date(100_000), appealLink: 'l' });
    session.receive('updateFreezeState', '{"@type":"updateFreezeState","is_frozen":false}');
    expect(session.facts.freeze).toEqual({ frozen: false });
  });
});
