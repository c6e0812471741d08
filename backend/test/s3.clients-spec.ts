import { execFile, execFileSync, spawn } from 'node:child_process';
import { createHash, randomBytes } from 'node:crypto';
import { once } from 'node:events';
import {
  appendFileSync,
  createReadStream,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  realpathSync,
  rmSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { promisify } from 'node:util';
import { gzipSync } from 'node:zlib';
import {
  CreateBucketCommand,
  DeleteBucketCommand,
  DeleteObjectCommand,
  GetObjectCommand,
  ListObjectsV2Command,
  S3Client,
} from '@aws-sdk/client-s3';
import { Upload } from '@aws-sdk/lib-storage';
import { freePort } from './support/app.js';
import { type TestPools, startPools } from './support/pool-store.js';
import type { TestKey } from './support/s3.js';
import { until } from './support/until.js';

// Real clients of S3 against the endpoint over a pool of bots, which are limited as Telegram limits them, as far as the clients are
// installed. No part of the check: README.md and docs/S3.md say how to run it.
const run = promisify(execFile);
const MIB = 1024 * 1024;
const BOTS = 3;
/** Of the layers of the image that a Docker registry stores, in MiB. */
const LAYERS_MIB = (process.env['S3_LAYERS_MIB'] ?? '5,50,200').split(',').map(Number);
/** Of the files that aws-cli copies there and back, in bytes. */
const COPIED_BYTES = (process.env['S3_COPIED_BYTES'] ?? '0,1000000,100000000').split(',').map(Number);
const PIECE_BYTES = 16 * MIB;
const MINUTES = 60_000;

/** Where these programs are; of one that is there under several names all that differ. */
function found(...paths: readonly string[]): string[] {
  const folders = (process.env['PATH'] ?? '').split(':');
  const there = paths.flatMap((path) => (path.startsWith('/') ? [path] : folders.map((folder) => join(folder, path))));
  return [...new Map(there.filter((path) => existsSync(path)).map((path) => [realpathSync(path), path])).values()];
}

/** Says why when something that the tests need is not installed. */
function withClient(what: string, programs: readonly string[], tests: (program: string) => void): void {
  if (programs.length === 0) it.skip(`${what}: not installed here`, () => undefined);
  for (const program of programs) describe(`${what} (${program}, ${versionOf(program)})`, () => tests(program));
}

/** In a program's own words. */
function versionOf(program: string): string {
  const [line = ''] = execFileSync(program, ['--version'], { encoding: 'utf8' }).split('\n');
  return line.trim();
}

const md5 = (bytes: Buffer): string => createHash('md5').update(bytes).digest('hex');
const sha256 = (bytes: Buffer): string => createHash('sha256').update(bytes).digest('hex');

describe('clients of S3', () => {
  let pools: TestPools;
  let endpoint: string;
  let key: TestKey;
  let dir: string;
  let env: NodeJS.ProcessEnv;

  beforeAll(async () => {
    const listen = `127.0.0.1:${await freePort()}`;
    endpoint = `http://${listen}`;
    pools = await startPools(BOTS, { env: { S3_LISTEN_ADDR: listen, LOG_LEVEL: 'error' }, chunkBytes: 64 * MIB });
    key = await pools.createKey(pools.poolIds[0]);
    // From here on 20 messages a minute for each bot, and one a second, of which the pool has to learn.
    pools.telegram.control.limitBots();
    dir = mkdtempSync(join(tmpdir(), 'tgcontrol-s3-clients-'));
    // The older aws-cli presigns with version 2 unless it is told.
    file('.aws/config', Buffer.from('[default]\ns3 =\n  signature_version = s3v4\n'));
    env = {
      PATH: process.env['PATH'],
      HOME: dir,
      AWS_ACCESS_KEY_ID: key.accessKeyId,
      AWS_SECRET_ACCESS_KEY: key.secretAccessKey,
      AWS_DEFAULT_REGION: 'us-east-1',
      AWS_EC2_METADATA_DISABLED: 'true',
    };
  });

  afterAll(async () => {
    const sends = pools.telegram.control.journal({ method: 'send' });
    const refused = sends.filter(({ error }) => error?.startsWith('420')).length;
    process.stdout.write(`${sends.length} sends of ${BOTS} bots, ${refused} of them refused as too many\n`);
    await pools.stop();
    rmSync(dir, { recursive: true, force: true });
  });

  async function command(program: string, args: readonly string[], more: NodeJS.ProcessEnv = {}): Promise<string> {
    const { stdout } = await run(program, args, { env: { ...env, ...more }, cwd: dir, maxBuffer: 64 * MIB });
    return stdout;
  }

  function file(name: string, bytes: Buffer): Buffer {
    const path = join(dir, name);
    mkdirSync(join(path, '..'), { recursive: true });
    writeFileSync(path, bytes);
    return bytes;
  }

  /** As {@link file}, of any size, of bytes that nobody knows. @returns its SHA-256 */
  function largeFile(name: string, sizeBytes: number): string {
    const hash = createHash('sha256');
    writeFileSync(join(dir, name), '');
    for (let left = sizeBytes; left > 0; left -= PIECE_BYTES) {
      const piece = randomBytes(Math.min(left, PIECE_BYTES));
      hash.update(piece);
      appendFileSync(join(dir, name), piece);
    }
    return hash.digest('hex');
  }

  async function sha256Of(name: string): Promise<string> {
    const hash = createHash('sha256');
    await pipeline(createReadStream(join(dir, name)), hash);
    return hash.digest('hex');
  }

  const content = (name: string): Buffer => readFileSync(join(dir, name));
  const etagOf = async (bucket: string, name: string): Promise<string | undefined> =>
    (await pools.store.head({ bucket, key: name }))?.etag;

  withClient('aws-cli', found('/usr/bin/aws', 'aws'), (program) => {
    const synced = `aws-synced-${randomBytes(4).toString('hex')}`;
    const aws = (...args: string[]): Promise<string> => command(program, ['--endpoint-url', endpoint, ...args]);

    it(
      `60 makes a bucket, and copies files of ${COPIED_BYTES.join(', ')} bytes there and back`,
      async () => {
        await aws('s3', 'mb', 's3://aws');
        for (const size of COPIED_BYTES) {
          const sent = largeFile(`aws-${size}`, size);
          await aws('s3', 'cp', '--only-show-errors', `aws-${size}`, `s3://aws/f/${size}`);
          await aws('s3', 'cp', '--only-show-errors', `s3://aws/f/${size}`, 'aws-back');
          expect(await sha256Of('aws-back')).toBe(sent);
        }
      },
      30 * MINUTES,
    );

    it(
      '60 syncs a folder, and the second time copies nothing',
      async () => {
        for (const name of ['a', 'b/c d', 'b/e+f:g', 'ü/日', 'b/&x=%']) file(`aws-sync/${name}`, randomBytes(1000));
        expect(await aws('s3', 'sync', 'aws-sync', 's3://aws/sync')).toContain('upload');
        expect(await aws('s3', 'sync', 'aws-sync', 's3://aws/sync')).toBe('');
        expect(await aws('s3', 'sync', 's3://aws/sync', synced)).toContain('download');
        expect(content(`${synced}/ü/日`).equals(content('aws-sync/ü/日'))).toBe(true);
      },
      2 * MINUTES,
    );

    it(
      '60 copies from S3 to S3, above and below the size of a part',
      async () => {
        for (const size of [1_000_000, 50_000_000]) {
          const sent = largeFile('aws-copied', size);
          await aws('s3', 'cp', '--only-show-errors', 'aws-copied', 's3://aws/copy/from');
          await aws('s3', 'cp', '--only-show-errors', 's3://aws/copy/from', 's3://aws/copy/to');
          await aws('s3', 'cp', '--only-show-errors', 's3://aws/copy/to', 'aws-back');
          expect(await sha256Of('aws-back')).toBe(sent);
        }
      },
      5 * MINUTES,
    );

    it(
      '60 presigns, lists 2,500 keys, and removes all',
      async () => {
        const url = (await aws('s3', 'presign', 's3://aws/copy/to')).trim();
        const answer = await fetch(url);
        expect(answer.status).toBe(200);
        expect(sha256(Buffer.from(await answer.arrayBuffer()))).toBe(await sha256Of('aws-copied'));
        // Of empty objects, which are no messages.
        const options = { sizeBytes: 0, owner: 'x', signal: new AbortController().signal, precondition: undefined };
        for (let index = 0; index < 2500; index += 1) {
          const place = { bucket: 'aws', key: `many/${index}` };
          await pools.store.put(place, Readable.from([]), { ...options, attributes: { metadata: {} } });
        }
        const listed = await aws('s3', 'ls', '--recursive', 's3://aws/many/');
        expect(listed.trim().split('\n')).toHaveLength(2500);
        await aws('s3', 'rm', '--recursive', '--only-show-errors', 's3://aws');
        await aws('s3', 'rb', 's3://aws');
        expect(await aws('s3', 'ls')).not.toContain('aws');
      },
      10 * MINUTES,
    );
  });

  withClient('rclone', found('rclone'), (program) => {
    const rclone = (...args: string[]): Promise<string> =>
      command(program, ['--quiet', '--s3-chunk-size', '5Mi', '--s3-upload-cutoff', '10Mi', ...args], {
        RCLONE_CONFIG: join(dir, 'no-rclone.conf'),
        RCLONE_CONFIG_TG_TYPE: 's3',
        RCLONE_CONFIG_TG_PROVIDER: 'Other',
        RCLONE_CONFIG_TG_ENDPOINT: endpoint,
        RCLONE_CONFIG_TG_ACCESS_KEY_ID: key.accessKeyId,
        RCLONE_CONFIG_TG_SECRET_ACCESS_KEY: key.secretAccessKey,
      });

    it(
      '62 copies, checks byte by byte, follows a changed time without uploading, and syncs',
      async () => {
        file('rclone/small', randomBytes(1000));
        file('rclone/empty', Buffer.alloc(0));
        file('rclone/b/large ü', randomBytes(23 * MIB));
        await rclone('mkdir', 'tg:rclone');
        await rclone('copy', 'rclone', 'tg:rclone/all');
        await rclone('check', '--download', 'rclone', 'tg:rclone/all');
        await rclone('check', 'rclone', 'tg:rclone/all');
        const then = new Date('2020-01-02T03:04:05Z');
        for (const name of ['small', 'b/large ü']) utimesSync(join(dir, 'rclone', name), then, then);
        await rclone('copy', 'rclone', 'tg:rclone/all');
        expect(await rclone('lsf', '--format', 'tp', 'tg:rclone/all', '--include', 'small')).toContain('2020-01-02');
        rmSync(join(dir, 'rclone/small'));
        await rclone('sync', 'rclone', 'tg:rclone/all');
        expect((await rclone('lsf', '-R', '--files-only', 'tg:rclone/all')).trim().split('\n').sort()).toEqual([
          'b/large ü',
          'empty',
        ]);
        await rclone('purge', 'tg:rclone');
        expect(await rclone('lsd', 'tg:')).not.toContain('rclone');
      },
      5 * MINUTES,
    );
  });

  withClient('s3cmd', found('s3cmd'), (program) => {
    const s3cmd = (...args: string[]): Promise<string> => {
      const host = endpoint.slice('http://'.length);
      return command(program, [
        '--no-progress',
        '--no-ssl',
        `--host=${host}`,
        `--host-bucket=${host}`,
        `--access_key=${key.accessKeyId}`,
        `--secret_key=${key.secretAccessKey}`,
        ...args,
      ]);
    };

    it(
      'puts, gets, syncs, copies, lists and removes, in parts as well',
      async () => {
        writeFileSync(join(dir, '.s3cfg'), '');
        await s3cmd('mb', 's3://s3cmd');
        for (const size of [0, 1000, 33 * MIB]) {
          const bytes = file(`s3cmd/${size}`, randomBytes(size));
          await s3cmd('put', `s3cmd/${size}`, `s3://s3cmd/f/${size}`);
          await s3cmd('get', '--force', `s3://s3cmd/f/${size}`, 's3cmd-back');
          expect(md5(content('s3cmd-back'))).toBe(md5(bytes));
        }
        await s3cmd('sync', 's3cmd/', 's3://s3cmd/sync/');
        expect(await s3cmd('sync', 's3cmd/', 's3://s3cmd/sync/')).not.toContain('upload:');
        await s3cmd('cp', 's3://s3cmd/f/1000', 's3://s3cmd/copy of it');
        expect(await etagOf('s3cmd', 'copy of it')).toBe(md5(content('s3cmd/1000')));
        expect(await s3cmd('la')).toContain('s3://s3cmd/copy of it');
        await s3cmd('del', '--recursive', '--force', 's3://s3cmd');
        await s3cmd('rb', 's3://s3cmd');
      },
      5 * MINUTES,
    );
  });

  it(
    '61 the SDK of JavaScript: lib-storage uploads in parts from buffers and streams, what it reads is the same, and what it aborts is gone',
    async () => {
      const { accessKeyId, secretAccessKey } = key;
      const client = new S3Client({
        endpoint,
        region: 'us-east-1',
        credentials: { accessKeyId, secretAccessKey },
        forcePathStyle: true,
      });
      await client.send(new CreateBucketCommand({ Bucket: 'sdk' }));
      const bytes = randomBytes(33 * MIB);
      const stream = Readable.from([bytes.subarray(0, 7 * MIB), bytes.subarray(7 * MIB)]);
      for (const Body of [bytes, stream]) {
        await new Upload({ client, params: { Bucket: 'sdk', Key: 'ä/b', Body } }).done();
        const back = await client.send(new GetObjectCommand({ Bucket: 'sdk', Key: 'ä/b' }));
        expect(sha256(Buffer.from((await back.Body?.transformToByteArray()) ?? []))).toBe(sha256(bytes));
      }
      const aborted = new Upload({ client, params: { Bucket: 'sdk', Key: 'aborted', Body: bytes } });
      aborted.once('httpUploadProgress', () => void aborted.abort());
      await expect(aborted.done()).rejects.toMatchObject({ name: 'AbortError' });
      const { Contents = [] } = await client.send(new ListObjectsV2Command({ Bucket: 'sdk' }));
      expect(Contents.map((each) => each.Key)).toEqual(['ä/b']);
      await client.send(new DeleteObjectCommand({ Bucket: 'sdk', Key: 'ä/b' }));
      await client.send(new DeleteBucketCommand({ Bucket: 'sdk' }));
      client.destroy();
    },
    5 * MINUTES,
  );

  const skopeo = found('skopeo')[0];
  withClient('docker-registry with skopeo', skopeo === undefined ? [] : found('docker-registry'), (program) => {
    /** An image as an OCI layout, whose layers nobody can compress. */
    function image(): string {
      const blob = (bytes: Buffer): { digest: string; size: number } => {
        const digest = sha256(bytes);
        file(`image/blobs/sha256/${digest}`, bytes);
        return { digest: `sha256:${digest}`, size: bytes.length };
      };
      const plain = LAYERS_MIB.map((mib) => randomBytes(mib * MIB));
      const layers = plain.map((bytes) => blob(gzipSync(bytes, { level: 0 })));
      const config = blob(
        Buffer.from(
          JSON.stringify({
            architecture: 'amd64',
            os: 'linux',
            rootfs: { type: 'layers', diff_ids: plain.map((bytes) => `sha256:${sha256(bytes)}`) },
          }),
        ),
      );
      const manifest = blob(
        Buffer.from(
          JSON.stringify({
            schemaVersion: 2,
            mediaType: 'application/vnd.oci.image.manifest.v1+json',
            config: { mediaType: 'application/vnd.oci.image.config.v1+json', ...config },
            layers: layers.map((each) => ({ mediaType: 'application/vnd.oci.image.layer.v1.tar+gzip', ...each })),
          }),
        ),
      );
      file('image/oci-layout', Buffer.from('{"imageLayoutVersion":"1.0.0"}'));
      const entry = { mediaType: 'application/vnd.oci.image.manifest.v1+json', ...manifest };
      const annotations = { 'org.opencontainers.image.ref.name': 'one' };
      file(
        'image/index.json',
        Buffer.from(JSON.stringify({ schemaVersion: 2, manifests: [{ ...entry, annotations }] })),
      );
      return manifest.digest;
    }

    it(
      '63 pushes, pulls, re-tags and collects garbage',
      async () => {
        const port = await freePort();
        await pools.store.createBucket('registry', pools.poolIds[0]);
        const settings = join(dir, 'registry.yml');
        writeFileSync(
          settings,
          JSON.stringify({
            version: '0.1',
            log: { level: 'warn' },
            storage: {
              s3: {
                region: 'us-east-1',
                regionendpoint: endpoint,
                accesskey: key.accessKeyId,
                secretkey: key.secretAccessKey,
                bucket: 'registry',
                secure: false,
                v4auth: true,
                rootdirectory: '/docker',
              },
              delete: { enabled: true },
              redirect: { disable: true },
            },
            http: { addr: `127.0.0.1:${port}` },
          }),
        );
        const digest = image();
        const registry = spawn(program, ['serve', settings], { env, cwd: dir, stdio: 'ignore' });
        const ended = once(registry, 'close');
        try {
          await until('the registry answers', async () => (await fetch(`http://127.0.0.1:${port}/v2/`)).ok, 30_000);
          const copy = (from: string, to: string): Promise<string> =>
            command(skopeo ?? '', [
              'copy',
              '--insecure-policy',
              '--src-tls-verify=false',
              '--dest-tls-verify=false',
              from,
              to,
            ]);
          const remote = (tag: string): string => `docker://127.0.0.1:${port}/image:${tag}`;
          await copy('oci:image:one', remote('one'));
          await copy(remote('one'), remote('two'));
          await copy(remote('two'), 'oci:pulled:two');
          for (const name of (await run('ls', [join(dir, 'pulled/blobs/sha256')])).stdout.trim().split('\n')) {
            expect(sha256(content(`pulled/blobs/sha256/${name}`))).toBe(name);
          }
          expect(existsSync(join(dir, 'pulled/blobs/sha256', digest.slice('sha256:'.length)))).toBe(true);
          const gone = await fetch(`http://127.0.0.1:${port}/v2/image/manifests/${digest}`, { method: 'DELETE' });
          expect(gone.status).toBe(202);
          await command(program, ['garbage-collect', settings]);
        } finally {
          registry.kill();
          await ended;
        }
        const left = await pools.store.list('registry', {
          prefix: 'docker/registry/v2/blobs/',
          delimiter: undefined,
          after: undefined,
          limit: 9,
        });
        expect(left.objects.map((each) => each.key)).toEqual([]);
      },
      10 * MINUTES,
    );
  });
});
