import { BodyChecks, checksumHeader, checksumOfHeader } from './body-checks.js';
import { decodeChunks } from './chunked-body.js';
import type { Body } from './object-store.js';
import { type RequestHead, utf8Of } from './request-head.js';
import { S3Error } from './s3-error.js';
import { type ChunkSignatures, UNSIGNED_PAYLOAD } from './signature-v4.js';

const STREAMING = {
  'STREAMING-AWS4-HMAC-SHA256-PAYLOAD': { isSigned: true, hasTrailer: false },
  'STREAMING-AWS4-HMAC-SHA256-PAYLOAD-TRAILER': { isSigned: true, hasTrailer: true },
  'STREAMING-UNSIGNED-PAYLOAD-TRAILER': { isSigned: false, hasTrailer: true },
} as const satisfies Record<string, { isSigned: boolean; hasTrailer: boolean }>;

/** Headers that begin like those of checksums and are none. */
const ABOUT_CHECKSUMS = new Set(['x-amz-checksum-algorithm', 'x-amz-checksum-mode', 'x-amz-checksum-type']);

/** The largest XML that is read: more than a completed upload of 10,000 parts has. */
const MAX_XML_BYTES = 4 * 1024 * 1024;

/** What a request carries, and what it says of it. Reading it checks it. */
export class Payload {
  /** What will come, without framing; undefined when the request does not say. */
  readonly sizeBytes: number | undefined;
  private readonly framing: (typeof STREAMING)[keyof typeof STREAMING] | undefined;
  private readonly trailerNames: readonly string[];
  private checks: BodyChecks | undefined;

  /**
   * @param source the body as it comes
   * @throws S3Error for what the headers say of it
   */
  constructor(
    private readonly head: RequestHead,
    private readonly payloadHash: string,
    private readonly signatures: ChunkSignatures,
    private readonly source: Body,
  ) {
    this.framing = Object.hasOwn(STREAMING, payloadHash) ? STREAMING[payloadHash as keyof typeof STREAMING] : undefined;
    if (!this.framing && payloadHash !== UNSIGNED_PAYLOAD && !/^[0-9a-f]{64}$/.test(payloadHash)) {
      if (payloadHash.startsWith('STREAMING-')) throw new S3Error('NotImplemented', `${payloadHash} is not supported`);
      throw new S3Error('InvalidArgument', 'x-amz-content-sha256 is neither a SHA-256 nor a known word');
    }
    this.sizeBytes = this.framing ? decodedLength(head) : contentLength(head);
    this.trailerNames = this.framing?.hasTrailer
      ? (head.header('x-amz-trailer') ?? '')
          .split(',')
          .map((name) => name.trim().toLowerCase())
          .filter((name) => name !== '')
      : [];
    for (const name of [...head.headerNames(), ...this.trailerNames]) {
      if (name.startsWith('x-amz-checksum-') && !ABOUT_CHECKSUMS.has(name) && !checksumOfHeader(name)) {
        throw new S3Error('NotImplemented', `${name} is not supported`);
      }
    }
  }

  /**
   * The body without framing. It throws at its end when it is not what was signed or sent along.
   * @param isObject its checksums are of the body; with other requests they may be of what the body tells about
   */
  stream(isObject = true): Body {
    const trailers = new Map<string, string>();
    const checks = new BodyChecks(this.sizeBytes);
    this.checks = checks;
    if (!this.framing && this.payloadHash !== UNSIGNED_PAYLOAD) checks.expectSignedHash(this.payloadHash);
    const md5 = this.head.header('content-md5');
    if (md5 !== undefined) checks.expectMd5(md5);
    if (isObject) {
      for (const header of this.head.headerNames()) {
        const name = checksumOfHeader(header);
        if (name !== undefined) checks.expectChecksum(name, () => this.head.header(header));
      }
      for (const trailer of this.trailerNames) {
        const name = checksumOfHeader(trailer);
        if (name !== undefined) checks.expectChecksum(name, () => trailers.get(trailer));
      }
    }
    if (!this.framing) return checks.pass(this.source);
    const signatures = this.framing.isSigned ? this.signatures : undefined;
    return checks.pass(decodeChunks(this.source, { signatures, trailerNames: this.trailerNames }, trailers));
  }

  /** The checksums that were found right while the body was read, as headers of the answer. */
  verifiedHeaders(): Readonly<Record<string, string>> {
    const verified = this.checks?.verified ?? new Map<never, string>();
    return Object.fromEntries([...verified].map(([name, value]) => [checksumHeader(name), value]));
  }

  /**
   * The whole body as a text.
   * @throws S3Error MaxMessageLengthExceeded, MalformedXML when it is no UTF-8
   */
  async text(isObject = true): Promise<string> {
    const pieces: Buffer[] = [];
    let bytes = 0;
    for await (const piece of this.stream(isObject)) {
      bytes += piece.length;
      if (bytes > MAX_XML_BYTES) throw new S3Error('MaxMessageLengthExceeded', 'the body is too large');
      pieces.push(piece);
    }
    try {
      return utf8Of(Buffer.concat(pieces).toString('latin1'));
    } catch {
      throw new S3Error('MalformedXML', 'the XML of the request: it is not UTF-8');
    }
  }
}

function decodedLength(head: RequestHead): number {
  const text = head.header('x-amz-decoded-content-length');
  if (text === undefined) throw new S3Error('MissingContentLength', 'x-amz-decoded-content-length is missing');
  if (!/^\d{1,15}$/.test(text)) throw new S3Error('InvalidArgument', 'x-amz-decoded-content-length is no number');
  return Number(text);
}

function contentLength(head: RequestHead): number | undefined {
  const text = head.header('content-length');
  if (text === undefined) return head.header('transfer-encoding') === undefined ? 0 : undefined;
  return Number(text);
}
