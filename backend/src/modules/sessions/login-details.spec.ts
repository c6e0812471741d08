import { LoginDetails } from './login-details.js';

describe('LoginDetails', () => {
  let now: number;
  let login: LoginDetails;
  const link = (text: string): void => {
    login.follow({ '@type': 'authorizationStateWaitOtherDeviceConfirmation', link: text });
  };

  beforeEach(() => {
    now = 1_700_000_000_000;
    login = new LoginDetails(() => now);
  });

  it('takes a QR link for good for half a minute at first, and then for as long as the last one was', () => {
    link('a');
    expect(login.qr).toEqual({ link: 'a', expiresAt: new Date(now + 30_000) });
    now += 20_000;
    link('b');
    expect(login.qr).toEqual({ link: 'b', expiresAt: new Date(now + 20_000) });
    now += 3_600_000;
    link('c');
    // The network was away meanwhile: that was no lifetime.
    expect(login.qr?.expiresAt).toEqual(new Date(now + 60_000));
  });

  it('keeps the time of a link that TDLib tells twice', () => {
    link('a');
    const { qr } = login;
    now += 5_000;
    link('a');
    expect(login.qr).toBe(qr);
  });

  it('counts steps, also when the same comes again', () => {
    login.follow({ '@type': 'authorizationStateWaitEmailCode' });
    login.follow({ '@type': 'authorizationStateWaitEmailCode' });
    expect(login.stepCount).toBe(2);
    expect(login.follow({ '@type': 'authorizationStateReady' })).toBeUndefined();
    expect(login.stepCount).toBe(2);
  });
});
