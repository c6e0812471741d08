import { FailureThrottle } from './failure-throttle.js';

describe('FailureThrottle', () => {
  it('lets so many failures a minute pass, then tells how long to wait', () => {
    let now = 0;
    const throttle = new FailureThrottle(2, () => now);
    expect(throttle.fail('a')).toBeUndefined();
    now = 30_500;
    expect(throttle.fail('a')).toBeUndefined();
    expect(throttle.fail('a')).toBe(30);
    expect(throttle.fail('b')).toBeUndefined();
    now = 60_000;
    expect(throttle.fail('a')).toBeUndefined();
  });

  it('forgets the oldest of very many addresses', () => {
    const throttle = new FailureThrottle(1, () => 0);
    throttle.fail('first');
    expect(throttle.fail('first')).toBe(60);
    for (let address = 0; address < 10_000; address++) throttle.fail(`address ${address}`);
    expect(throttle.fail('first')).toBeUndefined();
    expect(throttle.fail('address 9999')).toBe(60);
  });
});
