import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { COMMON, SeenMessages } from './seen-messages.js';

const GROUP = -1_000_000_000_777;

describe('SeenMessages', () => {
  let directory: string;
  const open = (): SeenMessages => new SeenMessages(directory);
  const opened = (): SeenMessages => {
    const seen = open();
    seen.begin([]);
    return seen;
  };

  beforeEach(() => {
    directory = mkdtempSync(join(tmpdir(), 'tgcontrol-seen-'));
  });
  afterEach(() => rmSync(directory, { recursive: true, force: true }));

  it('knows after a kill how far each sequence was, in a journal or in its file', () => {
    const killed = opened();
    killed.note(7, 5);
    killed.note(GROUP, 3);
    killed.flush();
    expect(open().begin([[8, 9]])).toEqual(
      new Map([
        [7, 5],
        [GROUP, 3],
        [8, 9],
        [COMMON, 9],
      ]),
    );
  });

  it('has nothing to look for after a clean end, and when nobody wanted messages', () => {
    const closed = opened();
    closed.note(7, 5);
    closed.close();
    const next = open();
    expect(next.begin([])).toBeUndefined();
    next.forget();
    expect(open().begin([[7, 9]])).toBeUndefined();
  });

  it('looks again from the same place when it is killed before all was looked for', () => {
    const killed = opened();
    killed.note(7, 5);
    killed.flush();
    const again = open();
    again.begin([]);
    again.note(7, 50);
    again.flush();
    again.close();
    expect(
      open()
        .begin([[7, 50]])
        ?.get(COMMON),
    ).toBe(5);
  });

  it('goes on from what came meanwhile once all was looked for', () => {
    opened().flush();
    const again = open();
    again.note(7, 6);
    expect(again.begin([])).toEqual(new Map());
    again.note(7, 50);
    again.settle();
    expect(open().begin([])?.get(COMMON)).toBe(50);
  });

  it('never goes back, and keeps its file small', () => {
    const seen = opened();
    for (let number = 1; number <= 20_000; number += 1) seen.note(7, number);
    seen.note(7, 3);
    seen.flush();
    expect(readFileSync(join(directory, 'seen'), 'utf8').length).toBeLessThan(20_000);
    expect(open().begin([])?.get(COMMON)).toBeGreaterThan(19_900);
  });
});
