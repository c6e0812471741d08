import fc from 'fast-check';
import { parseDurationMs, parseSizeBytes } from './units.js';

describe('durations and sizes', () => {
  it.each([
    ['500ms', 500],
    ['30s', 30_000],
    ['1.5s', 1500],
    ['2h', 7_200_000],
    ['7d', 604_800_000],
  ])('read %s', (text, ms) => expect(parseDurationMs(text)).toBe(ms));

  it.each([
    ['1048576', 1_048_576],
    ['64MiB', 67_108_864],
    ['2GiB', 2_147_483_648],
    ['10B', 10],
  ])('read %s', (text, bytes) => expect(parseSizeBytes(text)).toBe(bytes));

  it.each(['', '5', 's', '-1s', '1 s', '1e3s', '5 m', '2hours', 'Infinity'])('do not guess what %p means', (text) => {
    expect(parseDurationMs(text)).toBeUndefined();
  });

  it('never throw and never give anything but a safe integer', () => {
    fc.assert(
      fc.property(fc.string(), (text) => {
        for (const value of [parseDurationMs(text), parseSizeBytes(text)]) {
          if (value !== undefined) expect(Number.isSafeInteger(value)).toBe(true);
        }
      }),
    );
  });
});
