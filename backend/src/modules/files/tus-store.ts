import { AsyncLocalStorage } from 'node:async_hooks';
import { EventEmitter } from 'node:events';
import type { Readable } from 'node:stream';
import type { DataStore, Upload as TusUpload } from '@tus/server';
import { ValidationFailedError } from '../../common/errors/index.js';
import { currentCaller, describe } from '../../common/http/index.js';
import type { AppConfig } from '../../config/index.js';
import type { Upload, UploadStore } from '../uploads/index.js';

/** What of a request the protocol's library does not hand on. */
export interface TusRequest {
  readonly sha256: Buffer | undefined;
}

type Metadata = Record<string, string | null>;

/** The store of uploads as `@tus/server` wants it. Refusals leave in its form: a status and a line of text. */
export class TusStore extends EventEmitter implements DataStore {
  readonly extensions = ['creation', 'creation-with-upload', 'expiration', 'termination', 'checksum'];
  private readonly requests = new AsyncLocalStorage<TusRequest>();

  constructor(
    private readonly config: AppConfig,
    private readonly uploads: UploadStore,
  ) {
    super();
  }

  /** Runs the serving of a request. */
  serve<T>(request: TusRequest, work: () => T): T {
    return this.requests.run(request, work);
  }

  hasExtension(extension: string): boolean {
    return this.extensions.includes(extension);
  }

  create(file: TusUpload): Promise<TusUpload> {
    return this.told(async () => {
      const { id } = await this.uploads.begin({
        name: requiredName(file.metadata),
        caller: currentCaller(),
        length: file.size ?? 0,
        metadata: file.metadata,
      });
      file.id = id;
      file.creation_date = new Date().toISOString();
      return file;
    });
  }

  write(source: Readable, id: string, offset: number): Promise<number> {
    return this.told(async () => {
      const chunk = {
        offset,
        source,
        maxBytes: this.config.uploads.maxBytes,
        sha256: this.requests.getStore()?.sha256,
      };
      return (await this.uploads.append(id, currentCaller(), chunk)).offset;
    });
  }

  getUpload(id: string): Promise<TusUpload> {
    return this.told(async () => toTusUpload(await this.uploads.find(id, currentCaller())));
  }

  remove(id: string): Promise<void> {
    return this.told(() => this.uploads.remove(id, currentCaller()));
  }

  declareUploadLength(): Promise<void> {
    return Promise.reject(new Error('every upload has a length'));
  }

  /** UploadSweep removes what is left behind. */
  deleteExpired(): Promise<number> {
    return Promise.resolve(0);
  }

  getExpiration(): number {
    return this.config.uploads.ttlMs;
  }

  private async told<T>(work: () => Promise<T>): Promise<T> {
    try {
      return await work();
    } catch (error) {
      const { status, text } = tusRefusal(error);
      throw Object.assign(new Error(text, { cause: error }), { status_code: status, body: text });
    }
  }
}

/** A failure in the protocol's form: a status and a line of text. */
export function tusRefusal(error: unknown): { readonly status: number; readonly text: string } {
  const { status, body } = describe(error);
  return { status, text: `${body.error.code}: ${body.error.message}\n` };
}

/** The name that a client gives its file; there are two customs. */
export function nameOf(metadata: Metadata | undefined): string | undefined {
  return metadata?.['filename'] ?? metadata?.['name'] ?? undefined;
}

function requiredName(metadata: Metadata | undefined): string {
  const name = nameOf(metadata);
  if (name === undefined) {
    throw new ValidationFailedError([{ path: 'Upload-Metadata', message: 'Upload-Metadata must have filename' }]);
  }
  return name;
}

function toTusUpload({ id, offset, length, metadata }: Upload): TusUpload {
  return {
    id,
    offset,
    size: length,
    storage: undefined,
    metadata: metadata === undefined ? undefined : { ...metadata },
    // The time to live counts from the last touch, which this is.
    creation_date: new Date().toISOString(),
    get sizeIsDeferred() {
      return length === undefined;
    },
  };
}
