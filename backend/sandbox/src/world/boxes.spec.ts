import { emptyBox, eventsAfter, forgetEvents, record } from './boxes.js';

describe('the event sequence of a box', () => {
  it('counts one for each event and each deleted message', () => {
    const box = emptyBox();
    expect(record(box, 0, { type: 'message', id: 1 })).toMatchObject({ pts: 2, ptsCount: 1 });
    expect(record(box, 0, { type: 'delete', ids: [1, 2, 3] })).toMatchObject({ pts: 5, ptsCount: 3 });
    expect(box.pts).toBe(5);
  });

  it('gives what came after a state, oldest first and no more than asked for', () => {
    const box = emptyBox();
    for (let id = 1; id <= 5; id++) record(box, 0, { type: 'message', id });
    expect(eventsAfter(box, 3, 2)?.map(({ pts }) => pts)).toEqual([4, 5]);
    expect(eventsAfter(box, box.pts, 10)).toEqual([]);
  });

  it('knows what it has forgotten', () => {
    const box = emptyBox();
    for (let id = 1; id <= 5; id++) record(box, 0, { type: 'message', id });
    forgetEvents(box);
    expect(eventsAfter(box, box.pts - 1, 10)).toBeUndefined();
    expect(eventsAfter(box, box.pts, 10)).toEqual([]);
  });

  it('forgets the oldest events of a long life, and says so', () => {
    const box = emptyBox();
    for (let id = 1; id <= 13_000; id++) record(box, 0, { type: 'message', id });
    expect(box.events.length).toBeLessThanOrEqual(12_000);
    expect(eventsAfter(box, 1, 1)).toBeUndefined();
    expect(eventsAfter(box, box.forgottenPts, 1)).toMatchObject([{ pts: box.forgottenPts + 1 }]);
  });
});
