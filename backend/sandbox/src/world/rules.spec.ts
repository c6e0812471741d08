import { VirtualClock } from './clock.js';
import { BOT_RULES, Rules } from './rules.js';

const BOT_ID = 9;

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
    rules = new Rules(clock, (id) => (id === BOT_ID ? 'bot' : 'user'));
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

  it('are those of bots in a chat: 20 a minute, one a second, and none for people', () => {
    for (const rule of BOT_RULES) rules.add(rule);
    for (let n = 0; n < 20; n++) {
      expect(rules.admit(send(BOT_ID))).toBeUndefined();
      expect(rules.admit(send(BOT_ID))).toBe(n === 19 ? 41 : 1);
      clock.advance(1);
    }
    expect(rules.admit(send(BOT_ID))).toBe(40);
    expect(rules.admit(send(BOT_ID, 2))).toBeUndefined();
    for (let n = 0; n < 30; n++) expect(rules.admit(send(1))).toBeUndefined();
    clock.advance(40);
    expect(rules.admit(send(BOT_ID))).toBeUndefined();
  });

  it('leave other methods alone', () => {
    rules.add({ method: 'messages.get*', per: 'account', max: 0, windowSeconds: 10 });
    expect(rules.admit(send(1))).toBeUndefined();
    expect(rules.admit({ ...send(1), method: 'messages.getHistory' })).toBe(10);
  });
});
