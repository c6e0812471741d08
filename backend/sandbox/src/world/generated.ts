/** Knuth's multiplier for hashing: neighbouring words have nothing in common. */
const MULTIPLIER = 2_654_435_761;
const WORD_BYTES = 4;
const PIECE_BYTES = 1_048_576;
/** Looked up once: a test runner makes globals slow. */
const { imul } = Math;

/**
 * Bytes that depend on nothing but where they are, so that any stretch of a file of any size can be made, and checked, without the
 * rest. No two stretches of some bytes are equal within 16 GiB.
 */
export function generatedBytes(offset: number, length: number): Buffer {
  const first = Math.floor(offset / WORD_BYTES);
  const words = new Uint32Array(Math.ceil((offset + length) / WORD_BYTES) - first);
  for (let index = 0; index < words.length; index += 1) words[index] = imul(first + index, MULTIPLIER);
  return Buffer.from(words.buffer, offset - first * WORD_BYTES, length);
}

/** A whole file of such bytes, in pieces. */
export function* generatedPieces(sizeBytes: number): Generator<Buffer> {
  for (let offset = 0; offset < sizeBytes; offset += PIECE_BYTES) {
    yield generatedBytes(offset, Math.min(PIECE_BYTES, sizeBytes - offset));
  }
}
