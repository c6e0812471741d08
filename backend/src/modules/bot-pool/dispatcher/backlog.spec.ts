import { Backlog } from './backlog.js';

interface Item {
  readonly sequence: number;
  readonly part: { readonly ownerId: string; readonly objectId: string };
}

const item = (sequence: number, ownerId = 'a', objectId = 'x'): Item => ({ sequence, part: { ownerId, objectId } });

describe('what waits for a bot', () => {
  const sequences = (backlog: Backlog<Item>): number[] => {
    const taken: number[] = [];
    for (let next = backlog.take(); next !== undefined; next = backlog.take()) taken.push(next.sequence);
    return taken;
  };

  it('8 goes in the order in which it came, within an object', () => {
    const backlog = new Backlog<Item>();
    for (const n of [1, 2, 3]) backlog.add(item(n));
    expect(sequences(backlog)).toEqual([1, 2, 3]);
  });

  it('9 goes by turns between owners, and between the objects of an owner', () => {
    const backlog = new Backlog<Item>();
    for (const n of [1, 2, 3, 4]) backlog.add(item(n, 'a', 'large'));
    backlog.add(item(5, 'a', 'small'));
    backlog.add(item(6, 'b', 'other'));
    backlog.add(item(7, 'b', 'other'));
    expect(sequences(backlog)).toEqual([1, 6, 5, 7, 2, 3, 4]);
  });

  it('10 has what was given back before all else, oldest first', () => {
    const backlog = new Backlog<Item>();
    for (const n of [3, 1, 2]) backlog.giveBack(item(n));
    backlog.add(item(4));
    expect(backlog.foremost.map(({ sequence }) => sequence)).toEqual([1, 2, 3]);
    expect([...backlog].map(({ sequence }) => sequence)).toEqual([1, 2, 3, 4]);
  });

  it('forgets what is removed, wherever it stands, and counts right', () => {
    const backlog = new Backlog<Item>();
    const [first, second, third] = [item(1), item(2, 'b'), item(3)];
    backlog.add(first);
    backlog.add(second);
    backlog.giveBack(third);
    expect(backlog.size).toBe(3);
    expect([backlog.remove(second), backlog.remove(second), backlog.remove(third)]).toEqual([true, false, true]);
    expect(backlog.size).toBe(1);
    expect(sequences(backlog)).toEqual([1]);
    expect(backlog.size).toBe(0);
  });
});
