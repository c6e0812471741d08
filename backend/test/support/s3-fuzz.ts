import { type RawS3Request, type TestKey, signedHeaders } from './s3.js';

/** Numbers from 0 to 1 that are the same for the same seed (mulberry32). */
function randomness(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
}

const METHODS = ['GET', 'GET', 'PUT', 'PUT', 'POST', 'DELETE', 'HEAD', 'OPTIONS', 'PATCH'];
const PATHS = [
  '/',
  '/mine',
  '/mine/',
  '/mine/a',
  '/mine/%00',
  '/mine/%ff',
  '/mine/%',
  '/mine/%e0%80%80',
  '//',
  '/none/a',
  '/mine/../a',
  `/mine/${'k'.repeat(1025)}`,
  '/%2e%2e/x',
  '/mine/%F0%9F%98%80',
  '/mine/a%2Fb%5C',
];
const NAMES = [
  'acl',
  'attributes',
  'continuation-token',
  'cors',
  'delete',
  'delimiter',
  'encoding-type',
  'key-marker',
  'list-type',
  'location',
  'marker',
  'max-keys',
  'max-parts',
  'max-uploads',
  'part-number-marker',
  'partNumber',
  'policy',
  'prefix',
  'response-cache-control',
  'response-content-type',
  'start-after',
  'tagging',
  'uploadId',
  'uploads',
  'versionId',
  'versioning',
  'versions',
  'X-Amz-Algorithm',
  'X-Amz-Expires',
];
const VALUES = [
  '',
  '0',
  '1',
  '2',
  '-1',
  '1e9',
  '99999999999999999999',
  'NaN',
  'null',
  'true',
  'url',
  '/',
  'a',
  '%00',
  '%0d%0a',
  '%ff',
  '%',
  '%F0%9F%98%80',
  '__proto__',
  'eyJrZXkiOjF9',
  'bnVsbA',
  'W10',
];
const HEADERS: Readonly<Record<string, readonly string[]>> = {
  range: ['bytes=0-', 'bytes=9-', 'bytes=-0', 'bytes=1-0', 'bytes=99999999999999999999-', 'x'],
  'if-match': ['*', '""', '"x"', 'W/"x"', ','],
  'if-none-match': ['*', '"x"', ','],
  'if-modified-since': ['Thu, 01 Jan 1970 00:00:00 GMT', 'x', '275760-13-01'],
  'if-unmodified-since': ['Thu, 01 Jan 1970 00:00:00 GMT', 'x'],
  'if-range': ['"x"', 'x'],
  'content-md5': ['', 'x', 'AAAAAAAAAAAAAAAAAAAAAA==', '1B2M2Y8AsgTpgAmY7PhCfg=='],
  'content-type': ['', 'multipart/form-data', 'application/xml', '\u00ff'],
  'content-encoding': ['aws-chunked', 'gzip,aws-chunked', ''],
  'x-amz-acl': ['private', 'public-read'],
  'x-amz-checksum-crc32': ['', 'AAAAAA==', 'x'],
  'x-amz-checksum-sha256': ['x'],
  'x-amz-checksum-xxh3': ['x'],
  'x-amz-checksum-algorithm': ['CRC32', 'x'],
  'x-amz-copy-source': ['mine/a', '/mine/a', 'mine', '', '%', '/mine/%ff', 'none/a', 'mine/a?versionId=1', 'mine/none'],
  'x-amz-copy-source-range': ['bytes=0-0', 'bytes=0-9', 'bytes=-1', 'x'],
  'x-amz-copy-source-if-match': ['"x"', '*'],
  'x-amz-decoded-content-length': ['', '0', '5', '-1', '1e3', '99999999999999999999'],
  'x-amz-meta-a': ['', 'x', '\u00ff', 'x'.repeat(3000)],
  'x-amz-meta-__proto__': ['x'],
  'x-amz-metadata-directive': ['COPY', 'REPLACE', 'x'],
  'x-amz-storage-class': ['STANDARD', 'x'],
  'x-amz-tagging': ['', 'a=b'],
  'x-amz-trailer': ['', 'x-amz-checksum-crc32', 'x-amz-checksum-crc32,x-amz-checksum-crc32', 'x'],
};
const PAYLOADS = [
  undefined,
  undefined,
  undefined,
  'UNSIGNED-PAYLOAD',
  'STREAMING-UNSIGNED-PAYLOAD-TRAILER',
  'STREAMING-AWS4-HMAC-SHA256-PAYLOAD',
  'STREAMING-AWS4-HMAC-SHA256-PAYLOAD-TRAILER',
  'STREAMING-AWS4-ECDSA-P256-SHA256-PAYLOAD',
  'a'.repeat(64),
  'constructor',
  '',
];
const BODIES = [
  '',
  'x',
  '5\r\nhello\r\n0\r\n\r\n',
  '5\r\nhello\r\n0\r\nx-amz-checksum-crc32:NhCmhg==\r\n\r\n',
  `5;chunk-signature=${'a'.repeat(64)}\r\nhello\r\n0;chunk-signature=${'a'.repeat(64)}\r\n\r\n`,
  'ffffffffffff\r\nx',
  '<Delete><Object><Key>none</Key></Object></Delete>',
  '<Delete><Object/></Delete>',
  '<Delete><Object><Key>&#xD800;</Key></Object></Delete>',
  '<CompleteMultipartUpload><Part><PartNumber>1</PartNumber><ETag>"x"</ETag></Part></CompleteMultipartUpload>',
  '<CompleteMultipartUpload><Part><PartNumber>x</PartNumber></Part></CompleteMultipartUpload>',
  '<CreateBucketConfiguration><LocationConstraint>x</LocationConstraint></CreateBucketConfiguration>',
  '<!DOCTYPE a><a/>',
  '<constructor/>',
];

/** Makes requests of which most have something wrong, anywhere from the request line to the last byte. */
export function brokenRequests(key: TestKey, host: string, seed: number): () => RawS3Request {
  const random = randomness(seed);
  const chance = (share: number): boolean => random() < share;
  const one = <Item>(items: readonly Item[]): Item => items[Math.floor(random() * items.length)] as Item;
  /** Changes a character of a text, takes one out or puts one in. */
  const garbled = (text: string): string => {
    const at = Math.floor(random() * text.length);
    const char = String.fromCharCode(33 + Math.floor(random() * 94));
    return text.slice(0, at) + (chance(0.7) ? char : '') + text.slice(at + (chance(0.7) ? 1 : 0));
  };

  return () => {
    const names = Array.from({ length: Math.floor(random() * 3) }, () => one(NAMES));
    const query = names.map((name) => (chance(0.3) ? name : `${name}=${one(VALUES)}`)).join('&');
    const path = chance(0.3) ? '/mine/a' : one(PATHS);
    const headers: Record<string, string> = {};
    for (let left = Math.floor(random() * 3); left > 0; left -= 1) {
      const name = one(Object.keys(HEADERS));
      headers[name] = one(HEADERS[name] ?? ['']);
    }
    const payloadHash = one(PAYLOADS);
    const body = chance(0.2) ? garbled(one(BODIES)) : one(BODIES);
    const request: RawS3Request = {
      method: one(METHODS),
      target: query === '' ? path : `${path}?${query}`,
      headers,
      body,
      ...(payloadHash !== undefined && { payloadHash }),
    };
    let signed: Record<string, string>;
    try {
      signed = signedHeaders(request, key, host);
    } catch {
      // It cannot be signed at all.
      signed = { ...headers, authorization: 'AWS4-HMAC-SHA256 Credential=x' };
    }
    const authorization = signed['authorization'] ?? '';
    if (chance(0.1)) signed['authorization'] = garbled(authorization);
    if (chance(0.02)) delete signed['authorization'];
    if (chance(0.03)) signed['x-amz-date'] = garbled(signed['x-amz-date'] ?? 'x');
    return { ...request, headers: signed };
  };
}
