import { createReadStream } from 'node:fs';
import { readFile, stat } from 'node:fs/promises';
import { Readable } from 'node:stream';
import type * as Sdk from '@aws-sdk/client-s3';
import type { StoreSettings } from '../../config/index.js';
import type { BlobStore } from './blob-store.js';
import { BlobStoreError } from './blob-store-error.js';

interface Connected {
  readonly sdk: typeof Sdk;
  readonly s3: Sdk.S3Client;
}

type Location = Extract<StoreSettings['location'], { kind: 's3' }>;

const CONNECT_TIMEOUT_MS = 5_000;
/** How long the server may be silent. */
const SILENCE_MS = 30_000;
const ATTEMPTS = 3;
const MAX_BUFFERED_BYTES = 16 * 1024 * 1024;

/** The SDK warns on the console, unless it has somebody to tell. What fails is told by what it throws. */
const SILENT = { debug: nothing, info: nothing, warn: nothing, error: nothing };

function nothing(): void {
  // Nobody listens.
}

/** Objects in a bucket. The SDK is loaded when it is first needed: most installations have no bucket. */
export class S3Store implements BlobStore {
  private client: Promise<Connected> | undefined;

  constructor(
    private readonly location: Location,
    private readonly credentials: StoreSettings['credentials'],
  ) {}

  get place(): string {
    const { bucket, prefix } = this.location;
    return `s3://${bucket}/${prefix}`;
  }

  put(key: string, file: string): Promise<void> {
    return this.asked(`${key} could not be written`, async ({ sdk, s3 }) => {
      const { size } = await stat(file);
      // A stream cannot be sent again when an attempt has failed.
      const body = size <= MAX_BUFFERED_BYTES ? await readFile(file) : createReadStream(file);
      await s3.send(new sdk.PutObjectCommand({ ...this.object(key), Body: body, ContentLength: size }));
    });
  }

  get(key: string): Promise<Readable | undefined> {
    return this.asked(`${key} could not be read`, async ({ sdk, s3 }) => {
      try {
        const { Body } = await s3.send(new sdk.GetObjectCommand(this.object(key)));
        if (!(Body instanceof Readable)) throw new Error('the answer has no body');
        return Body;
      } catch (error) {
        if (error instanceof sdk.NoSuchKey) return undefined;
        throw error;
      }
    });
  }

  list(prefix: string, after?: string): Promise<readonly string[]> {
    return this.asked(`${prefix} could not be listed`, async ({ sdk, s3 }) => {
      const own = this.location.prefix;
      const { Contents = [] } = await s3.send(
        new sdk.ListObjectsV2Command({
          Bucket: this.location.bucket,
          Prefix: `${own}${prefix}`,
          ...(after !== undefined && { StartAfter: `${own}${after}` }),
        }),
      );
      return Contents.flatMap(({ Key }) => (Key === undefined ? [] : [Key.slice(own.length)]));
    });
  }

  remove(key: string): Promise<void> {
    return this.asked(`${key} could not be removed`, async ({ sdk, s3 }) => {
      await s3.send(new sdk.DeleteObjectCommand(this.object(key)));
    });
  }

  private object(key: string): { readonly Bucket: string; readonly Key: string } {
    return { Bucket: this.location.bucket, Key: `${this.location.prefix}${key}` };
  }

  private async asked<T>(what: string, ask: (client: Connected) => Promise<T>): Promise<T> {
    try {
      this.client ??= this.connect();
      return await ask(await this.client);
    } catch (error) {
      throw new BlobStoreError(this.place, what, error);
    }
  }

  private async connect(): Promise<Connected> {
    const sdk = await import('@aws-sdk/client-s3');
    const { endpoint, region } = this.location;
    const s3 = new sdk.S3Client({
      region,
      maxAttempts: ATTEMPTS,
      logger: SILENT,
      requestHandler: { connectionTimeout: CONNECT_TIMEOUT_MS, requestTimeout: SILENCE_MS },
      // Servers that are not Amazon's know host names of buckets seldom, and newer checksums not always.
      ...(endpoint !== undefined && { endpoint, forcePathStyle: true }),
      requestChecksumCalculation: 'WHEN_REQUIRED',
      responseChecksumValidation: 'WHEN_REQUIRED',
      ...(this.credentials && { credentials: this.credentials }),
    });
    return { sdk, s3 };
  }
}
