import { formatCountdown, formatRelative } from './time';

const now = Date.parse('2026-11-30T12:00:00Z');
const before = (seconds: number) => new Date(now - seconds * 1_000);

// How a minute is shortened differs between versions of the locale data.
it.each([
  [2, /^just now$/],
  [-3, /^just now$/],
  [59, /^59 ?s.* ago$/],
  [150, /^2 ?m.* ago$/],
  [3_700, /^1 ?h.* ago$/],
  [2 * 86_400, /^2 ?d.* ago$/],
  [-600, /^in 10 ?m/],
])('says %i seconds as %s', (seconds, text) => {
  expect(formatRelative(before(seconds), now)).toMatch(text);
});

it.each([
  [0, '0:00'],
  [-5, '0:00'],
  [4.2, '0:05'],
  [65, '1:05'],
  [3_661, '1:01:01'],
])('counts %d down as %s', (seconds, text) => {
  expect(formatCountdown(seconds)).toBe(text);
});
