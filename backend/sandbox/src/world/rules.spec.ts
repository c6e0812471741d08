import { VirtualClock } from './clock.js';
import { Rules } from './rules.js';

const send = (accountId: number, chatId = 1) => ({
  method: 'messages.sendMessage',
  accountId,
  phone: undefined,
  chatId,
});

describe('standing limits', () => {
  let clock: VirtualClock;
  let rules: Rules;

  beforeEach(() => {
    clock = new VirtualClock();
    rules = new Rules(clock);
  });

  it('let max calls pass in a window and name the seconds until the next may', () => {
    rules.add({ method: 'send', per: 'account', max: 2, windowSeconds: 10 });
    expect([rules.admit(send(1)), rules.admit(send(1)), rules.admit(send(1))]).toEqual([undefined, undefined, 10]);
    clock.advance(4);
    expect(rules.admit(send(1))).toBe(6);
    clock.advance(6);
    expect(rules.admit(send(1))).toBeUndefined();
  });

  it('count each account, and each chat of it, apart', () => {
    rules.add({ method: 'send', per: 'account_chat', max: 1, windowSeconds: 60, waitSeconds: 3 });
    expect(rules.admit(send(1, 5))).toBeUndefined();
    expect(rules.admit(send(1, 6))).toBeUndefined();
    expect(rules.admit(send(2, 5))).toBeUndefined();
    expect(rules.admit(send(1, 5))).toBe(3);
  });

  it('do not count calls that were refused', () => {
    rules.add({ method: 'send', per: 'account', max: 1, windowSeconds: 10 });
    rules.admit(send(1));
    clock.advance(9);
    rules.admit(send(1));
    clock.advance(1);
    expect(rules.admit(send(1))).toBeUndefined();
  });

  it('leave other methods alone', () => {
    rules.add({ method: 'messages.get*', per: 'account', max: 0, windowSeconds: 10 });
    expect(rules.admit(send(1))).toBeUndefined();
    expect(rules.admit({ ...send(1), method: 'messages.getHistory' })).toBe(10);
  });
});
