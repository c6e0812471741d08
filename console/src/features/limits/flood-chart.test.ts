import { chartBegin, floodBars } from './flood-chart';

const NOON = Date.parse('2026-11-30T12:30:00Z');

it('begins whole stretches of UTC ago, so that the one of now is the last', () => {
  expect(new Date(chartBegin({ by: 'day', count: 7 }, NOON)).toISOString()).toBe('2026-11-24T00:00:00.000Z');
  expect(new Date(chartBegin({ by: 'hour', count: 24 }, NOON)).toISOString()).toBe('2026-11-29T13:00:00.000Z');
});

it('has a bar for each stretch, also for those without floods, and puts scopes together', () => {
  const stretch = { by: 'day', count: 3 } as const;
  const at = '2026-11-30T00:00:00.000Z';
  const bars = floodBars(stretch, chartBegin(stretch, NOON), [
    { at, scope: '@send', count: 2, longest: 30 },
    { at, scope: '@join', count: 1, longest: 60 },
    { at, scope: '@invite', count: 3, longest: 60 },
    { at, scope: 'getChat', count: 1, longest: 5 },
    { at: '2026-11-01T00:00:00.000Z', scope: '@send', count: 9, longest: 5 },
  ]);
  expect(bars.map(({ total }) => total)).toEqual([0, 0, 7]);
  expect(bars[2]?.bySort).toEqual({ send: 2, spam: 0, people: 4, look: 0, other: 1 });
});
