import { requireSameTime } from './same-time.js';

describe('requireSameTime', () => {
  const now = Date.now();

  it('allows for what signed times allow for', () => {
    expect(() => requireSameTime(now, now + 29_000)).not.toThrow();
    expect(() => requireSameTime(now, now - 29_000)).not.toThrow();
  });

  it('says which clock is off by how much, and what to do', () => {
    expect(() => requireSameTime(now, now + 300_000)).toThrow(/300 s behind that of PostgreSQL.*timedatectl/);
    expect(() => requireSameTime(now + 300_000, now)).toThrow(/300 s ahead of that of PostgreSQL/);
  });
});
