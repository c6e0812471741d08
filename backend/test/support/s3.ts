import { createHash } from 'node:crypto';
import { type Agent, type IncomingHttpHeaders, request } from 'node:http';
import { AppLogger } from '../../src/common/log/app-logger.js';
import type { ObjectStore } from '../../src/modules/s3/object-store.js';
import { RequestHead, encodePart } from '../../src/modules/s3/request-head.js';
import type { AccessKeys, Grant } from '../../src/modules/s3/s3-call.js';
import { type S3Deadlines, S3Server } from '../../src/modules/s3/s3-server.js';
import { canonicalRequest, readClaim, signatureOf, signingKey } from '../../src/modules/s3/signature-v4.js';
import type { PoolAccess } from '../../src/modules/tokens/index.js';
import { MemoryObjectStore } from './memory-object-store.js';

export interface TestKey {
  readonly accessKeyId: string;
  readonly secretAccessKey: string;
}

/** An S3 endpoint over a store, in memory unless it is another one. */
export interface TestS3<Store extends ObjectStore = MemoryObjectStore> {
  readonly store: Store;
  readonly port: number;
  readonly url: string;
  /** What was logged. */
  readonly lines: string[];
  /** Makes an access key with these rights, by pool id. */
  addKey(pools: Readonly<Record<string, PoolAccess>>): TestKey;
  stop(): Promise<void>;
}

export const S3_DOMAIN = 's3.example.test';

export function startS3(deadlines?: Partial<S3Deadlines>): Promise<TestS3> {
  return startS3Over(new MemoryObjectStore(), deadlines);
}

export async function startS3Over<Store extends ObjectStore>(
  store: Store,
  deadlines?: Partial<S3Deadlines>,
): Promise<TestS3<Store>> {
  const grants = new Map<string, { secret: string; grant: Grant }>();
  const keys: AccessKeys = { find: (id) => Promise.resolve(grants.get(id)), noteUse: () => undefined };
  const lines: string[] = [];
  const server = new S3Server({
    store,
    keys,
    log: AppLogger.create('warn', { write: (line) => void lines.push(line) }),
    domains: [S3_DOMAIN],
    ...(deadlines && { deadlines }),
  });
  const { port } = await server.listen('127.0.0.1', 0);
  return {
    store,
    port,
    url: `http://127.0.0.1:${port}`,
    lines,
    addKey: (pools) => {
      const accessKeyId = `KEY${grants.size}`;
      const secret = `secret of ${accessKeyId}`;
      grants.set(accessKeyId, {
        secret,
        grant: { tokenId: `token ${grants.size}`, pools: new Map(Object.entries(pools)) },
      });
      return { accessKeyId, secretAccessKey: secret };
    },
    stop: () => server.close(),
  };
}

/** A request as a test writes it. */
export interface RawS3Request {
  readonly method: string;
  /** Percent-encoded; with the query, if any. */
  readonly target: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: Buffer | string;
  /** What is said of the body in the signature; its SHA-256 when absent. */
  readonly payloadHash?: string;
}

export interface RawS3Answer {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly body: Buffer;
  /** Of an error. */
  readonly code: string | undefined;
}

/** The headers of a request with a right signature, as a client would list them all. */
export function signedHeaders(
  { method, target, headers = {}, body = '', payloadHash }: RawS3Request,
  { accessKeyId, secretAccessKey }: TestKey,
  host: string,
): Record<string, string> {
  const timestamp = new Date().toISOString().replace(/[-:]|\.\d{3}/g, '');
  const scope = `${timestamp.slice(0, 8)}/eu-test-1/s3/aws4_request`;
  const all: Record<string, string> = {
    host,
    'x-amz-date': timestamp,
    'x-amz-content-sha256': payloadHash ?? createHash('sha256').update(body).digest('hex'),
    ...headers,
  };
  const names = Object.keys(all).sort().join(';');
  const authorization = (signature: string): string =>
    `AWS4-HMAC-SHA256 Credential=${accessKeyId}/${scope}, SignedHeaders=${names}, Signature=${signature}`;
  const head = new RequestHead(
    method,
    target,
    Object.entries({ ...all, authorization: authorization('0'.repeat(64)) }).flat(),
  );
  const claim = readClaim(head, Date.now());
  const canonical = canonicalRequest(head, claim, head.rawPath);
  return { ...all, authorization: authorization(signatureOf(canonical, signingKey(secretAccessKey, scope), claim)) };
}

/** The target of a presigned URL. */
export function presignedTarget(
  path: string,
  { accessKeyId, secretAccessKey }: TestKey,
  host: string,
  query = '',
): string {
  const timestamp = new Date().toISOString().replace(/[-:]|\.\d{3}/g, '');
  const scope = `${timestamp.slice(0, 8)}/eu-test-1/s3/aws4_request`;
  const unsigned = `${path}?${query}${query && '&'}X-Amz-Algorithm=AWS4-HMAC-SHA256&X-Amz-Credential=${encodePart(
    `${accessKeyId}/${scope}`,
  )}&X-Amz-Date=${timestamp}&X-Amz-Expires=60&X-Amz-SignedHeaders=host`;
  const head = new RequestHead('GET', `${unsigned}&X-Amz-Signature=${'0'.repeat(64)}`, ['host', host]);
  const claim = readClaim(head, Date.now());
  const signature = signatureOf(canonicalRequest(head, claim, head.rawPath), signingKey(secretAccessKey, scope), claim);
  return `${unsigned}&X-Amz-Signature=${signature}`;
}

/** Sends a request as it is. */
export function sendRaw(
  port: number,
  { method, target, headers = {}, body = '' }: RawS3Request,
  agent?: Agent,
): Promise<RawS3Answer> {
  return new Promise((resolve, reject) => {
    const bytes = Buffer.from(body);
    const outgoing = request(
      {
        host: '127.0.0.1',
        port,
        method,
        path: target,
        headers: { ...(bytes.length > 0 && { 'content-length': bytes.length }), ...headers },
        ...(agent && { agent }),
      },
      (answer) => {
        const pieces: Buffer[] = [];
        answer.on('data', (piece: Buffer) => pieces.push(piece));
        answer.on('error', reject);
        answer.on('end', () => {
          const whole = Buffer.concat(pieces);
          const code = /<Code>(\w+)<\/Code>/.exec(whole.toString())?.[1];
          resolve({ status: answer.statusCode ?? 0, headers: answer.headers, body: whole, code });
        });
      },
    );
    outgoing.on('error', reject);
    outgoing.end(bytes);
  });
}

/** Signs a request and sends it. */
export function sendSigned(
  s3: { readonly port: number },
  key: TestKey,
  request: RawS3Request,
  agent?: Agent,
): Promise<RawS3Answer> {
  const host = request.headers?.['host'] ?? `127.0.0.1:${s3.port}`;
  return sendRaw(s3.port, { ...request, headers: signedHeaders(request, key, host) }, agent);
}
