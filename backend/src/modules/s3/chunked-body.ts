import { createHash, type Hash } from 'node:crypto';
import { S3Error } from './s3-error.js';
import type { ChunkSignatures } from './signature-v4.js';

/** The longest line between chunks, in bytes: a size, a signature, a trailer. */
const MAX_LINE_BYTES = 4096;
const MAX_TRAILERS = 10;

/** How a body of `Content-Encoding: aws-chunked` is framed. */
export interface ChunkFraming {
  /** Absent where the chunks are not signed. */
  readonly signatures: ChunkSignatures | undefined;
  /** The names that the header x-amz-trailer announces, in lower case; empty for none. */
  readonly trailerNames: readonly string[];
}

/**
 * Takes aws-chunked framing off a body: what it yields is what is stored. Nothing is held but one line or one piece of the source. A
 * chunk's signature is checked when its last byte has been passed on, so what was yielded is only good once this has ended
 * without an error.
 * @param trailers takes those that came, when this has ended
 * @throws S3Error
 */
export async function* decodeChunks(
  source: AsyncIterable<Buffer>,
  { signatures, trailerNames }: ChunkFraming,
  trailers: Map<string, string>,
): AsyncGenerator<Buffer, void, undefined> {
  const input = new Input(source);
  for (;;) {
    const { sizeBytes, signature } = readChunkLine(await input.line(), signatures !== undefined);
    const hash = signatures && createHash('sha256');
    yield* chunkData(input, sizeBytes, hash);
    if (signatures && hash) signatures.verifyChunk(hash.digest('hex'), signature);
    if (sizeBytes === 0) break;
    if ((await input.line()) !== '') throw malformed('a chunk is longer than it says');
  }
  if (trailerNames.length > 0) await readTrailers(input, signatures, trailerNames, trailers);
  else if (((await input.lineOrEnd()) ?? '') !== '') throw malformed('there is something after the last chunk');
  if (!(await input.isAtEnd())) throw malformed('there is something after the last chunk');
}

const malformed = (why: string): S3Error => new S3Error('InvalidRequest', `the body is not aws-chunked: ${why}`);

function readChunkLine(line: string, isSigned: boolean): { readonly sizeBytes: number; readonly signature: string } {
  const [, size, signature] = /^([0-9a-fA-F]{1,12})(?:;chunk-signature=([0-9a-f]{64}))?$/.exec(line) ?? [];
  if (size === undefined || (signature !== undefined) !== isSigned) {
    throw malformed(`a chunk must begin with its size${isSigned ? ' and its signature' : ''}`);
  }
  return { sizeBytes: parseInt(size, 16), signature: signature ?? '' };
}

async function* chunkData(input: Input, sizeBytes: number, hash: Hash | undefined): AsyncGenerator<Buffer, void> {
  for (let left = sizeBytes; left > 0;) {
    const piece = await input.take(left);
    hash?.update(piece);
    left -= piece.length;
    yield piece;
  }
}

async function readTrailers(
  input: Input,
  signatures: ChunkSignatures | undefined,
  names: readonly string[],
  trailers: Map<string, string>,
): Promise<void> {
  let signature: string | undefined;
  let canonical = '';
  for (let isFirst = true; ; isFirst = false) {
    const line = await input.lineOrEnd();
    // Some clients end the last chunk with an empty line of its own before the trailers.
    if (line === '' && isFirst) continue;
    if (line === undefined || line === '') break;
    const colon = line.indexOf(':');
    const name = line.slice(0, Math.max(colon, 0)).trim().toLowerCase();
    const value = line.slice(colon + 1).trim();
    if (name === 'x-amz-trailer-signature') {
      signature = value;
    } else if (!names.includes(name) || trailers.has(name) || trailers.size >= MAX_TRAILERS) {
      throw new S3Error('MalformedTrailerError', 'a trailer was not announced in x-amz-trailer, or comes twice');
    } else {
      trailers.set(name, value);
      canonical += `${name}:${value}\n`;
    }
  }
  if (names.some((name) => !trailers.has(name))) {
    throw new S3Error('MalformedTrailerError', 'a trailer that x-amz-trailer announces has not come');
  }
  if (signatures) {
    if (!/^[0-9a-f]{64}$/.test(signature ?? '')) {
      throw new S3Error('MalformedTrailerError', 'the trailers are not signed');
    }
    signatures.verifyTrailers(canonical, signature ?? '');
  }
}

/** Lines and pieces of a source by turns. */
class Input {
  private readonly pieces: AsyncIterator<Buffer>;
  private held: Buffer = Buffer.alloc(0);

  constructor(source: AsyncIterable<Buffer>) {
    this.pieces = source[Symbol.asyncIterator]();
  }

  /** What comes next, at most so many bytes, at least one. @throws S3Error IncompleteBody at the end */
  async take(maxBytes: number): Promise<Buffer> {
    if (!(await this.fill())) throw incomplete();
    const piece = this.held.subarray(0, maxBytes);
    this.held = this.held.subarray(piece.length);
    return piece;
  }

  /** The next line without its end. @throws S3Error IncompleteBody when there is none */
  async line(): Promise<string> {
    const line = await this.lineOrEnd();
    if (line === undefined) throw incomplete();
    return line;
  }

  /** The next line without its end, which may be missing at the end of all; undefined at the end. */
  async lineOrEnd(): Promise<string | undefined> {
    let begun: Buffer | undefined;
    for (;;) {
      if (!(await this.fill())) return begun?.toString('latin1');
      const feed = this.held.indexOf(0x0a);
      const end = feed === -1 ? this.held.length : feed;
      begun = begun ? Buffer.concat([begun, this.held.subarray(0, end)]) : this.held.subarray(0, end);
      this.held = this.held.subarray(feed === -1 ? end : end + 1);
      if (begun.length > MAX_LINE_BYTES) throw malformed('a line is too long');
      if (feed !== -1) return begun.toString('latin1').replace(/\r$/, '');
    }
  }

  async isAtEnd(): Promise<boolean> {
    return !(await this.fill());
  }

  private async fill(): Promise<boolean> {
    while (this.held.length === 0) {
      const next = await this.pieces.next();
      if (next.done === true) return false;
      this.held = next.value;
    }
    return true;
  }
}

function incomplete(): S3Error {
  return new S3Error('IncompleteBody', 'the body ends before its last chunk');
}
