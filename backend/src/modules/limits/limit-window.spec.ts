import fc from 'fast-check';
import {
  CurrentWindow,
  DEFAULT_TIMEZONE,
  isTimezone,
  LIMIT_PERIODS,
  type LimitPeriod,
  windowOf,
} from './limit-window.js';

const RUNS = 5_000;
const ZONES = [
  'Europe/Moscow',
  'Europe/Berlin',
  'America/New_York',
  'America/Sao_Paulo',
  'Asia/Kathmandu',
  'Australia/Lord_Howe',
  'Africa/Cairo',
  'Asia/Beirut',
  'Pacific/Apia',
  'Pacific/Kiritimati',
  'America/Havana',
  'UTC',
];
const SECOND = 1_000;
const HOUR = 3_600_000;
const DAY = 24 * HOUR;

const formats = new Map(
  ZONES.map((timeZone) => [
    timeZone,
    [
      new Intl.DateTimeFormat('sv-SE', { timeZone, dateStyle: 'short' }),
      new Intl.DateTimeFormat('en', { timeZone, weekday: 'short' }),
    ] as const,
  ]),
);

/** What a local calendar shows. */
function calendar(at: number, timeZone: string): { readonly date: string; readonly weekday: string } {
  const [date, weekday] = formats.get(timeZone) ?? [];
  if (date === undefined || weekday === undefined) throw new Error('not one of the zones');
  return { date: date.format(at), weekday: weekday.format(at) };
}

const at = (iso: string): number => Date.parse(iso);
const shown = (per: LimitPeriod, zone: string, iso: string): readonly string[] => {
  const { startsAt, endsAt } = windowOf(per, zone, at(iso));
  return [new Date(startsAt).toISOString(), new Date(endsAt).toISOString()];
};

describe('the window of a limit', () => {
  const moments = fc.record({
    zone: fc.constantFrom(...ZONES),
    now: fc.integer({ min: at('1990-01-01T00:00:00Z'), max: at('2060-01-01T00:00:00Z') }),
    per: fc.constantFrom(...LIMIT_PERIODS),
  });

  it('holds its moment, begins where the one before ends, and is the same from everywhere in it', () => {
    fc.assert(
      fc.property(moments, fc.nat(), ({ zone, now, per }, somewhere) => {
        const window = windowOf(per, zone, now);
        expect(window.startsAt).toBeLessThanOrEqual(now);
        expect(window.endsAt).toBeGreaterThan(now);
        const inside = window.startsAt + (somewhere % (window.endsAt - window.startsAt));
        expect(windowOf(per, zone, inside)).toEqual(window);
        expect(windowOf(per, zone, window.endsAt).startsAt).toBe(window.endsAt);
        expect(windowOf(per, zone, window.startsAt - 1).endsAt).toBe(window.startsAt);
      }),
      { numRuns: RUNS / 5 },
    );
  });

  it('is what a calendar of the zone says', () => {
    fc.assert(
      fc.property(moments, ({ zone, now, per }) => {
        const { startsAt, endsAt } = windowOf(per, zone, now);
        if (per === 'minute' || per === 'hour') {
          const length = per === 'minute' ? 60 * SECOND : HOUR;
          expect([startsAt % length, endsAt - startsAt]).toEqual([0, length]);
          return;
        }
        const first = calendar(startsAt, zone);
        const before = calendar(startsAt - SECOND, zone);
        const last = calendar(endsAt - SECOND, zone);
        expect(before.date < first.date).toBe(true);
        expect(calendar(endsAt, zone).date > last.date).toBe(true);
        if (per === 'day') {
          expect([first.date, last.date]).toEqual([calendar(now, zone).date, calendar(now, zone).date]);
        } else {
          expect(first.weekday).toBe('Mon');
          expect(last.weekday).toBe('Sun');
          expect(Math.abs(endsAt - startsAt - 7 * DAY)).toBeLessThanOrEqual(DAY);
        }
      }),
      { numRuns: RUNS },
    );
  });

  it('is the day of Moscow where nothing else was asked for', () => {
    expect(shown('day', DEFAULT_TIMEZONE, '2026-05-05T20:59:59Z')).toEqual([
      '2026-05-04T21:00:00.000Z',
      '2026-05-05T21:00:00.000Z',
    ]);
    expect(shown('week', DEFAULT_TIMEZONE, '2026-05-05T12:00:00Z')).toEqual([
      '2026-05-03T21:00:00.000Z',
      '2026-05-10T21:00:00.000Z',
    ]);
  });

  it('has 23 or 25 hours on the days on which clocks change', () => {
    expect(shown('day', 'Europe/Berlin', '2026-03-29T12:00:00Z')).toEqual([
      '2026-03-28T23:00:00.000Z',
      '2026-03-29T22:00:00.000Z',
    ]);
    expect(shown('day', 'Europe/Berlin', '2026-10-25T12:00:00Z')).toEqual([
      '2026-10-24T22:00:00.000Z',
      '2026-10-25T23:00:00.000Z',
    ]);
  });

  it('begins at one where the clocks skip midnight', () => {
    expect(shown('day', 'Asia/Beirut', '2026-03-29T12:00:00Z')[0]).toBe('2026-03-28T22:00:00.000Z');
  });

  it('is found anew when the clock leaves it, in either direction', () => {
    const window = new CurrentWindow('minute', 'UTC');
    expect([window.at(60_000).startsAt, window.at(119_999).startsAt, window.at(120_000).startsAt]).toEqual([
      60_000, 60_000, 120_000,
    ]);
    expect(window.at(5).startsAt).toBe(0);
  });

  it.each([
    ['Europe/Moscow', true],
    ['UTC', true],
    ['+03:00', false],
    ['Mars/Olympus', false],
    ['', false],
    ['x'.repeat(65), false],
  ])('takes %p for a zone: %p', (name, isOne) => {
    expect(isTimezone(name)).toBe(isOne);
  });
});
