const relative = new Intl.RelativeTimeFormat('en', { numeric: 'auto', style: 'narrow' });
const absolute = new Intl.DateTimeFormat(undefined, { dateStyle: 'medium', timeStyle: 'long' });

const STEPS: readonly [limitSeconds: number, unit: Intl.RelativeTimeFormatUnit, seconds: number][] = [
  [60, 'second', 1],
  [3_600, 'minute', 60],
  [86_400, 'hour', 3_600],
  [30 * 86_400, 'day', 86_400],
  [365 * 86_400, 'month', 30 * 86_400],
];

/** "12s ago", "in 3 min"; differences under five seconds are "just now", because clocks differ by as much. */
export function formatRelative(at: Date, now: number): string {
  const seconds = Math.round((at.getTime() - now) / 1_000);
  const distance = Math.abs(seconds);
  if (distance < 5) return 'just now';
  const [, unit, size] = STEPS.find(([limit]) => distance < limit) ?? [0, 'year' as const, 365 * 86_400];
  return relative.format(Math.trunc(seconds / size), unit);
}

/** The full date and time in the reader's zone, with the zone named. */
export function formatAbsolute(at: Date): string {
  return absolute.format(at);
}

/** "0:42", "1:05:00": a wait that counts down. */
export function formatCountdown(totalSeconds: number): string {
  const seconds = Math.max(0, Math.ceil(totalSeconds));
  const hours = Math.floor(seconds / 3_600);
  const minutes = Math.floor((seconds % 3_600) / 60);
  const rest = String(seconds % 60).padStart(2, '0');
  return hours > 0 ? `${hours}:${String(minutes).padStart(2, '0')}:${rest}` : `${minutes}:${rest}`;
}
