import { createHash } from 'node:crypto';
import fc from 'fast-check';
import { BodyChecks } from './body-checks.js';
import { decodeChunks } from './chunked-body.js';
import { RequestHead, encodePart, encodePath } from './request-head.js';
import { S3Error } from './s3-error.js';
import { canonicalRequest, readClaim, signatureOf, signingKey, verifySignature } from './signature-v4.js';

// The worked examples of the S3 manual, "Authenticating Requests (AWS Signature Version 4)".
const KEY_ID = 'AKIAIOSFODNN7EXAMPLE';
const SECRET = 'wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY';
const SCOPE = '20130524/us-east-1/s3/aws4_request';
const NOW = Date.parse('2013-05-24T00:00:00Z');
const EMPTY = createHash('sha256').digest('hex');

interface Example {
  readonly method: string;
  readonly target: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly signature: string;
}

function signed({ method, target, headers, signature }: Example): RequestHead {
  const names = Object.keys(headers).sort().join(';');
  const authorization = `AWS4-HMAC-SHA256 Credential=${KEY_ID}/${SCOPE},SignedHeaders=${names},Signature=${signature}`;
  return new RequestHead(method, target, Object.entries({ ...headers, authorization }).flat());
}

const HOST = { host: 'examplebucket.s3.amazonaws.com' };
const DATED = { 'x-amz-date': '20130524T000000Z' };
const GET_OBJECT: Example = {
  method: 'GET',
  target: '/test.txt',
  headers: { ...HOST, range: 'bytes=0-9', 'x-amz-content-sha256': EMPTY, ...DATED },
  signature: 'f0e8bdb87c964420e857bd35b5d6ed310bd44f0170aba48dd91039c6036bdb41',
};
const EXAMPLES: Readonly<Record<string, Example>> = {
  'GET of an object with a range': GET_OBJECT,
  'PUT of an object': {
    method: 'PUT',
    target: '/test%24file.text',
    headers: {
      ...HOST,
      date: 'Fri, 24 May 2013 00:00:00 GMT',
      'x-amz-content-sha256': createHash('sha256').update('Welcome to Amazon S3.').digest('hex'),
      ...DATED,
      'x-amz-storage-class': 'REDUCED_REDUNDANCY',
    },
    signature: '98ad721746da40c64f1a55b78f14c238d841ea1380cd77a1b5971af0ece108bd',
  },
  'GET of a bucket lifecycle': {
    method: 'GET',
    target: '/?lifecycle',
    headers: { ...HOST, 'x-amz-content-sha256': EMPTY, ...DATED },
    signature: 'fea454ca298b7da1c68078a5d1bdbfbbe0d65c699e0f91ac7a200a0136783543',
  },
  'list of objects': {
    method: 'GET',
    target: '/?max-keys=2&prefix=J',
    headers: { ...HOST, 'x-amz-content-sha256': EMPTY, ...DATED },
    signature: '34b48302e7b5fa45bde8084f4b7868a86f0a534bc59db6670ed5711ef69dc6f7',
  },
};
const PRESIGNED_SIGNATURE = 'aeeed9bbccd4d02ee5c0109b86d86835f995330da4c265957d157751f604d404';
const presignedTarget = (change: Readonly<Record<string, string>> = {}): string =>
  `/test.txt?${Object.entries({
    'X-Amz-Algorithm': 'AWS4-HMAC-SHA256',
    'X-Amz-Credential': `${KEY_ID}/${SCOPE}`,
    'X-Amz-Date': '20130524T000000Z',
    'X-Amz-Expires': '86400',
    'X-Amz-SignedHeaders': 'host',
    'X-Amz-Signature': PRESIGNED_SIGNATURE,
    ...change,
  })
    .map(([name, value]) => `${name}=${encodePart(value)}`)
    .join('&')}`;
const presigned = (change: Readonly<Record<string, string>> = {}, more: readonly string[] = []): RequestHead =>
  new RequestHead('GET', presignedTarget(change), ['host', HOST.host, ...more]);

function codeOf(work: () => unknown): string {
  try {
    work();
  } catch (error) {
    if (error instanceof S3Error) return error.code;
    throw error;
  }
  return 'none';
}

async function codeOfAsync(work: Promise<unknown>): Promise<string> {
  try {
    await work;
  } catch (error) {
    if (error instanceof S3Error) return error.code;
    throw error;
  }
  return 'none';
}

const verify = (head: RequestHead, now = NOW): unknown => verifySignature(head, readClaim(head, now), SECRET);

/** Signs any head anew, as a client would that lists these headers. */
function sign(
  method: string,
  target: string,
  headers: Readonly<Record<string, string>>,
  signedPath?: string,
): RequestHead {
  const unsigned = signed({ method, target, headers, signature: '0'.repeat(64) });
  const claim = readClaim(unsigned, NOW);
  const canonical = canonicalRequest(unsigned, claim, signedPath ?? unsigned.rawPath);
  return signed({ method, target, headers, signature: signatureOf(canonical, signingKey(SECRET, SCOPE), claim) });
}

describe('a signature of version 4', () => {
  it.each(Object.entries(EXAMPLES))('is computed as in the manual: %s', (_name, example) => {
    const head = signed(example);
    const claim = readClaim(head, NOW);
    const canonical = canonicalRequest(head, claim, head.rawPath);
    expect(signatureOf(canonical, signingKey(SECRET, claim.scope), claim)).toBe(example.signature);
    expect(codeOf(() => verify(head))).toBe('none');
  });

  it('is computed as in the manual: presigned URL', () => {
    const head = presigned();
    const claim = readClaim(head, NOW);
    const canonical = canonicalRequest(head, claim, head.rawPath);
    expect(signatureOf(canonical, signingKey(SECRET, claim.scope), claim)).toBe(PRESIGNED_SIGNATURE);
    expect(codeOf(() => verify(head))).toBe('none');
  });

  it('is refused when anything that it covers is another', () => {
    const example = GET_OBJECT;
    expect(codeOf(() => verify(signed({ ...example, method: 'HEAD' })))).toBe('SignatureDoesNotMatch');
    expect(codeOf(() => verify(signed({ ...example, target: '/test.txt?acl' })))).toBe('SignatureDoesNotMatch');
    expect(codeOf(() => verify(signed({ ...example, target: '/Test.txt' })))).toBe('SignatureDoesNotMatch');
    const range = { ...example.headers, range: 'bytes=0-10' };
    expect(codeOf(() => verify(signed({ ...example, headers: range })))).toBe('SignatureDoesNotMatch');
    expect(codeOf(() => verify(presigned({ 'X-Amz-Expires': '86401' })))).toBe('SignatureDoesNotMatch');
    const head = signed(example);
    expect(codeOf(() => verifySignature(head, readClaim(head, NOW), 'another secret'))).toBe('SignatureDoesNotMatch');
  });

  it('is taken when the clocks are up to 15 minutes apart, and not a second more', () => {
    for (const sign of [-1, 1]) {
      expect(codeOf(() => verify(signed(GET_OBJECT), NOW + sign * 900_000))).toBe('none');
      expect(codeOf(() => verify(signed(GET_OBJECT), NOW + sign * 901_000))).toBe('RequestTimeTooSkewed');
    }
  });

  it('in a URL is taken until it expires, and at most for seven days', () => {
    expect(codeOf(() => verify(presigned(), NOW + 86_400_000))).toBe('none');
    expect(codeOf(() => verify(presigned(), NOW + 86_400_001))).toBe('AccessDenied');
    expect(codeOf(() => verify(presigned(), NOW - 901_000))).toBe('AccessDenied');
    for (const expires of ['0', '-1', '604801', '1e3', '', '60 ']) {
      expect(codeOf(() => verify(presigned({ 'X-Amz-Expires': expires })))).toBe('AuthorizationQueryParametersError');
    }
  });

  it('must cover host and every x-amz- header', () => {
    const unsignedMeta = ['x-amz-meta-a', '1'];
    expect(codeOf(() => readClaim(presigned({}, unsignedMeta), NOW))).toBe('AccessDenied');
    expect(codeOf(() => readClaim(presigned({ 'X-Amz-SignedHeaders': 'range' }), NOW))).toBe(
      'AuthorizationQueryParametersError',
    );
  });

  it.each([
    ['no signature', [], 'AccessDenied'],
    ['version 2', ['authorization', 'AWS AKID:c2ln'], 'InvalidRequest'],
    ['a bearer token', ['authorization', 'Bearer abc'], 'InvalidRequest'],
    ['an empty one', ['authorization', ''], 'InvalidRequest'],
    ['nothing behind the algorithm', ['authorization', 'AWS4-HMAC-SHA256 x'], 'AuthorizationHeaderMalformed'],
    [
      'another service',
      ['authorization', 'AWS4-HMAC-SHA256 Credential=A/20130524/r/iam/aws4_request'],
      'AuthorizationHeaderMalformed',
    ],
  ])('that is %s is refused by name', (_name, headers, code) => {
    expect(codeOf(() => readClaim(new RequestHead('GET', '/', ['host', 'h', ...headers]), NOW))).toBe(code);
  });

  it('of version 2 in a URL is refused by name', () => {
    const head = new RequestHead('GET', '/b/k?AWSAccessKeyId=A&Signature=c2ln&Expires=1', ['host', 'h']);
    expect(codeOf(() => readClaim(head, NOW))).toBe('InvalidRequest');
  });

  it('in the header and in the query at once is refused', () => {
    expect(codeOf(() => readClaim(presigned({}, ['authorization', 'AWS4-HMAC-SHA256 x']), NOW))).toBe(
      'InvalidArgument',
    );
  });

  it('covers the path as it was sent, or strictly encoded: for every key', () => {
    const headers = { ...HOST, 'x-amz-content-sha256': EMPTY, ...DATED };
    const keys = fc.string({ unit: 'binary', minLength: 1, maxLength: 40 }).filter((key) => !key.includes('\0'));
    fc.assert(
      fc.property(keys, (key) => {
        const strict = `/bucket/${encodePath(key)}`;
        const lax = strict.replace(/%(2B|3A|40|2C|3D|3B)/g, (code) => decodeURIComponent(code));
        verify(sign('GET', strict, headers));
        verify(sign('GET', lax, headers));
        verify(sign('GET', lax, headers, strict));
      }),
      { numRuns: 200 },
    );
  });

  it('covers values with runs of spaces, repeated headers and bytes beyond ASCII as they were sent', () => {
    const headers = {
      ...HOST,
      'x-amz-content-sha256': EMPTY,
      ...DATED,
      'x-amz-meta-a': Buffer.from('  grüße   an  ').toString('latin1'),
    };
    expect(codeOf(() => verify(sign('PUT', '/b/k', headers)))).toBe('none');
    const head = new RequestHead('GET', '/', ['A', ' 1', 'a', '2 ']);
    expect(head.header('a')).toBe('1,2');
  });
});

describe('a body signed in chunks', () => {
  const UNIT = Buffer.alloc(66_560, 'a');
  const FIRST = UNIT.subarray(0, 65_536);
  const SECOND = UNIT.subarray(65_536);
  const PLAIN = {
    example: {
      method: 'PUT',
      target: '/examplebucket/chunkObject.txt',
      headers: {
        'content-encoding': 'aws-chunked',
        'content-length': '66824',
        host: 's3.amazonaws.com',
        'x-amz-content-sha256': 'STREAMING-AWS4-HMAC-SHA256-PAYLOAD',
        ...DATED,
        'x-amz-decoded-content-length': '66560',
        'x-amz-storage-class': 'REDUCED_REDUNDANCY',
      },
      signature: '4f232c4386841ef735655705268965c44a0e4690baa4adea153f7db9fa80a0a9',
    },
    chunks: [
      'ad80c730a21e5b8d04586a2213dd63b9a0e99e0e2307b0ade35a65485a288648',
      '0055627c9e194cb4542bae2aa5492e3c1575bbb81b612b7d234b86a503ef5497',
      'b6c6ea8a5354eaf15b3cb7646744f4275b71ea724fed81ceb9323e279d449df9',
    ],
    end: '\r\n',
  };
  const TRAILED = {
    example: {
      method: 'PUT',
      target: '/examplebucket/chunkObject.txt',
      headers: {
        'content-encoding': 'aws-chunked',
        host: 's3.amazonaws.com',
        'x-amz-content-sha256': 'STREAMING-AWS4-HMAC-SHA256-PAYLOAD-TRAILER',
        ...DATED,
        'x-amz-decoded-content-length': '66560',
        'x-amz-storage-class': 'REDUCED_REDUNDANCY',
        'x-amz-trailer': 'x-amz-checksum-crc32c',
      },
      signature: '106e2a8a18243abcf37539882f36619c00e2dfc72633413f02d3b74544bfeb8e',
    },
    chunks: [
      'b474d8862b1487a5145d686f57f013e54db672cee1c953b3010fb58501ef5aa2',
      '1c1344b170168f8e65b41376b44b20fe354e373826ccbbe2c1d40a8cae51e5c7',
      '2ca2aba2005185cf7159c6277faf83795951dd77a3a99e6e65d5c9f85863f992',
    ],
    end: `x-amz-checksum-crc32c:sOO8/Q==\r\nx-amz-trailer-signature:d81f82fc3505edab99d459891051a732e8730629a2e4a59689829ca17fe2e435\r\n\r\n`,
  };

  function framed({ chunks, end }: { readonly chunks: readonly string[]; readonly end: string }): Buffer {
    const [first, second, last] = chunks;
    return Buffer.concat([
      Buffer.from(`10000;chunk-signature=${first}\r\n`),
      FIRST,
      Buffer.from(`\r\n400;chunk-signature=${second}\r\n`),
      SECOND,
      Buffer.from(`\r\n0;chunk-signature=${last}\r\n${end}`),
    ]);
  }

  async function* inPieces(bytes: Buffer, sizeBytes: number): AsyncGenerator<Buffer> {
    for (let at = 0; at < bytes.length; at += sizeBytes) {
      yield await Promise.resolve(bytes.subarray(at, at + sizeBytes));
    }
  }

  async function decode(
    { example }: { readonly example: Example },
    bytes: Buffer,
    trailerNames: readonly string[] = [],
    pieceBytes = 10_007,
  ): Promise<Buffer> {
    const head = signed(example);
    const signatures = verifySignature(head, readClaim(head, NOW), SECRET);
    const trailers = new Map<string, string>();
    const checks = new BodyChecks(66_560);
    if (trailerNames.length > 0) checks.expectChecksum('crc32c', () => trailers.get('x-amz-checksum-crc32c'));
    const pieces: Buffer[] = [];
    const source = decodeChunks(inPieces(bytes, pieceBytes), { signatures, trailerNames }, trailers);
    for await (const piece of checks.pass(source)) pieces.push(piece);
    return Buffer.concat(pieces);
  }
  const CRC32C = ['x-amz-checksum-crc32c'];

  it.each([1, 85, 65_536, 1 << 20])('is read as in the manual, in pieces of %i bytes', async (pieceBytes) => {
    expect((await decode(PLAIN, framed(PLAIN), [], pieceBytes)).equals(UNIT)).toBe(true);
    expect((await decode(TRAILED, framed(TRAILED), CRC32C, pieceBytes)).equals(UNIT)).toBe(true);
  });

  it('is refused when one byte, one signature or the order of its chunks is another', async () => {
    const flipped = framed(PLAIN);
    flipped[70_000 - 4_000] = 'b'.charCodeAt(0);
    expect(await codeOfAsync(decode(PLAIN, flipped))).toBe('SignatureDoesNotMatch');
    const [one = '', two = '', three = ''] = PLAIN.chunks;
    const swapped = { ...PLAIN, chunks: [one, three, two] };
    expect(await codeOfAsync(decode(PLAIN, framed(swapped)))).toBe('SignatureDoesNotMatch');
    const trailer = { ...TRAILED, end: TRAILED.end.replace('sOO8', 'sOO9') };
    expect(await codeOfAsync(decode(TRAILED, framed(trailer), CRC32C))).toBe('SignatureDoesNotMatch');
    const unsignedTrailer = { ...TRAILED, end: 'x-amz-checksum-crc32c:sOO8/Q==\r\n\r\n' };
    expect(await codeOfAsync(decode(TRAILED, framed(unsignedTrailer), CRC32C))).toBe('MalformedTrailerError');
  });

  it('is refused wherever it is cut off, and when something follows', async () => {
    const whole = framed(TRAILED);
    for (const length of [0, 1, 50, 85, 86, 30_000, 65_622, 65_623, 65_624, 66_732, 66_819, whole.length - 20]) {
      expect(await codeOfAsync(decode(TRAILED, whole.subarray(0, length), CRC32C))).not.toBe('none');
    }
    const more = Buffer.concat([framed(PLAIN), Buffer.from('0\r\n')]);
    expect(await codeOfAsync(decode(PLAIN, more))).toBe('InvalidRequest');
  });
});

describe('a body in chunks that are not signed', () => {
  async function decode(text: string, trailerNames: readonly string[] = []): Promise<string> {
    const trailers = new Map<string, string>();
    const source = (async function* (): AsyncGenerator<Buffer> {
      yield await Promise.resolve(Buffer.from(text));
    })();
    let read = '';
    for await (const piece of decodeChunks(source, { signatures: undefined, trailerNames }, trailers)) {
      read += piece.toString();
    }
    return `${read}|${[...trailers].join()}`;
  }
  const SHA = ['x-amz-checksum-sha1'];

  it('gives its bytes and its trailers, with and without an empty line before them', async () => {
    expect(await decode('5\r\nhello\r\n3\r\n\r\n!\r\n0\r\nx-amz-checksum-sha1: a=\r\n\r\n', SHA)).toBe(
      'hello\r\n!|x-amz-checksum-sha1,a=',
    );
    expect(await decode('1\r\nh\r\n0\r\n\r\nX-Amz-Checksum-Sha1:a=\r\n', SHA)).toBe('h|x-amz-checksum-sha1,a=');
    expect(await decode('0\r\n\r\n')).toBe('|');
  });

  it.each([
    ['a size that is none', 'x\r\nh\r\n0\r\n\r\n', 'InvalidRequest'],
    ['a negative size', '-1\r\nh\r\n0\r\n\r\n', 'InvalidRequest'],
    ['a signature that nobody can check', `1;chunk-signature=${'a'.repeat(64)}\r\nh\r\n0\r\n\r\n`, 'InvalidRequest'],
    ['a chunk longer than it says', '1\r\nhello\r\n0\r\n\r\n', 'InvalidRequest'],
    ['a line without end', 'a'.repeat(10_000), 'InvalidRequest'],
    ['a trailer that was not announced', '0\r\nx-a:b\r\n\r\n', 'InvalidRequest'],
    ['no last chunk', '1\r\nh\r\n', 'IncompleteBody'],
  ])('is refused with %s', async (_name, text, code) => {
    expect(await codeOfAsync(decode(text))).toBe(code);
  });

  it('is refused when an announced trailer is missing, twice there or another', async () => {
    for (const trailers of ['\r\n', 'x-amz-checksum-sha1:a\r\nx-amz-checksum-sha1:a\r\n\r\n', 'x-b:c\r\n\r\n']) {
      expect(await codeOfAsync(decode(`0\r\n${trailers}`, SHA))).toBe('MalformedTrailerError');
    }
  });
});

describe('the checks of a body', () => {
  const KNOWN = {
    crc32: 'y/Q5Jg==',
    crc32c: '4waSgw==',
    crc64nvme: 'rosUhgp5mIg=',
    sha1: '98O8HYCOBHMq32eZZczDTKeuNEE=',
  } as const;

  async function pass(checks: BodyChecks, ...pieces: readonly string[]): Promise<string> {
    const source = (async function* (): AsyncGenerator<Buffer> {
      for (const piece of pieces) yield await Promise.resolve(Buffer.from(piece));
    })();
    return codeOfAsync(
      (async () => {
        for await (const piece of checks.pass(source)) expect(piece.length).toBeGreaterThan(0);
      })(),
    );
  }

  it('know each checksum, however the body is cut', async () => {
    const names = ['crc32', 'crc32c', 'crc64nvme', 'sha1'] as const;
    for (const pieces of [['123456789'], ['1', '2345678', '9'], ['12345678', '9']]) {
      const checks = new BodyChecks(9);
      for (const name of names) checks.expectChecksum(name, () => KNOWN[name]);
      checks.expectChecksum('sha256', () => createHash('sha256').update('123456789').digest('base64'));
      checks.expectMd5(createHash('md5').update('123456789').digest('base64'));
      checks.expectSignedHash(createHash('sha256').update('123456789').digest('hex'));
      expect(await pass(checks, ...pieces)).toBe('none');
      expect([...checks.verified.keys()]).toEqual([...names, 'sha256']);
    }
  });

  it('refuse another body, with the code of what differs', async () => {
    const signedHash = new BodyChecks(undefined);
    signedHash.expectSignedHash(EMPTY);
    expect(await pass(signedHash, 'x')).toBe('XAmzContentSHA256Mismatch');
    const md5 = new BodyChecks(undefined);
    md5.expectMd5('1B2M2Y8AsgTpgAmY7PhCfg==');
    expect(await pass(md5, 'x')).toBe('BadDigest');
    const crc = new BodyChecks(undefined);
    crc.expectChecksum('crc32', () => KNOWN.crc32);
    expect(await pass(crc, 'x')).toBe('BadDigest');
    expect(await pass(new BodyChecks(2), 'x')).toBe('IncompleteBody');
    expect(await pass(new BodyChecks(2), 'x', 'yz')).toBe('IncompleteBody');
    expect(codeOf(() => md5.expectMd5('short'))).toBe('InvalidDigest');
  });
});
