import type { Driver } from './driver.js';
import { received, sendText, WorldFixture } from './world-fixture.js';

const CLOSED = 'authorizationStateClosed';

describe('the end of a login with the real TDLib', () => {
  const fixture = new WorldFixture();
  let phones = 0;

  beforeAll(() => fixture.start());
  afterAll(() => fixture.stop());

  async function loggedIn(): Promise<{ user: Driver; userId: number; phone: string }> {
    phones += 1;
    const phone = `1555300${String(phones).padStart(4, '0')}`;
    return { ...(await fixture.openUser({ phone })), phone };
  }

  it('comes when the client logs out, and the account has no session any more', async () => {
    const { user, userId } = await loggedIn();
    expect(fixture.control.accounts.account(userId).sessions).toBe(1);
    await user.request({ '@type': 'logOut' });
    await user.waitForState(CLOSED);
    expect(fixture.control.accounts.account(userId).sessions).toBe(0);
  });

  it('comes from outside to an idle client', async () => {
    const { user, userId } = await loggedIn();
    expect(fixture.control.accounts.terminateSessions(userId)).toBe(1);
    await user.waitForState(CLOSED);
  });

  it('comes from another client of the account', async () => {
    const { user, phone } = await loggedIn();
    const other = await fixture.open();
    await fixture.logIn(other, phone);
    const { sessions } = (await other.request({ '@type': 'getActiveSessions' })) as unknown as {
      sessions: { id: string; is_current: boolean }[];
    };
    const first = sessions.find(({ is_current: isCurrent }) => !isCurrent);
    await other.request({ '@type': 'terminateSession', session_id: first?.id });
    await user.waitForState(CLOSED);
    expect(await other.request({ '@type': 'getMe' })).toMatchObject({ phone_number: phone });
  });

  it('comes with a ban, after which the number is refused', async () => {
    const { user, userId, phone } = await loggedIn();
    const after = fixture.control.journal().at(-1)?.seq;
    fixture.control.accounts.ban(userId);
    await user.waitForState(CLOSED);
    const again = await fixture.open();
    await again.waitForState('authorizationStateWaitPhoneNumber');
    const request = again.request({ '@type': 'setAuthenticationPhoneNumber', phone_number: phone });
    await expect(request).rejects.toMatchObject({ message: 'PHONE_NUMBER_BANNED' });
    expect(fixture.control.journal({ after }).map(({ error }) => error)).toContain('401 USER_DEACTIVATED_BAN');
  });

  it('does not come with a freeze: the client is told and may not write', async () => {
    const { user, userId } = await loggedIn();
    await user.request({ '@type': 'createPrivateChat', user_id: userId, force: false });
    fixture.control.accounts.freeze(userId);
    await user.waitFor((update) => update['@type'] === 'updateFreezeState' && update.is_frozen === true, 'the freeze');
    await expect(sendText(user, userId, 'frozen')).rejects.toThrow('FROZEN_METHOD_INVALID');
    fixture.control.accounts.unfreeze(userId);
    await user.waitFor(
      (update) =>
        update['@type'] === 'updateFreezeState' && update.is_frozen === false && user.updates.indexOf(update) > 0,
      'the thaw',
    );
    await sendText(user, userId, 'thawed');
  });

  it('does not come with a restart of the sandbox, which knows accounts, chats and keys as before', async () => {
    const { user, userId } = await loggedIn();
    const { userId: friendId } = fixture.control.createAccount({ phone: '15553009999' });
    await fixture.control.sendMessage({ from: friendId, chatId: userId, text: 'before the restart' });
    await received(user, 'before the restart');
    await fixture.restart();
    await fixture.control.sendMessage({ from: friendId, chatId: userId, text: 'after the restart' });
    await received(user, 'after the restart');
  });
});
