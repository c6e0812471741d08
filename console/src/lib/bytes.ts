const UNITS = ['B', 'KiB', 'MiB', 'GiB', 'TiB'] as const;

/** "0 B", "1.5 KiB", "1.86 GiB": three digits that count, in the units that settings take. */
export function formatBytes(bytes: number): string {
  let value = bytes;
  let unit = 0;
  while (value >= 1_000 && unit < UNITS.length - 1) {
    value /= 1_024;
    unit += 1;
  }
  const digits = unit === 0 || value >= 100 ? 0 : value >= 10 ? 1 : 2;
  return `${Number(value.toFixed(digits))} ${UNITS[unit] ?? ''}`;
}
