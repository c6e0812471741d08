import { formatBytes } from './bytes';

it.each([
  [0, '0 B'],
  [999, '999 B'],
  [1_000, '0.98 KiB'],
  [1_536, '1.5 KiB'],
  [64 * 1_024 ** 2, '64 MiB'],
  [2_000_000_000, '1.86 GiB'],
  [5 * 1_024 ** 5, '5120 TiB'],
])('writes %d bytes as %s', (bytes, text) => {
  expect(formatBytes(bytes)).toBe(text);
});
