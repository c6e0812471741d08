/** Bytes that have to be fetched. */
export interface Source {
  readonly sizeBytes: number;
  readonly open: () => AsyncGenerator<Buffer, undefined>;
}

/** How far ahead sources are begun. */
export interface Ahead {
  /** Sources that are begun beside the one that is read, at most. */
  readonly sources: number;
  /** One is begun once no more than so much before it is left to be taken. */
  readonly bytes: number;
}

/**
 * The pieces of sources, one source after the other. The next ones are begun meanwhile: of each its first piece is held, and whatever
 * the source itself buffers. A failure is told when the turn of its source comes, and whoever breaks off ends all that was begun.
 */
export async function* inTurn(sources: Iterable<Source>, ahead: Ahead): AsyncGenerator<Buffer, undefined> {
  const waiting = [...sources];
  const begun: { readonly pieces: AsyncGenerator<Buffer, undefined>; readonly first: ReturnType<typeof next> }[] = [];
  let leftBytes = 0;
  const begin = (): void => {
    while (begun.length === 0 || (begun.length <= ahead.sources && leftBytes <= ahead.bytes)) {
      const source = waiting.shift();
      if (source === undefined) return;
      const pieces = source.open();
      begun.push({ pieces, first: next(pieces) });
      leftBytes += source.sizeBytes;
    }
  };
  let hasFailed = false;
  try {
    for (;;) {
      begin();
      const [current] = begun;
      if (current === undefined) return undefined;
      for (let piece = await current.first; piece.done !== true; piece = await current.pieces.next()) {
        leftBytes -= piece.value.length;
        begin();
        yield piece.value;
      }
      begun.shift();
    }
  } catch (error) {
    hasFailed = true;
    throw error;
  } finally {
    const ended = Promise.allSettled(begun.map(({ pieces }) => pieces.return(undefined)));
    // A failure is told at once: one that was begun ends no sooner than its first piece comes.
    if (!hasFailed) await ended;
  }
}

/** Whoever awaits it is told of its failure, and nobody need. */
function next(pieces: AsyncGenerator<Buffer, undefined>): Promise<IteratorResult<Buffer, undefined>> {
  const result = pieces.next();
  result.catch(() => undefined);
  return result;
}
