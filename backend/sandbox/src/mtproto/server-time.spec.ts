import { ServerTime } from './server-time.js';

describe('ServerTime', () => {
  it('makes ids that grow, are odd, and carry the time', () => {
    const time = new ServerTime({ now: () => 1_700_000_000_000 });
    const ids = Array.from({ length: 1000 }, () => time.nextMessageId());
    expect(ids.every((id, index) => index === 0 || id > (ids[index - 1] ?? 0n))).toBe(true);
    expect(ids.every((id) => id % 2n === 1n && id >> 32n === 1_700_000_000n)).toBe(true);
  });

  it('follows its clock forward and goes on from the latest time when it is set back', () => {
    const clock = { nowMs: 1_700_000_000_000, now: () => clock.nowMs };
    const time = new ServerTime(clock);
    clock.nowMs += 86_400_000;
    expect(time.seconds()).toBe(1_700_086_400);
    clock.nowMs -= 400 * 86_400_000;
    expect(time.seconds()).toBe(1_700_086_400);
  });

  it('starts from the clock for each key, whatever others were told', () => {
    const clock = { nowMs: 1_700_000_000_000, now: () => clock.nowMs };
    new ServerTime(clock).nextMessageId();
    clock.nowMs -= 86_400_000;
    expect(new ServerTime(clock).seconds()).toBe(1_699_913_600);
  });
});
