/** How long a rule counts before it begins anew. */
export const LIMIT_PERIODS = ['minute', 'hour', 'day', 'week'] as const;
export type LimitPeriod = (typeof LIMIT_PERIODS)[number];

/** The zone of days and weeks when a rule names none, as in the API that this one follows. */
export const DEFAULT_TIMEZONE = 'Europe/Moscow';

/** A stretch of time in which a rule counts, in milliseconds since 1970: its start is in it, its end is not. */
export interface LimitWindow {
  readonly startsAt: number;
  readonly endsAt: number;
}

/** Whether two windows are the same stretch of time. */
export function isSameWindow(one: LimitWindow, other: LimitWindow): boolean {
  return one.startsAt === other.startsAt && one.endsAt === other.endsAt;
}

const MINUTE_MS = 60_000;
const HOUR_MS = 3_600_000;
const DAY_MS = 86_400_000;
/** No local day is longer: clocks are put back by an hour or two, and no zone has ever repeated a whole day since 1900. */
const LONGEST_DAY_MS = 2 * DAY_MS;

const formats = new Map<string, Intl.DateTimeFormat>();

function formatOf(timezone: string): Intl.DateTimeFormat {
  let format = formats.get(timezone);
  if (format === undefined) {
    format = new Intl.DateTimeFormat('en-US', {
      timeZone: timezone,
      calendar: 'gregory',
      year: 'numeric',
      month: 'numeric',
      day: 'numeric',
    });
    formats.set(timezone, format);
  }
  return format;
}

/** Whether this is a zone of the IANA database, by name; offsets such as +03:00 know no daylight saving and are none. */
export function isTimezone(name: string): boolean {
  if (!/^[A-Za-z]/.test(name) || name.length > 64) return false;
  try {
    formatOf(name);
    return true;
  } catch {
    return false;
  }
}

/** The local date at a moment, as the number of days since 1970. */
function localDay(at: number, timezone: string): number {
  const parts: Partial<Record<Intl.DateTimeFormatPartTypes, string>> = {};
  for (const { type, value } of formatOf(timezone).formatToParts(at)) parts[type] = value;
  return Date.UTC(Number(parts.year), Number(parts.month) - 1, Number(parts.day)) / DAY_MS;
}

/** The first moment, to the second, of the local day or of a later one, where the day itself has none. */
function beginningOf(day: number, timezone: string): number {
  let before = day * DAY_MS - LONGEST_DAY_MS;
  let after = day * DAY_MS + LONGEST_DAY_MS;
  while (after - before > 1_000) {
    const middle = Math.floor((before + after) / 2_000) * 1_000;
    if (localDay(middle, timezone) < day) before = middle;
    else after = middle;
  }
  return after;
}

/**
 * The window that a moment is in. Minutes and hours begin with those of UTC; days begin at midnight in the zone and weeks on
 * Monday there, so that they are an hour shorter or longer when its clocks are changed.
 * @param at in milliseconds since 1970
 */
export function windowOf(per: LimitPeriod, timezone: string, at: number): LimitWindow {
  switch (per) {
    case 'minute':
      return even(at, MINUTE_MS);
    case 'hour':
      return even(at, HOUR_MS);
    case 'day':
      return days(localDay(at, timezone), 1, timezone);
    case 'week': {
      const day = localDay(at, timezone);
      // Day 0 was a Thursday.
      return days(day - ((((day + 3) % 7) + 7) % 7), 7, timezone);
    }
  }
}

function even(at: number, length: number): LimitWindow {
  const startsAt = Math.floor(at / length) * length;
  return { startsAt, endsAt: startsAt + length };
}

function days(first: number, count: number, timezone: string): LimitWindow {
  return { startsAt: beginningOf(first, timezone), endsAt: beginningOf(first + count, timezone) };
}

/** Remembers the present window: finding out the borders of a day takes some tenths of a millisecond. */
export class CurrentWindow {
  private window: LimitWindow | undefined;

  constructor(
    private readonly per: LimitPeriod,
    private readonly timezone: string,
  ) {}

  at(now: number): LimitWindow {
    if (this.window === undefined || now < this.window.startsAt || now >= this.window.endsAt) {
      this.window = windowOf(this.per, this.timezone, now);
    }
    return this.window;
  }
}
