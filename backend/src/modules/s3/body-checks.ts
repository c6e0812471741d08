import { createHash } from 'node:crypto';
import { Crc32, type Digest, makeCrc32c, makeCrc64Nvme } from './crc.js';
import { S3Error, type S3ErrorCode } from './s3-error.js';

const MAKERS = {
  crc32: () => new Crc32(),
  crc32c: makeCrc32c,
  crc64nvme: makeCrc64Nvme,
  sha1: () => createHash('sha1'),
  sha256: () => createHash('sha256'),
} as const satisfies Record<string, () => Digest>;

/** The checksums that clients may send along, in a header or a trailer `x-amz-checksum-<name>`. */
export type ChecksumName = keyof typeof MAKERS;

const HEADER_PREFIX = 'x-amz-checksum-';

export function isChecksumName(name: string): name is ChecksumName {
  return Object.hasOwn(MAKERS, name);
}

/** The checksum that a header or trailer of this name carries; undefined when it is none. */
export function checksumOfHeader(header: string): ChecksumName | undefined {
  const name = header.startsWith(HEADER_PREFIX) ? header.slice(HEADER_PREFIX.length) : '';
  return isChecksumName(name) ? name : undefined;
}

export function checksumHeader(name: ChecksumName): string {
  return `${HEADER_PREFIX}${name}`;
}

/** One thing that a body must be found to be. */
interface Check {
  readonly digest: Digest;
  readonly form: 'base64' | 'hex';
  /** Asked at the end: a trailer is not there before. */
  readonly expected: () => string | undefined;
  readonly refusal: { readonly code: S3ErrorCode; readonly message: string };
}

/** What a body says it is, and whether that is so. */
export class BodyChecks {
  private readonly checks: Check[] = [];
  private readonly names = new Set<string>();
  /** Of the checksums that were right, as their headers have them; complete when the body has ended. */
  readonly verified = new Map<ChecksumName, string>();

  /** @param sizeBytes that it must have; undefined when nobody knows */
  constructor(private readonly sizeBytes: number | undefined) {}

  /** @param expected in hexadecimal digits, as x-amz-content-sha256 has it */
  expectSignedHash(expected: string): void {
    this.checks.push({
      digest: createHash('sha256'),
      form: 'hex',
      expected: () => expected,
      refusal: { code: 'XAmzContentSHA256Mismatch', message: 'the SHA-256 of the body is not the one that is signed' },
    });
  }

  /** @param expected base64, as Content-MD5 has it. @throws S3Error InvalidDigest */
  expectMd5(expected: string): void {
    if (Buffer.from(expected, 'base64').length !== 16 || !/^[A-Za-z0-9+/]{22}==$/.test(expected)) {
      throw new S3Error('InvalidDigest', 'Content-MD5 is not the base64 of an MD5');
    }
    this.checks.push({
      digest: createHash('md5'),
      form: 'base64',
      expected: () => expected,
      refusal: { code: 'BadDigest', message: 'the MD5 of the body is not Content-MD5' },
    });
  }

  /** @param expected base64; asked when the body has ended. @throws S3Error InvalidRequest when it comes twice */
  expectChecksum(name: ChecksumName, expected: () => string | undefined): void {
    if (this.names.has(name)) throw new S3Error('InvalidRequest', `the ${name} of the body is given twice`);
    this.names.add(name);
    this.checks.push({
      digest: MAKERS[name](),
      form: 'base64',
      expected: () => {
        const value = expected();
        if (value !== undefined) this.verified.set(name, value);
        return value;
      },
      refusal: { code: 'BadDigest', message: `the ${name} of the body is not the one that was sent along` },
    });
  }

  /**
   * Passes a body on, and throws at its end when it was not what it must be.
   * @throws S3Error
   */
  async *pass(source: AsyncIterable<Buffer>): AsyncGenerator<Buffer, void, undefined> {
    let bytes = 0;
    for await (const piece of source) {
      bytes += piece.length;
      if (this.sizeBytes !== undefined && bytes > this.sizeBytes) break;
      for (const { digest } of this.checks) digest.update(piece);
      yield piece;
    }
    if (this.sizeBytes !== undefined && bytes !== this.sizeBytes) {
      throw new S3Error('IncompleteBody', 'the body has not as many bytes as were announced');
    }
    for (const { digest, form, expected, refusal } of this.checks) {
      if (expected() !== digest.digest().toString(form)) throw new S3Error(refusal.code, refusal.message);
    }
  }
}
