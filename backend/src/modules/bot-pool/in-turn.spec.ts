import { inTurn, type Source } from './in-turn.js';

const AHEAD = { sources: 2, bytes: 4 };

/** Sources of pieces of one byte, and what becomes of them. */
function world(sizes: readonly number[], failing?: number): { sources: Source[]; begun: number[]; ended: number[] } {
  const begun: number[] = [];
  const ended: number[] = [];
  const sources = sizes.map((sizeBytes, n) => ({
    sizeBytes,
    async *open(): AsyncGenerator<Buffer, undefined> {
      begun.push(n);
      try {
        await Promise.resolve();
        if (n === failing) throw new Error(`source ${n}`);
        for (let at = 0; at < sizeBytes; at += 1) yield Buffer.from(String(n));
        return undefined;
      } finally {
        ended.push(n);
      }
    },
  }));
  return { sources, begun, ended };
}

/** Never gives anything. */
async function* hang(): AsyncGenerator<Buffer, undefined> {
  await new Promise(() => undefined);
  yield Buffer.alloc(0);
  return undefined;
}

async function textOf(pieces: AsyncIterable<Buffer>): Promise<string> {
  let text = '';
  for await (const piece of pieces) text += piece.toString();
  return text;
}

describe('sources in turn', () => {
  it('give their pieces in their order, and all end', async () => {
    const { sources, ended } = world([2, 0, 3, 1, 1]);
    expect(await textOf(inTurn(sources, AHEAD))).toBe('0022234');
    expect([...ended].sort()).toEqual([0, 1, 2, 3, 4]);
  });

  it('are nothing when there are none', async () => {
    expect(await textOf(inTurn([], AHEAD))).toBe('');
  });

  it('are begun before their turn, no more of them than may be', async () => {
    const { sources, begun } = world([1, 1, 1, 1, 1]);
    const pieces = inTurn(sources, AHEAD);
    await pieces.next();
    expect(begun).toEqual([0, 1, 2]);
    await pieces.next();
    expect(begun).toEqual([0, 1, 2, 3]);
    await pieces.return(undefined);
  });

  it('are begun only when little before them is left', async () => {
    const { sources, begun } = world([7, 7, 1]);
    const pieces = inTurn(sources, AHEAD);
    await pieces.next();
    await pieces.next();
    expect(begun).toEqual([0]);
    await pieces.next();
    expect(begun).toEqual([0, 1]);
    for (let taken = 3; taken < 9; taken += 1) await pieces.next();
    expect(begun).toEqual([0, 1]);
    await pieces.next();
    expect(begun).toEqual([0, 1, 2]);
    await pieces.return(undefined);
  });

  it('fail in their turn and not before it, and end what was begun behind', async () => {
    const { sources, begun, ended } = world([1, 1, 1, 1], 1);
    const pieces = inTurn(sources, AHEAD);
    expect(await pieces.next()).toEqual({ done: false, value: Buffer.from('0') });
    await expect(pieces.next()).rejects.toThrow('source 1');
    await new Promise((resolve) => setImmediate(resolve));
    expect([...ended].sort()).toEqual([...begun].sort());
  });

  it('fail without waiting for what was begun behind', async () => {
    const { sources } = world([1, 1], 0);
    const hanging = { sizeBytes: 1, open: () => hang() };
    await expect(inTurn([...sources.slice(0, 1), hanging], AHEAD).next()).rejects.toThrow('source 0');
  });

  it('end when nobody reads on', async () => {
    const { sources, begun, ended } = world([1, 1, 1, 1]);
    for await (const piece of inTurn(sources, AHEAD)) {
      expect(piece.toString()).toBe('0');
      break;
    }
    expect(begun).toEqual([0, 1, 2]);
    expect([...ended].sort()).toEqual([0, 1, 2]);
  });
});
