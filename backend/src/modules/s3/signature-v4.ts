import { createHash, createHmac, timingSafeEqual } from 'node:crypto';
import { type RequestHead, decodePart, encodePart, encodePath } from './request-head.js';
import { S3Error } from './s3-error.js';

const ALGORITHM = 'AWS4-HMAC-SHA256';
const TERMINATOR = 'aws4_request';
export const UNSIGNED_PAYLOAD = 'UNSIGNED-PAYLOAD';
/** How far the clocks of client and server may be apart. */
const MAX_SKEW_MS = 15 * 60_000;
/** The longest life of a presigned URL: seven days. */
const MAX_EXPIRES_S = 604_800;
const EMPTY_SHA256 = createHash('sha256').digest('hex');

/** What a request says of its signature. */
export interface SignatureClaim {
  readonly via: 'header' | 'query';
  readonly accessKeyId: string;
  /** `date/region/service/aws4_request` */
  readonly scope: string;
  /** In the form `20130524T000000Z`. */
  readonly timestamp: string;
  readonly signedHeaders: readonly string[];
  /** 64 hexadecimal digits. */
  readonly signature: string;
  /** The last line of the canonical request: a SHA-256, or a word for how the body is signed. */
  readonly payloadHash: string;
}

/**
 * What a request says of its signature, found well-formed and of this time; whether it is right is {@link verifySignature}'s.
 * @param now in milliseconds
 * @throws S3Error
 */
export function readClaim(head: RequestHead, now: number): SignatureClaim {
  const authorization = head.header('authorization');
  const inQuery = head.has('X-Amz-Algorithm') || head.has('X-Amz-Signature') || head.has('X-Amz-Credential');
  if (authorization !== undefined && inQuery) {
    throw new S3Error(
      'InvalidArgument',
      'a request is signed by its Authorization header or by its query, not by both',
    );
  }
  if (authorization !== undefined) return readHeader(head, authorization, now);
  if (inQuery) return readQuery(head, now);
  if (head.has('AWSAccessKeyId')) {
    throw new S3Error('InvalidRequest', `signatures of version 2 are not supported: use ${ALGORITHM}`);
  }
  throw new S3Error('AccessDenied', 'the request is not signed');
}

function readHeader(head: RequestHead, authorization: string, now: number): SignatureClaim {
  const malformed = (why: string): S3Error => new S3Error('AuthorizationHeaderMalformed', why);
  const space = authorization.indexOf(' ');
  if (authorization.slice(0, space) !== ALGORITHM) {
    throw new S3Error('InvalidRequest', `the authorization mechanism is not supported: use ${ALGORITHM}`);
  }
  const fields = new Map(
    authorization
      .slice(space + 1)
      .split(',')
      .map((field) => {
        const equals = field.indexOf('=');
        return [field.slice(0, equals).trim(), field.slice(equals + 1).trim()] as const;
      }),
  );
  const credential = readCredential(fields.get('Credential') ?? '', malformed);
  const timestamp = head.header('x-amz-date') ?? basicForm(head.header('date'));
  if (timestamp === undefined) throw new S3Error('AccessDenied', 'the request has neither x-amz-date nor a valid Date');
  const signedAt = instantOf(timestamp);
  if (signedAt === undefined) throw new S3Error('AccessDenied', 'x-amz-date is not of the form YYYYMMDDTHHMMSSZ');
  if (Math.abs(now - signedAt) > MAX_SKEW_MS) {
    throw new S3Error('RequestTimeTooSkewed', 'the clocks of client and server are more than 15 minutes apart');
  }
  if (!timestamp.startsWith(credential.date)) throw malformed('the credential is for another day than the request');
  const payloadHash = head.header('x-amz-content-sha256');
  if (payloadHash === undefined) throw new S3Error('InvalidRequest', 'the header x-amz-content-sha256 is missing');
  return {
    via: 'header',
    accessKeyId: credential.accessKeyId,
    scope: credential.scope,
    timestamp,
    signedHeaders: readSignedHeaders(head, fields.get('SignedHeaders') ?? '', malformed),
    signature: readSignature(fields.get('Signature') ?? '', malformed),
    payloadHash,
  };
}

function readQuery(head: RequestHead, now: number): SignatureClaim {
  const malformed = (why: string): S3Error => new S3Error('AuthorizationQueryParametersError', why);
  if (head.parameter('X-Amz-Algorithm') !== ALGORITHM) throw malformed(`X-Amz-Algorithm must be ${ALGORITHM}`);
  const credential = readCredential(head.parameter('X-Amz-Credential') ?? '', malformed);
  const timestamp = head.parameter('X-Amz-Date') ?? '';
  const signedAt = instantOf(timestamp);
  if (signedAt === undefined) throw malformed('X-Amz-Date must be of the form YYYYMMDDTHHMMSSZ');
  if (!timestamp.startsWith(credential.date)) throw malformed('the credential is for another day than X-Amz-Date');
  const expires = head.parameter('X-Amz-Expires') ?? '';
  const lifeSeconds = Number(expires);
  if (!/^\d{1,6}$/.test(expires) || lifeSeconds < 1 || lifeSeconds > MAX_EXPIRES_S) {
    throw malformed(`X-Amz-Expires must be 1 to ${MAX_EXPIRES_S} seconds`);
  }
  if (signedAt - now > MAX_SKEW_MS) throw new S3Error('AccessDenied', 'the request is not valid yet');
  if (now > signedAt + lifeSeconds * 1000) throw new S3Error('AccessDenied', 'the request has expired');
  return {
    via: 'query',
    accessKeyId: credential.accessKeyId,
    scope: credential.scope,
    timestamp,
    signedHeaders: readSignedHeaders(head, head.parameter('X-Amz-SignedHeaders') ?? '', malformed),
    signature: readSignature(head.parameter('X-Amz-Signature') ?? '', malformed),
    payloadHash: head.header('x-amz-content-sha256') ?? head.parameter('X-Amz-Content-Sha256') ?? UNSIGNED_PAYLOAD,
  };
}

interface Credential {
  readonly accessKeyId: string;
  readonly date: string;
  readonly scope: string;
}

/** Any region will do: there is only one. */
function readCredential(text: string, malformed: (why: string) => S3Error): Credential {
  const [, accessKeyId, date, region, service] =
    /^([^/\s]{1,128})\/(\d{8})\/([^/\s]{1,64})\/([^/\s]{1,16})\/aws4_request$/.exec(text) ?? [];
  if (accessKeyId === undefined || date === undefined) {
    throw malformed(`the credential must be of the form <key id>/YYYYMMDD/<region>/s3/${TERMINATOR}`);
  }
  if (service !== 's3') throw malformed('the credential is for another service than s3');
  return { accessKeyId, date, scope: `${date}/${region}/${service}/${TERMINATOR}` };
}

function readSignature(text: string, malformed: (why: string) => S3Error): string {
  if (!/^[0-9a-f]{64}$/.test(text)) throw malformed('the signature must be 64 hexadecimal digits');
  return text;
}

function readSignedHeaders(head: RequestHead, text: string, malformed: (why: string) => S3Error): readonly string[] {
  const names = text.split(';');
  if (!names.includes('host')) throw malformed('the header host must be signed');
  if (names.some((name, index) => !/^[!#$%&'*+.^_`|~0-9a-z-]+$/.test(name) || names.indexOf(name) !== index)) {
    throw malformed('the signed headers must be names in lower case, separated by semicolons, each once');
  }
  // What is not signed may have been added on the way, and these change what is done.
  const unsigned = [...head.headerNames()].filter((name) => name.startsWith('x-amz-') && !names.includes(name));
  if (unsigned.length > 0) {
    throw new S3Error('AccessDenied', `there are headers that are not signed: ${unsigned.slice(0, 5).join(', ')}`);
  }
  return names;
}

/** Milliseconds of `20130524T000000Z`; undefined when it is no such instant. */
function instantOf(timestamp: string): number | undefined {
  const parts = /^(\d{4})(\d\d)(\d\d)T(\d\d)(\d\d)(\d\d)Z$/.exec(timestamp);
  if (!parts) return undefined;
  const [, year, month, day, hour, minute, second] = parts;
  const instant = Date.parse(`${year}-${month}-${day}T${hour}:${minute}:${second}Z`);
  return Number.isNaN(instant) ? undefined : instant;
}

/** The form of x-amz-date for the value of a Date header. */
function basicForm(date: string | undefined): string | undefined {
  const instant = Date.parse(date ?? '');
  return Number.isNaN(instant) ? undefined : new Date(instant).toISOString().replace(/[-:]|\.\d{3}/g, '');
}

/** The key that a secret signs with within one scope: a day, a region, a service. */
export function signingKey(secret: string, scope: string): Buffer {
  return scope.split('/').reduce<Buffer>((key, part) => hmac(key, part), Buffer.from(`AWS4${secret}`, 'utf8'));
}

function hmac(key: Buffer, text: string): Buffer {
  return createHmac('sha256', key).update(text, 'latin1').digest();
}

/**
 * The canonical request of the S3 manual, one character a byte.
 * @param path percent-encoded
 */
export function canonicalRequest(head: RequestHead, claim: SignatureClaim, path: string): string {
  const query = head.query
    .filter(([name]) => claim.via === 'header' || name !== 'X-Amz-Signature')
    .map(([name, value]) => [encodePart(name), encodePart(value)] as const)
    .sort(([name1, value1], [name2, value2]) => compare(name1, name2) || compare(value1, value2))
    .map(([name, value]) => `${name}=${value}`)
    .join('&');
  const headers = claim.signedHeaders.map((name) => `${name}:${(head.header(name) ?? '').replace(/ +/g, ' ')}\n`);
  return [head.method, path, query, headers.join(''), claim.signedHeaders.join(';'), claim.payloadHash].join('\n');
}

function compare(one: string, other: string): number {
  return one < other ? -1 : one > other ? 1 : 0;
}

/** The signature of a canonical request. */
export function signatureOf(canonical: string, key: Buffer, { timestamp, scope }: SignatureClaim): string {
  const digest = createHash('sha256').update(canonical, 'latin1').digest('hex');
  return hmac(key, [ALGORITHM, timestamp, scope, digest].join('\n')).toString('hex');
}

/**
 * Whether the request was signed with this secret.
 * @returns what the signatures of the body's chunks go on from
 * @throws S3Error SignatureDoesNotMatch
 */
export function verifySignature(head: RequestHead, claim: SignatureClaim, secret: string): ChunkSignatures {
  const key = signingKey(secret, claim.scope);
  // Most clients sign the path as they send it; some sign a stricter encoding. Both mean the same key.
  const paths = new Set([head.rawPath, encodePath(decodePart(head.rawPath))]);
  for (const path of paths) {
    if (isSame(signatureOf(canonicalRequest(head, claim, path), key, claim), claim.signature)) {
      return new ChunkSignatures(key, claim);
    }
  }
  throw new S3Error('SignatureDoesNotMatch', 'the signature is not the one that the secret key gives for this request');
}

/** In constant time; both are hexadecimal digits of one length. */
function isSame(one: string, other: string): boolean {
  const [a, b] = [Buffer.from(one, 'hex'), Buffer.from(other, 'hex')];
  return a.length === b.length && timingSafeEqual(a, b);
}

/** The chain of signatures in a body that is signed piece by piece: each covers the one before. */
export class ChunkSignatures {
  private previous: string;

  constructor(
    private readonly key: Buffer,
    private readonly claim: SignatureClaim,
  ) {
    this.previous = claim.signature;
  }

  /** @param sha256 of the chunk's bytes, in hexadecimal digits. @throws S3Error */
  verifyChunk(sha256: string, signature: string): void {
    this.verify('AWS4-HMAC-SHA256-PAYLOAD', [EMPTY_SHA256, sha256], signature);
  }

  /** @param trailers in their canonical form: `name:value\n` each. @throws S3Error */
  verifyTrailers(trailers: string, signature: string): void {
    this.verify('AWS4-HMAC-SHA256-TRAILER', [createHash('sha256').update(trailers, 'latin1').digest('hex')], signature);
  }

  private verify(kind: string, hashes: readonly string[], signature: string): void {
    const { timestamp, scope } = this.claim;
    const expected = hmac(this.key, [kind, timestamp, scope, this.previous, ...hashes].join('\n')).toString('hex');
    if (!isSame(expected, signature)) {
      throw new S3Error(
        'SignatureDoesNotMatch',
        'the signature of a chunk of the body is not the one that it must have',
      );
    }
    this.previous = signature;
  }
}
