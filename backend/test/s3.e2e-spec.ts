import { createHash, randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { Agent, type IncomingMessage, request as httpRequest } from 'node:http';
import { connect } from 'node:net';
import { Readable } from 'node:stream';
import {
  AbortMultipartUploadCommand,
  CompleteMultipartUploadCommand,
  CopyObjectCommand,
  CreateBucketCommand,
  CreateMultipartUploadCommand,
  DeleteBucketCommand,
  DeleteObjectCommand,
  DeleteObjectsCommand,
  GetBucketLocationCommand,
  GetBucketVersioningCommand,
  GetObjectCommand,
  GetObjectTaggingCommand,
  HeadBucketCommand,
  HeadObjectCommand,
  ListBucketsCommand,
  ListMultipartUploadsCommand,
  ListObjectsCommand,
  ListObjectsV2Command,
  ListPartsCommand,
  PutObjectCommand,
  S3Client,
  UploadPartCommand,
  UploadPartCopyCommand,
} from '@aws-sdk/client-s3';
import { Upload } from '@aws-sdk/lib-storage';
import { getSignedUrl } from '@aws-sdk/s3-request-presigner';
import {
  type RawS3Request,
  S3_DOMAIN,
  type TestKey,
  type TestS3,
  presignedTarget,
  sendRaw,
  sendSigned,
  signedHeaders,
  startS3,
  startS3Over,
} from './support/s3.js';
import { type ObjectStore, ObjectStoreError } from '../src/modules/s3/object-store.js';
import { type TestPools, startPools } from './support/pool-store.js';
import { brokenRequests } from './support/s3-fuzz.js';
import { until } from './support/until.js';

const MIB = 1024 * 1024;
/** Some thousands find what there is to be found only now and then: S3_FUZZ=20000 takes about a minute. */
const FUZZED = Number(process.env['S3_FUZZ'] ?? 500);
const SEED = Number(process.env['S3_FUZZ_SEED'] ?? Date.now() % 1_000_000);
/** Everything over the pools of a whole product on the real TDLib, not in memory. */
const IS_OVER_POOLS = process.env['S3_STORE'] === 'pool';
let [POOL, OTHER_POOL] = ['pool-1', 'pool-2'];
const md5 = (bytes: Buffer | string): string => createHash('md5').update(bytes).digest('hex');

/** The name by which S3 refuses; the SDK puts it into `name`. */
async function refusal(work: Promise<unknown>): Promise<string> {
  try {
    await work;
  } catch (error) {
    return (error as Error).name;
  }
  return 'none';
}

describe('the S3 endpoint', () => {
  /** What it does that a store has to be told to do. */
  let memory: TestS3;
  let memoryKey: TestKey;
  let pools: TestPools | undefined;
  let s3: TestS3<ObjectStore>;
  let key: TestKey;
  let client: S3Client;
  /** The headers of what the SDK sent last. */
  let sent: Record<string, string> = {};

  function clientFor(credentials: TestKey, more: object = {}): S3Client {
    const made = new S3Client({
      endpoint: s3.url,
      region: 'eu-test-1',
      credentials,
      forcePathStyle: true,
      maxAttempts: 1,
      ...more,
    });
    made.middlewareStack.add(
      (next) => (args) => {
        sent = (args.request as { headers: Record<string, string> }).headers;
        return next(args);
      },
      { step: 'finalizeRequest', priority: 'low' },
    );
    return made;
  }

  beforeAll(async () => {
    if (IS_OVER_POOLS) {
      pools = await startPools(4);
      [POOL, OTHER_POOL] = pools.poolIds;
    }
    memory = await startS3();
    await memory.store.createBucket('mine', POOL);
    memoryKey = memory.addKey({ [POOL]: 'write' });
    s3 = pools ? await startS3Over(pools.store) : await startS3();
    key = s3.addKey({ [POOL]: 'write' });
    client = clientFor(key);
    await client.send(new CreateBucketCommand({ Bucket: 'mine' }));
  });

  afterAll(async () => {
    client.destroy();
    await s3.stop();
    await memory.stop();
    await pools?.stop();
    // Nothing that was asked of it was a bug of ours.
    expect([...s3.lines, ...memory.lines]).toEqual([]);
  });

  const put = (Key: string, Body: Buffer | string, more: object = {}): Promise<{ ETag?: string | undefined }> =>
    client.send(new PutObjectCommand({ Bucket: 'mine', Key, Body, ...more }));
  async function get(Key: string, more: object = {}): Promise<Buffer> {
    const { Body } = await client.send(new GetObjectCommand({ Bucket: 'mine', Key, ...more }));
    return Buffer.from((await Body?.transformToByteArray()) ?? []);
  }

  describe('has buckets', () => {
    it('that are made, found, listed and removed when they are empty', async () => {
      await client.send(new CreateBucketCommand({ Bucket: 'brief' }));
      expect(await refusal(client.send(new CreateBucketCommand({ Bucket: 'brief' })))).toBe('BucketAlreadyOwnedByYou');
      await client.send(new HeadBucketCommand({ Bucket: 'brief' }));
      const { Buckets } = await client.send(new ListBucketsCommand({}));
      expect(Buckets?.map(({ Name }) => Name)).toEqual(['brief', 'mine']);
      const { Buckets: first, ContinuationToken } = await client.send(new ListBucketsCommand({ MaxBuckets: 1 }));
      expect(first?.map(({ Name }) => Name)).toEqual(['brief']);
      const { Buckets: second } = await client.send(new ListBucketsCommand({ ContinuationToken }));
      expect(second?.map(({ Name }) => Name)).toEqual(['mine']);
      await client.send(new PutObjectCommand({ Bucket: 'brief', Key: 'k', Body: '' }));
      expect(await refusal(client.send(new DeleteBucketCommand({ Bucket: 'brief' })))).toBe('BucketNotEmpty');
      await client.send(new DeleteObjectCommand({ Bucket: 'brief', Key: 'k' }));
      await client.send(new DeleteBucketCommand({ Bucket: 'brief' }));
      expect(await refusal(client.send(new HeadBucketCommand({ Bucket: 'brief' })))).toBe('NotFound');
      expect(await refusal(client.send(new ListObjectsV2Command({ Bucket: 'brief' })))).toBe('NoSuchBucket');
    });

    it('whose names follow the rules of S3', async () => {
      for (const Bucket of ['ab', 'Upper', 'a..b', '192.168.1.1', 'xn--a', 'a_b', '-ab', 'a'.repeat(64)]) {
        const answer = await sendSigned(s3, key, { method: 'PUT', target: `/${Bucket}` });
        expect([Bucket, answer.code]).toEqual([Bucket, 'InvalidBucketName']);
      }
    });

    it('without versions, in one region, and with nothing else set', async () => {
      expect((await client.send(new GetBucketVersioningCommand({ Bucket: 'mine' }))).Status).toBeUndefined();
      expect((await client.send(new GetBucketLocationCommand({ Bucket: 'mine' }))).LocationConstraint).toBeUndefined();
      for (const [name, code] of Object.entries({
        policy: 'NoSuchBucketPolicy',
        cors: 'NoSuchCORSConfiguration',
        lifecycle: 'NoSuchLifecycleConfiguration',
        tagging: 'NoSuchTagSet',
        acl: 'NotImplemented',
        versions: 'NotImplemented',
        notification: 'NotImplemented',
      })) {
        expect((await sendSigned(s3, key, { method: 'GET', target: `/mine?${name}` })).code).toBe(code);
      }
      const acl = await sendSigned(s3, key, { method: 'PUT', target: '/mine?acl' });
      expect(acl.code).toBe('NotImplemented');
    });
  });

  describe('keeps rights', () => {
    it('of each pool apart: none, reading, writing', async () => {
      await put('seen', 'x');
      const reader = clientFor(s3.addKey({ [POOL]: 'read' }));
      const stranger = clientFor(s3.addKey({ [OTHER_POOL]: 'write' }));
      const where = { Bucket: 'mine', Key: 'seen' };
      expect((await reader.send(new GetObjectCommand(where))).ContentLength).toBe(1);
      expect(await refusal(reader.send(new PutObjectCommand({ ...where, Body: 'y' })))).toBe('AccessDenied');
      expect(await refusal(reader.send(new DeleteObjectCommand(where)))).toBe('AccessDenied');
      expect(await refusal(reader.send(new CreateBucketCommand({ Bucket: 'another' })))).toBe('AccessDenied');
      expect(await refusal(stranger.send(new GetObjectCommand(where)))).toBe('AccessDenied');
      expect((await stranger.send(new ListBucketsCommand({}))).Buckets ?? []).toEqual([]);
      expect(await refusal(stranger.send(new CreateBucketCommand({ Bucket: 'mine' })))).toBe('BucketAlreadyExists');
      await stranger.send(new CreateBucketCommand({ Bucket: 'theirs' }));
      const copy = new CopyObjectCommand({ Bucket: 'theirs', Key: 'k', CopySource: 'mine/seen' });
      expect(await refusal(stranger.send(copy))).toBe('AccessDenied');
    });

    it('from keys that nobody has, and secrets that are others', async () => {
      const nobody = clientFor({ accessKeyId: 'NOBODY', secretAccessKey: 'x' });
      expect(await refusal(nobody.send(new ListBucketsCommand({})))).toBe('InvalidAccessKeyId');
      const wrong = clientFor({ ...key, secretAccessKey: 'x' });
      expect(await refusal(wrong.send(new ListBucketsCommand({})))).toBe('SignatureDoesNotMatch');
      expect((await sendRaw(s3.port, { method: 'GET', target: '/' })).code).toBe('AccessDenied');
    });

    it('in a pool that the location names, where the key may write to several', async () => {
      const both = clientFor(s3.addKey({ [POOL]: 'write', [OTHER_POOL]: 'write' }));
      const create = (LocationConstraint?: string): Promise<string> =>
        refusal(
          both.send(
            new CreateBucketCommand({
              Bucket: 'chosen',
              ...(LocationConstraint && {
                CreateBucketConfiguration: { LocationConstraint: LocationConstraint as 'EU' },
              }),
            }),
          ),
        );
      expect(await create()).toBe('InvalidLocationConstraint');
      expect(await create(OTHER_POOL)).toBe('none');
      expect((await s3.store.findBucket('chosen'))?.poolId).toBe(OTHER_POOL);
    });
  });

  describe('stores objects', () => {
    it.each([0, 1, MIB + 1])(
      'of %i bytes from a buffer, with the checksum that the SDK adds by itself',
      async (size) => {
        const bytes = randomBytes(size);
        const { ETag } = await put('buffer', bytes);
        expect(Object.keys(sent)).toContain('x-amz-checksum-crc32');
        expect(ETag).toBe(`"${md5(bytes)}"`);
        expect((await get('buffer')).equals(bytes)).toBe(true);
      },
    );

    it.each(['CRC32', 'CRC32C', 'CRC64NVME', 'SHA1', 'SHA256'] as const)(
      '61 from a stream in chunks with a trailing %s',
      async (ChecksumAlgorithm) => {
        const bytes = randomBytes(300_000);
        const Body = Readable.from([bytes.subarray(0, 100_001), bytes.subarray(100_001)]);
        const input = { Bucket: 'mine', Key: 'stream', Body, ContentLength: bytes.length, ChecksumAlgorithm };
        await client.send(new PutObjectCommand(input));
        expect(sent['x-amz-content-sha256']).toBe('STREAMING-UNSIGNED-PAYLOAD-TRAILER');
        expect(sent['x-amz-trailer']).toBe(`x-amz-checksum-${ChecksumAlgorithm.toLowerCase()}`);
        expect((await get('stream')).equals(bytes)).toBe(true);
      },
    );

    it('with all that is said of them, and takes aws-chunked for what it is', async () => {
      const said = {
        ContentType: 'text/plain; charset=utf-8',
        ContentDisposition: 'attachment; filename="a b.txt"',
        ContentEncoding: 'gzip',
        ContentLanguage: 'de',
        CacheControl: 'max-age=60',
        Metadata: { mtime: '1700000000.123', 'a-b': 'c  d' },
      };
      const Body = Readable.from([Buffer.from('hello')]);
      await client.send(new PutObjectCommand({ Bucket: 'mine', Key: 'said', Body, ContentLength: 5, ...said }));
      const head = await client.send(new HeadObjectCommand({ Bucket: 'mine', Key: 'said' }));
      expect(head).toMatchObject({ ...said, ContentLength: 5, AcceptRanges: 'bytes', ETag: `"${md5('hello')}"` });
      const big = { Metadata: { a: 'x'.repeat(2100) } };
      expect(await refusal(put('said', '', big))).toBe('MetadataTooLarge');
    });

    it('65 under any key, in path style and below a domain', async () => {
      const keys = [
        'a b',
        'a+b',
        'a:b@c',
        'grüße/日本/😀',
        '/first',
        'a//b',
        'last/',
        '..',
        './x',
        "!*'();[]{}#?&=%",
        '%2F',
        'x'.repeat(1024),
      ];
      const agent = new Agent({
        lookup: (_host, _options, found) => found(null, [{ address: '127.0.0.1', family: 4 }]),
      });
      const below = clientFor(key, {
        endpoint: `http://${S3_DOMAIN}:${s3.port}`,
        forcePathStyle: false,
        requestHandler: { httpAgent: agent },
      });
      for (const Key of keys) {
        await put(Key, `path ${Key}`);
        expect((await get(Key)).toString()).toBe(`path ${Key}`);
        await below.send(new PutObjectCommand({ Bucket: 'mine', Key, Body: `host ${Key}` }));
        expect(sent['host']).toContain(`mine.${S3_DOMAIN}`);
        expect((await get(Key)).toString()).toBe(`host ${Key}`);
      }
      const { Contents } = await client.send(new ListObjectsV2Command({ Bucket: 'mine', EncodingType: 'url' }));
      const listed = Contents?.map(({ Key = '' }) => decodeURIComponent(Key)) ?? [];
      expect(listed).toEqual(expect.arrayContaining(keys));
      const plain = await client.send(new ListObjectsV2Command({ Bucket: 'mine' }));
      expect(plain.Contents?.map(({ Key }) => Key)).toEqual(listed);
      expect(await refusal(put('x'.repeat(1025), ''))).toBe('KeyTooLongError');
      agent.destroy();
    });

    it('only as they were meant: another sum, MD5, hash or length leaves nothing', async () => {
      const target = '/mine/meant';
      const attempts: Readonly<Record<string, RawS3Request>> = {
        BadDigest: { method: 'PUT', target, body: 'x', headers: { 'x-amz-checksum-crc32': 'AAAAAA==' } },
        InvalidDigest: { method: 'PUT', target, body: 'x', headers: { 'content-md5': 'AAAA' } },
        XAmzContentSHA256Mismatch: { method: 'PUT', target, body: 'x', payloadHash: 'a'.repeat(64) },
        IncompleteBody: {
          method: 'PUT',
          target,
          body: '1\r\nx\r\n0\r\n\r\n',
          payloadHash: 'STREAMING-UNSIGNED-PAYLOAD-TRAILER',
          headers: { 'x-amz-decoded-content-length': '2' },
        },
        NotImplemented: { method: 'PUT', target, body: 'x', headers: { 'x-amz-tagging': 'a=b' } },
        InvalidStorageClass: { method: 'PUT', target, body: 'x', headers: { 'x-amz-storage-class': 'GLACIER' } },
      };
      for (const [code, attempt] of Object.entries(attempts)) {
        expect((await sendSigned(s3, key, attempt)).code).toBe(code);
        expect(await s3.store.head({ bucket: 'mine', key: 'meant' })).toBeUndefined();
      }
      const md5Wrong = { 'content-md5': createHash('md5').update('y').digest('base64') };
      expect((await sendSigned(s3, key, { method: 'PUT', target, body: 'x', headers: md5Wrong })).code).toBe(
        'BadDigest',
      );
    });

    it('as the last writer wants them, or only when the condition holds', async () => {
      const { ETag = '' } = await put('once', '1');
      await put('once', '2');
      expect((await get('once')).toString()).toBe('2');
      expect(await refusal(put('once', '3', { IfNoneMatch: '*' }))).toBe('PreconditionFailed');
      expect(await refusal(put('once', '3', { IfMatch: ETag }))).toBe('PreconditionFailed');
      expect(await refusal(put('once', '3', { IfMatch: `"${md5('2')}"` }))).toBe('none');
      const race = await Promise.all(
        Array.from({ length: 20 }, (_, index) => refusal(put('race', `${index}`, { IfNoneMatch: '*' }))),
      );
      expect(race.filter((name) => name === 'none')).toHaveLength(1);
      const stale = new DeleteObjectCommand({ Bucket: 'mine', Key: 'once', IfMatch: ETag });
      expect(await refusal(client.send(stale))).toBe('PreconditionFailed');
    });

    it('not while the store is busy, full or away, and says so in a way that clients repeat', async () => {
      for (const [why, code] of [
        ['busy', 'SlowDown'],
        ['unavailable', 'ServiceUnavailable'],
        ['full', 'ServiceUnavailable'],
      ] as const) {
        memory.store.refuseNext(why, 7);
        const answer = await sendSigned(memory, memoryKey, { method: 'PUT', target: '/mine/busy', body: 'x' });
        expect([answer.status, answer.code, answer.headers['retry-after']]).toEqual([503, code, '7']);
      }
      const patient = clientFor(memoryKey, { endpoint: memory.url, maxAttempts: 3 });
      memory.store.refuseNext('busy');
      await patient.send(new PutObjectCommand({ Bucket: 'mine', Key: 'busy', Body: 'y' }));
      expect((await memory.store.head({ bucket: 'mine', key: 'busy' }))?.etag).toBe(md5('y'));
    });

    it('whose client waits for 100 Continue, only when the store takes them', async () => {
      const attempt = (): Promise<{ continued: boolean; status: number }> =>
        new Promise((resolve, reject) => {
          const target = '/mine/waited';
          let continued = false;
          const headers = { 'content-length': '5', expect: '100-continue' };
          const body = Buffer.from('hello');
          const signed = { method: 'PUT', target, headers, body };
          const outgoing = httpRequest(
            {
              host: '127.0.0.1',
              port: memory.port,
              method: 'PUT',
              path: target,
              headers: signedHeaders(signed, memoryKey, `127.0.0.1:${memory.port}`),
            },
            (answer) => {
              answer.resume();
              outgoing.destroy();
              resolve({ continued, status: answer.statusCode ?? 0 });
            },
          );
          outgoing.on('continue', () => {
            continued = true;
            outgoing.end(body);
          });
          outgoing.on('error', reject);
          outgoing.flushHeaders();
        });
      expect(await attempt()).toEqual({ continued: true, status: 200 });
      memory.store.refuseNext('busy');
      expect(await attempt()).toEqual({ continued: false, status: 503 });
    });
  });

  describe('gives objects', () => {
    const bytes = randomBytes(200_000);
    beforeAll(() => put('read', bytes));

    it('in ranges, at every edge', async () => {
      const size = bytes.length;
      for (const [Range, start, end] of [
        ['bytes=0-0', 0, 0],
        ['bytes=0-', 0, size - 1],
        [`bytes=${size - 1}-`, size - 1, size - 1],
        [`bytes=65535-65536`, 65_535, 65_536],
        [`bytes=1-${size * 2}`, 1, size - 1],
        ['bytes=0-99999999999999999999', 0, size - 1],
        ['bytes=-1', size - 1, size - 1],
        [`bytes=-${size * 2}`, 0, size - 1],
      ] as const) {
        const { Body, ContentRange } = await client.send(new GetObjectCommand({ Bucket: 'mine', Key: 'read', Range }));
        expect(ContentRange).toBe(`bytes ${start}-${end}/${size}`);
        expect(Buffer.from((await Body?.transformToByteArray()) ?? []).equals(bytes.subarray(start, end + 1))).toBe(
          true,
        );
      }
      for (const Range of [`bytes=${size}-`, 'bytes=-0', `bytes=${size}-${size + 1}`]) {
        expect(await refusal(get('read', { Range }))).toBe('InvalidRange');
      }
      for (const Range of ['bytes=0-1,5-6', 'lines=1-2', 'bytes=5-1', 'bytes=-', 'x']) {
        expect((await get('read', { Range })).length).toBe(size);
      }
    });

    it('on conditions', async () => {
      const { ETag = '', LastModified } = await client.send(new HeadObjectCommand({ Bucket: 'mine', Key: 'read' }));
      const past = new Date((LastModified?.getTime() ?? 0) - 60_000);
      expect(await refusal(get('read', { IfMatch: ETag, IfUnmodifiedSince: past }))).toBe('none');
      expect(await refusal(get('read', { IfMatch: '"x"' }))).toBe('PreconditionFailed');
      expect(await refusal(get('read', { IfUnmodifiedSince: past }))).toBe('PreconditionFailed');
      const conditional = (headers: Record<string, string>): Promise<{ status: number; body: Buffer }> =>
        sendSigned(s3, key, { method: 'GET', target: '/mine/read', headers });
      expect(await conditional({ 'if-none-match': ETag })).toMatchObject({ status: 304, body: Buffer.alloc(0) });
      expect((await conditional({ 'if-modified-since': LastModified?.toUTCString() ?? '' })).status).toBe(304);
      expect((await conditional({ 'if-modified-since': past.toUTCString() })).status).toBe(200);
      expect((await conditional({ range: 'bytes=0-1', 'if-range': ETag })).status).toBe(206);
      expect((await conditional({ range: 'bytes=0-1', 'if-range': '"x"' })).status).toBe(200);
    });

    it('to whoever has a presigned URL, under the name that it says', async () => {
      const command = new GetObjectCommand({
        Bucket: 'mine',
        Key: 'read',
        ResponseContentDisposition: 'attachment; filename="grüße.bin"',
        ResponseContentType: 'text/plain',
      });
      const url = new URL(await getSignedUrl(client, command, { expiresIn: 60 }));
      const answer = await sendRaw(s3.port, { method: 'GET', target: `${url.pathname}${url.search}` });
      expect(answer.status).toBe(200);
      expect(answer.body.equals(bytes)).toBe(true);
      expect(answer.headers['content-type']).toBe('text/plain');
      expect(Buffer.from(answer.headers['content-disposition'] ?? '', 'latin1').toString()).toContain('grüße.bin');
      const host = `127.0.0.1:${s3.port}`;
      const target = presignedTarget('/mine/read', key, host, 'response-content-type=a%0d%0ab');
      expect((await sendRaw(s3.port, { method: 'GET', target })).code).toBe('InvalidArgument');
      const posted = `${url.pathname}${url.search}`;
      expect((await sendRaw(s3.port, { method: 'DELETE', target: posted })).code).toBe('SignatureDoesNotMatch');
    });

    it('whole, or so that nobody takes them for whole', async () => {
      const cutting = await startS3();
      await cutting.store.createBucket('mine', POOL);
      const reader = cutting.addKey({ [POOL]: 'write' });
      await sendSigned(cutting, reader, { method: 'PUT', target: '/mine/cut', body: bytes });
      cutting.store.isCutting = true;
      await expect(sendSigned(cutting, reader, { method: 'GET', target: '/mine/cut' })).rejects.toThrow('aborted');
      expect(cutting.lines).toEqual([expect.stringContaining('an S3 answer broke off')]);
      await cutting.stop();
    });

    it('no longer when the client has gone', async () => {
      const whole = Buffer.alloc(16 * MIB);
      await sendSigned(memory, memoryKey, {
        method: 'PUT',
        target: '/mine/large',
        body: whole,
        payloadHash: 'UNSIGNED-PAYLOAD',
      });
      const target = '/mine/large';
      const path = presignedTarget(target, memoryKey, `127.0.0.1:${memory.port}`);
      await new Promise<void>((resolve, reject) => {
        const outgoing = httpRequest({ host: '127.0.0.1', port: memory.port, path }, (answer) => {
          expect(memory.store.reading).toBe(1);
          answer.destroy();
          resolve();
        });
        outgoing.on('error', reject);
        outgoing.end();
      });
      await until('nothing is read any more', () => memory.store.reading === 0);
    });
  });

  describe('lists keys', () => {
    const keys = ['a/1', 'a/2', 'a/b/1', 'a0', 'b', 'b/', 'c//d', 'ü/1', '日/1', '😀'];
    beforeAll(async () => {
      await client.send(new CreateBucketCommand({ Bucket: 'listed' }));
      for (const Key of keys) await client.send(new PutObjectCommand({ Bucket: 'listed', Key, Body: Key }));
    });
    const inOrder = (all: readonly string[]): string[] =>
      [...new Set(all)].sort((one, other) => Buffer.compare(Buffer.from(one), Buffer.from(other)));

    function expected(prefix: string, delimiter: string): string[] {
      return inOrder(
        keys
          .filter((each) => each.startsWith(prefix))
          .map((each) => {
            const at = delimiter === '' ? -1 : each.indexOf(delimiter, prefix.length);
            return at === -1 ? each : each.slice(0, at + delimiter.length);
          }),
      );
    }

    it.each([
      ['', ''],
      ['', '/'],
      ['a/', '/'],
      ['a', '/'],
      ['c/', '/'],
      ['', '1'],
      ['none', '/'],
    ])('with the prefix %p and the delimiter %p, in both versions, in pages of any size', async (Prefix, Delimiter) => {
      const all = expected(Prefix, Delimiter);
      for (const MaxKeys of [1, 3, 1000]) {
        const second: string[] = [];
        let ContinuationToken: string | undefined;
        do {
          const page = await client.send(
            new ListObjectsV2Command({ Bucket: 'listed', Prefix, Delimiter, MaxKeys, ContinuationToken }),
          );
          const entries = [
            ...(page.Contents ?? []).map(({ Key }) => Key),
            ...(page.CommonPrefixes ?? []).map((each) => each.Prefix),
          ];
          expect(page.KeyCount).toBe(entries.length);
          expect(entries.length).toBeLessThanOrEqual(MaxKeys);
          second.push(...entries.map((entry) => entry ?? ''));
          ContinuationToken = page.NextContinuationToken;
          expect(page.IsTruncated).toBe(ContinuationToken !== undefined);
        } while (ContinuationToken !== undefined);
        expect(inOrder(second)).toEqual(all);
        expect(second).toHaveLength(all.length);

        const first: string[] = [];
        let Marker: string | undefined;
        do {
          const page = await client.send(
            new ListObjectsCommand({ Bucket: 'listed', Prefix, Delimiter, MaxKeys, Marker }),
          );
          first.push(...(page.Contents ?? []).map(({ Key }) => Key ?? ''));
          first.push(...(page.CommonPrefixes ?? []).map((each) => each.Prefix ?? ''));
          Marker = page.NextMarker;
          expect(page.IsTruncated).toBe(Marker !== undefined);
        } while (Marker !== undefined);
        expect(inOrder(first)).toEqual(all);
        expect(first).toHaveLength(all.length);
      }
    });

    it('after a key, none at all when asked so, and refuses what is no number or no token', async () => {
      const { Contents } = await client.send(
        new ListObjectsV2Command({ Bucket: 'listed', StartAfter: 'b/', MaxKeys: 2 }),
      );
      expect(Contents?.map(({ Key, ETag, Size }) => [Key, ETag, Size])).toEqual([
        ['c//d', `"${md5('c//d')}"`, 4],
        ['ü/1', `"${md5('ü/1')}"`, 4],
      ]);
      const none = await client.send(new ListObjectsV2Command({ Bucket: 'listed', MaxKeys: 0 }));
      expect([none.IsTruncated, none.KeyCount]).toEqual([false, 0]);
      for (const query of ['max-keys=-1', 'max-keys=x', 'continuation-token=x', 'encoding-type=x']) {
        const answer = await sendSigned(s3, key, { method: 'GET', target: `/listed?list-type=2&${query}` });
        expect(answer.code).toBe('InvalidArgument');
      }
    });
  });

  describe('removes objects', () => {
    it('one by one or by a thousand, and says what became of each', async () => {
      await put('gone', 'x');
      await client.send(new DeleteObjectCommand({ Bucket: 'mine', Key: 'gone' }));
      await client.send(new DeleteObjectCommand({ Bucket: 'mine', Key: 'gone' }));
      expect(await refusal(get('gone'))).toBe('NoSuchKey');
      const odd = 'a&<b>"\'';
      await put(odd, 'x');
      const Objects = [
        ...Array.from({ length: 998 }, (_, index) => ({ Key: `none/${index}` })),
        { Key: odd },
        { Key: 'x'.repeat(1025) },
      ];
      const { Deleted, Errors } = await client.send(new DeleteObjectsCommand({ Bucket: 'mine', Delete: { Objects } }));
      expect([Deleted?.length, Errors?.map(({ Code }) => Code)]).toEqual([999, ['KeyTooLongError']]);
      expect(await s3.store.head({ bucket: 'mine', key: odd })).toBeUndefined();
      const quiet = new DeleteObjectsCommand({ Bucket: 'mine', Delete: { Objects: [{ Key: 'a' }], Quiet: true } });
      expect((await client.send(quiet)).Deleted).toBeUndefined();
      const many = { Objects: [...Objects, { Key: 'one more' }] };
      expect(await refusal(client.send(new DeleteObjectsCommand({ Bucket: 'mine', Delete: many })))).toBe(
        'MalformedXML',
      );
    });

    it('by XML without entities of its own, and not by what is no XML', async () => {
      const ask = (body: string): Promise<{ code: string | undefined; status: number }> =>
        sendSigned(s3, key, { method: 'POST', target: '/mine?delete', body });
      const object = '<Delete><Object><Key>a&amp;b</Key></Object></Delete>';
      expect((await ask(object)).status).toBe(200);
      for (const body of [
        '',
        'x',
        '<Delete>',
        '<Other/>',
        `<!DOCTYPE Delete [<!ENTITY a "b">]>${object}`,
        '<Delete><Object><Key>&a;</Key></Object></Delete>',
        '<a>'.repeat(10_000),
        '\u0000',
      ]) {
        expect([body.slice(0, 20), (await ask(body)).code]).toEqual([body.slice(0, 20), 'MalformedXML']);
      }
      expect((await ask(`<Delete>${' '.repeat(5 * MIB)}</Delete>`)).code).toBe('MaxMessageLengthExceeded');
    });
  });

  describe('copies objects', () => {
    it('with what is said of them, or with other words; onto itself only with those', async () => {
      await put('from ä+b', 'x', { ContentType: 'text/plain', Metadata: { a: '1' } });
      const CopySource = `mine/${encodeURIComponent('from ä+b')}`;
      await client.send(new CopyObjectCommand({ Bucket: 'mine', Key: 'to', CopySource }));
      const head = (Key: string): Promise<object> => client.send(new HeadObjectCommand({ Bucket: 'mine', Key }));
      expect(await head('to')).toMatchObject({
        ContentType: 'text/plain',
        Metadata: { a: '1' },
        ETag: `"${md5('x')}"`,
      });
      const replaced = { CopySource, MetadataDirective: 'REPLACE', Metadata: { mtime: '2' } } as const;
      await client.send(new CopyObjectCommand({ Bucket: 'mine', Key: 'from ä+b', ...replaced }));
      expect(await head('from ä+b')).toMatchObject({ Metadata: { mtime: '2' } });
      const onto = (more: object = {}): Promise<string> =>
        refusal(client.send(new CopyObjectCommand({ Bucket: 'mine', Key: 'from ä+b', CopySource, ...more })));
      expect(await onto()).toBe('InvalidRequest');
      expect(await onto({ ...replaced, CopySourceIfMatch: '"x"' })).toBe('PreconditionFailed');
      expect(await onto({ CopySource: 'mine/none' })).toBe('NoSuchKey');
      expect(await onto({ CopySource: 'none/none' })).toBe('NoSuchBucket');
      expect(await onto({ CopySource: 'mine' })).toBe('InvalidArgument');
      const tags = await client.send(new GetObjectTaggingCommand({ Bucket: 'mine', Key: 'to' }));
      expect(tags.TagSet).toEqual([]);
    });
  });

  describe('takes uploads in parts', () => {
    const five = randomBytes(5 * MIB);

    it.each(['buffer', 'stream'])('61 of lib-storage from a %s, and gives the ETag of S3', async (kind) => {
      const bytes = randomBytes(12 * MIB);
      const Body = kind === 'buffer' ? bytes : Readable.from([bytes.subarray(0, 7 * MIB), bytes.subarray(7 * MIB)]);
      await new Upload({ client, params: { Bucket: 'mine', Key: 'parts', Body, ContentType: 'a/b' } }).done();
      const { ETag, ContentType } = await client.send(new HeadObjectCommand({ Bucket: 'mine', Key: 'parts' }));
      const sums = [0, 5, 10].map((at) => md5(bytes.subarray(at * MIB, (at + 5) * MIB)));
      expect([ETag, ContentType]).toEqual([`"${md5(Buffer.from(sums.join(''), 'hex'))}-3"`, 'a/b']);
      expect((await get('parts')).equals(bytes)).toBe(true);
    });

    it('61 and forgets those that lib-storage aborts', async () => {
      const never = new Readable({ read: () => undefined });
      never.push(Buffer.alloc(6 * MIB));
      const upload = new Upload({ client, params: { Bucket: 'mine', Key: 'aborted', Body: never } });
      const done = refusal(upload.done());
      const uploads = async (): Promise<number> =>
        (await s3.store.listUploads('mine', { prefix: 'aborted', after: undefined, limit: 1 })).items.length;
      await until('the upload has begun', async () => (await uploads()) === 1);
      await upload.abort();
      never.destroy();
      expect(await done).not.toBe('none');
      await until('the upload is forgotten', async () => (await uploads()) === 0);
    });

    it('out of order and again, lists them in pages, and completes with those that are named', async () => {
      const where = { Bucket: 'mine', Key: 'by hand' };
      const { UploadId } = await client.send(new CreateMultipartUploadCommand(where));
      const part = async (PartNumber: number, Body: Buffer): Promise<string> => {
        const { ETag = '' } = await client.send(new UploadPartCommand({ ...where, UploadId, PartNumber, Body }));
        return ETag;
      };
      const last = await part(7, Buffer.from('end'));
      await part(2, Buffer.from('replaced'));
      const first = await part(2, five);
      await part(3, Buffer.from('left out'));
      const pages: number[] = [];
      let PartNumberMarker: string | undefined;
      do {
        const page = await client.send(new ListPartsCommand({ ...where, UploadId, MaxParts: 2, PartNumberMarker }));
        pages.push(...(page.Parts ?? []).map(({ PartNumber }) => PartNumber ?? 0));
        PartNumberMarker = page.NextPartNumberMarker;
      } while (PartNumberMarker !== undefined);
      expect(pages).toEqual([2, 3, 7]);
      const { Uploads } = await client.send(new ListMultipartUploadsCommand({ Bucket: 'mine', Prefix: 'by ' }));
      expect(Uploads?.map((each) => [each.Key, each.UploadId])).toEqual([['by hand', UploadId]]);
      const complete = (...Parts: { PartNumber: number; ETag: string }[]): Promise<string> =>
        refusal(client.send(new CompleteMultipartUploadCommand({ ...where, UploadId, MultipartUpload: { Parts } })));
      const two = { PartNumber: 2, ETag: first };
      const seven = { PartNumber: 7, ETag: last };
      expect(await complete(seven, two)).toBe('InvalidPartOrder');
      expect(await complete(two, { ...seven, ETag: '"x"' })).toBe('InvalidPart');
      expect(await complete(two, { PartNumber: 8, ETag: last })).toBe('InvalidPart');
      expect(await complete(two, { PartNumber: 3, ETag: `"${md5('left out')}"` }, seven)).toBe('EntityTooSmall');
      expect(await complete()).toBe('MalformedXML');
      expect(await complete(two, seven)).toBe('none');
      expect(await complete(two, seven)).toBe('none');
      expect(await complete(two)).toBe('InvalidPart');
      expect(await complete(two, { ...seven, ETag: `${last.slice(0, -1)}zz"` })).toBe('InvalidPart');
      expect((await get('by hand')).equals(Buffer.concat([five, Buffer.from('end')]))).toBe(true);
    });

    it('from ranges of other objects', async () => {
      await put('source', five);
      const where = { Bucket: 'mine', Key: 'composed' };
      const { UploadId } = await client.send(new CreateMultipartUploadCommand(where));
      const copy = (
        PartNumber: number,
        CopySourceRange?: string,
      ): Promise<{ CopyPartResult?: { ETag?: string | undefined } | undefined }> =>
        client.send(
          new UploadPartCopyCommand({ ...where, UploadId, PartNumber, CopySource: 'mine/source', CopySourceRange }),
        );
      const whole = await copy(1);
      const some = await copy(2, 'bytes=10-19');
      expect(await refusal(copy(3, 'bytes=10-5'))).toBe('InvalidArgument');
      expect(await refusal(copy(3, `bytes=0-${5 * MIB}`))).toBe('InvalidRange');
      const Parts = [whole, some].map(({ CopyPartResult }, index) => ({
        PartNumber: index + 1,
        ETag: CopyPartResult?.ETag,
      }));
      await client.send(new CompleteMultipartUploadCommand({ ...where, UploadId, MultipartUpload: { Parts } }));
      expect((await get('composed')).equals(Buffer.concat([five, five.subarray(10, 20)]))).toBe(true);
    });

    it.each(['is done', 'fails'])('and shows that it goes on while completing takes long, until it %s', async (end) => {
      const slow = await startS3({ silentMs: 20 });
      await slow.store.createBucket('mine', POOL);
      const writer = slow.addKey({ [POOL]: 'write' });
      let settle: { resolve: () => void; reject: (error: Error) => void } | undefined;
      slow.store.completing = new Promise((resolve, reject) => (settle = { resolve, reject }));
      slow.store.completing.catch(() => undefined);
      const where = { bucket: 'mine', key: 'slow' };
      const { signal } = new AbortController();
      const options = { sizeBytes: 1, owner: 'x', signal, attributes: { metadata: {} }, precondition: undefined };
      const uploadId = await slow.store.createUpload(where, options);
      const { etag } = await slow.store.putPart({ ...where, uploadId }, 1, Readable.from([Buffer.from('x')]), options);
      const body = `<CompleteMultipartUpload><Part><PartNumber>1</PartNumber><ETag>"${etag}"</ETag></Part></CompleteMultipartUpload>`;
      const target = `/mine/slow?uploadId=${uploadId}`;
      const headers = signedHeaders({ method: 'POST', target, body }, writer, `127.0.0.1:${slow.port}`);
      const outgoing = httpRequest({ host: '127.0.0.1', port: slow.port, method: 'POST', path: target, headers });
      outgoing.end(body);
      const [answer] = (await once(outgoing, 'response')) as [IncomingMessage];
      expect(answer.statusCode).toBe(200);
      let text = '';
      for await (const piece of answer as AsyncIterable<Buffer>) {
        text += piece.toString();
        if (/ {2}$/.test(text) && end === 'is done') settle?.resolve();
        if (/ {2}$/.test(text) && end === 'fails') settle?.reject(new ObjectStoreError('busy', 'not now'));
      }
      expect(text).toMatch(
        end === 'is done'
          ? /^<\?xml[^>]*>\n {2,}<CompleteMultipartUploadResult.*<ETag>/s
          : /^<\?xml[^>]*>\n {2,}<Error><Code>SlowDown</,
      );
      await slow.stop();
    });

    it('and knows none that is aborted, of another key, or never was', async () => {
      const where = { Bucket: 'mine', Key: 'none' };
      const { UploadId } = await client.send(new CreateMultipartUploadCommand(where));
      const part = (Key: string): Promise<string> =>
        refusal(client.send(new UploadPartCommand({ Bucket: 'mine', Key, UploadId, PartNumber: 1, Body: 'x' })));
      expect(await part('other')).toBe('NoSuchUpload');
      await client.send(new AbortMultipartUploadCommand({ ...where, UploadId }));
      expect(await part('none')).toBe('NoSuchUpload');
      expect(await refusal(client.send(new ListPartsCommand({ ...where, UploadId: 'x' })))).toBe('NoSuchUpload');
      const zero = await sendSigned(s3, key, {
        method: 'PUT',
        target: '/mine/none?partNumber=0&uploadId=x',
        body: 'x',
      });
      expect(zero.code).toBe('InvalidArgument');
    });
  });

  describe('answers in the form of S3', () => {
    it('with an id that stands in the header and in the error', async () => {
      const { status, headers, body } = await sendSigned(s3, key, { method: 'GET', target: '/mine/a%26%3Cb' });
      expect(status).toBe(404);
      expect(headers['content-type']).toBe('application/xml');
      expect(body.toString()).toBe(
        '<?xml version="1.0" encoding="UTF-8"?>\n<Error><Code>NoSuchKey</Code><Message>there is no object of this key</Message>' +
          `<Resource>/mine/a%26%3Cb</Resource><RequestId>${String(headers['x-amz-request-id'])}</RequestId>` +
          `<HostId>${String(headers['x-amz-id-2'])}</HostId></Error>`,
      );
    });

    it('also to a body that does not come', async () => {
      const impatient = await startS3({ idleMs: 300, lingerMs: 300 });
      await impatient.store.createBucket('mine', POOL);
      const target = '/mine/slow';
      const signed = { method: 'PUT', target, headers: { 'content-length': '10' }, payloadHash: 'UNSIGNED-PAYLOAD' };
      const { port } = impatient;
      const headers = signedHeaders(signed, impatient.addKey({ [POOL]: 'write' }), `127.0.0.1:${port}`);
      const status = await new Promise((resolve, reject) => {
        const outgoing = httpRequest({ host: '127.0.0.1', port, method: 'PUT', path: target, headers }, (answer) => {
          answer.resume();
          resolve(answer.statusCode);
          outgoing.destroy();
        });
        outgoing.on('error', reject);
        outgoing.write('half');
      });
      expect(status).toBe(400);
      expect(await impatient.store.head({ bucket: 'mine', key: 'slow' })).toBeUndefined();
      await impatient.stop();
    });

    it('also to a body that ends before its length, by a client that still listens', async () => {
      const signed = { method: 'PUT', target: '/mine/short', payloadHash: 'UNSIGNED-PAYLOAD' };
      const headers = signedHeaders({ ...signed, headers: { 'content-length': '10' } }, key, `127.0.0.1:${s3.port}`);
      const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}`);
      const socket = connect(s3.port, '127.0.0.1');
      socket.end(`PUT /mine/short HTTP/1.1\r\n${lines.join('\r\n')}\r\n\r\nhalf`);
      let answer = '';
      for await (const piece of socket as AsyncIterable<Buffer>) answer += piece.toString();
      expect(answer).toMatch(/^HTTP\/1\.1 400 .*<Code>IncompleteBody</s);
      expect(await s3.store.head({ bucket: 'mine', key: 'short' })).toBeUndefined();
    });

    it('also to a body that is not wanted', async () => {
      const refused = await sendRaw(s3.port, { method: 'PUT', target: '/mine/slow', body: Buffer.alloc(3 * MIB) });
      expect(refused.code).toBe('AccessDenied');
    });
  });

  it(
    `answers ${FUZZED} broken requests by S3's errors or as asked, and never as a bug of ours`,
    async () => {
      const agent = new Agent({ keepAlive: true, maxSockets: 8 });
      const make = brokenRequests(key, `127.0.0.1:${s3.port}`, SEED);
      await put('a', 'x');
      const statuses = new Map<number, number>();
      for (let done = 0; done < FUZZED; done += 16) {
        const requests = Array.from({ length: Math.min(16, FUZZED - done) }, make);
        const answers = await Promise.all(requests.map((each) => sendRaw(s3.port, each, agent)));
        for (const [index, { status, code, headers }] of answers.entries()) {
          const isS3s =
            status < 400 ||
            (status !== 500 &&
              (code !== undefined || requests[index]?.method === 'HEAD') &&
              'x-amz-request-id' in headers);
          if (!isS3s) throw new Error(`${status} for ${JSON.stringify(requests[index])} (seed ${SEED})`);
          statuses.set(status, (statuses.get(status) ?? 0) + 1);
        }
      }
      agent.destroy();
      // Not only the signatures were broken.
      expect([...statuses.keys()]).toEqual(expect.arrayContaining([200, 400, 403, 404, 501]));
      expect(s3.lines).toEqual([]);
    },
    300_000 + FUZZED * 60,
  );
});
