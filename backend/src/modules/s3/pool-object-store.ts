import { addAbortSignal } from 'node:stream';
import { Injectable } from '@nestjs/common';
import { AppError } from '../../common/errors/index.js';
import {
  behind,
  type Bucket as PoolBucket,
  BucketsService,
  type Description,
  type ObjectRow,
  ObjectsService,
  type PartRow,
  PartUploads,
  type Precondition as PoolPrecondition,
} from '../bot-pool/index.js';
import {
  type Attributes,
  type Body,
  type BodyOptions,
  type Bucket,
  type ByteRange,
  type ListPage,
  type ListQuestion,
  type ObjectInfo,
  type ObjectStore,
  ObjectStoreError,
  type Page,
  type PartInfo,
  type PartName,
  type Place,
  type Precondition,
  type PutOptions,
  type StoredObject,
  type StoreRefusal,
  type UploadInfo,
  type UploadRef,
  type Version,
} from './object-store.js';
import { isBucketName } from './s3-names.js';

/** A body is not taken that its bots could not begin with for so long: most clients give up sooner than they repeat. */
const MAX_WAIT_MS = 2 * 60_000;
/** What S3 says of an object whose type nobody has said. */
const DEFAULT_TYPE = 'binary/octet-stream';
const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

const HEADER_OF = {
  contentEncoding: 'content-encoding',
  contentLanguage: 'content-language',
  contentDisposition: 'content-disposition',
  cacheControl: 'cache-control',
  expires: 'expires',
} as const satisfies Record<Exclude<keyof Attributes, 'contentType' | 'metadata'>, string>;
const FIELDS = Object.keys(HEADER_OF) as readonly (keyof typeof HEADER_OF)[];

/** What the errors of pools are in the words of the port; by their codes, as those of a worker come without their classes. */
const REFUSALS: Readonly<Record<string, StoreRefusal>> = {
  bucket_not_empty: 'bucket_not_empty',
  invalid_part: 'invalid_part',
  pool_not_found: 'no_such_bucket',
  object_not_found: 'no_such_key',
  part_refused: 'too_large',
  part_too_small: 'part_too_small',
  precondition_failed: 'precondition_failed',
  upload_not_found: 'no_such_upload',
  blob_lost: 'lost',
  deadline_exceeded: 'busy',
  object_replaced: 'busy',
  pool_saturated: 'busy',
  blob_unreadable: 'unavailable',
  no_usable_bot: 'unavailable',
  part_not_stored: 'unavailable',
  pool_unavailable: 'unavailable',
};

/** The objects of pools, as the S3 endpoint wants them. */
@Injectable()
export class PoolObjectStore implements ObjectStore {
  constructor(
    private readonly buckets: BucketsService,
    private readonly objects: ObjectsService,
    private readonly uploads: PartUploads,
  ) {}

  async listBuckets(): Promise<readonly Bucket[]> {
    return (await this.buckets.list()).filter(({ name }) => isBucketName(name));
  }

  async findBucket(name: string): Promise<Bucket | undefined> {
    return isBucketName(name) ? this.buckets.find(name) : undefined;
  }

  async createBucket(name: string, poolId: string): Promise<void> {
    if (!(await told(this.buckets.create(poolId, name))))
      throw new ObjectStoreError('bucket_exists', 'the name is taken');
  }

  async deleteBucket(name: string): Promise<void> {
    const bucket = await this.bucket(name);
    if (bucket.id === bucket.poolId) {
      throw new ObjectStoreError('not_supported', 'this is the bucket that the pool has of its own, and goes with it');
    }
    await told(this.buckets.remove(bucket));
  }

  async list(name: string, { prefix, delimiter = '', after, limit }: ListQuestion): Promise<ListPage> {
    const bucket = await this.bucket(name);
    const from = after === undefined ? '' : 'key' in after ? next(after.key) : behind(storable(after.commonPrefix));
    // No key has what the database cannot have.
    if (from === undefined || prefix !== storable(prefix)) return { objects: [], commonPrefixes: [], hasMore: false };
    const page = await this.objects.list(bucket, { prefix, delimiter, from, limit });
    return {
      objects: page.objects.map(toInfo),
      commonPrefixes: page.prefixes,
      hasMore: page.nextFrom !== undefined,
    };
  }

  async head({ bucket, key }: Place): Promise<ObjectInfo | undefined> {
    const found = await this.find(await this.bucket(bucket), key);
    return found && toInfo(found);
  }

  async open({ bucket: name, key }: Place): Promise<StoredObject | undefined> {
    const bucket = await this.bucket(name);
    const object = await this.find(bucket, key);
    if (object === undefined) return undefined;
    return {
      info: toInfo(object),
      read: (range, signal) => {
        const { start, end } = range ?? { start: 0, end: object.sizeBytes - 1 };
        return this.read(bucket, object, start, end + 1, signal);
      },
    };
  }

  async put({ bucket: name, key }: Place, body: Body, options: PutOptions): Promise<ObjectInfo> {
    const bucket = await this.bucket(name);
    await this.admit(bucket);
    const { object } = await told(
      this.objects.put(bucket, key, body, {
        ...bodyOptionsOf(options),
        description: descriptionOf(options.attributes),
        precondition: preconditionOf(options.precondition),
      }),
    );
    return toInfo(object);
  }

  async copy(source: Version, place: Place, options: PutOptions): Promise<ObjectInfo> {
    const [from, to] = await Promise.all([this.bucket(source.bucket), this.bucket(place.bucket)]);
    if (from.poolId !== to.poolId) {
      return this.put(place, await this.bytesOf(from, source, undefined, options.signal), options);
    }
    const { object } = await told(
      this.objects.copy(
        { bucket: from, key: source.key, version: source.version },
        { bucket: to, key: place.key },
        preconditionOf(options.precondition),
        descriptionOf(options.attributes),
      ),
    );
    return toInfo(object);
  }

  async delete({ bucket, key }: Place, ifMatch?: string): Promise<boolean> {
    const precondition = ifMatch === undefined ? {} : { ifMatch: [ifMatch === '*' ? '*' : `"${ifMatch}"`] };
    return (await told(this.objects.remove(await this.bucket(bucket), key, precondition))).deleted;
  }

  async createUpload({ bucket, key }: Place, { attributes }: PutOptions): Promise<string> {
    return this.uploads.create(await this.bucket(bucket), key, descriptionOf(attributes));
  }

  async putPart(upload: UploadRef, number: number, body: Body, options: BodyOptions): Promise<PartInfo> {
    const name = await this.upload(upload);
    await this.admit(name.bucket);
    return toPartInfo(await told(this.uploads.putPart(name, number, body, bodyOptionsOf(options))));
  }

  async copyPart(
    upload: UploadRef,
    number: number,
    source: Version,
    range: ByteRange | undefined,
    options: BodyOptions,
  ): Promise<PartInfo> {
    const [name, from] = await Promise.all([this.upload(upload), this.bucket(source.bucket)]);
    if (from.poolId !== name.bucket.poolId) {
      return this.putPart(upload, number, await this.bytesOf(from, source, range, options.signal), options);
    }
    const stretch = { from: range?.start ?? 0, to: range === undefined ? Infinity : range.end + 1 };
    const part = this.uploads.copyPart(name, number, { ...source, bucket: from }, stretch);
    return toPartInfo(await told(part));
  }

  async completeUpload(
    upload: UploadRef,
    parts: readonly PartName[],
    minPartBytes: number,
    precondition: Precondition | undefined,
  ): Promise<ObjectInfo> {
    const name = await this.upload(upload);
    return toInfo(await told(this.uploads.complete(name, parts, minPartBytes, preconditionOf(precondition))));
  }

  async abortUpload(upload: UploadRef): Promise<void> {
    await told(this.uploads.abort(await this.upload(upload)));
  }

  async listParts(upload: UploadRef, after: number, limit: number): Promise<Page<PartInfo>> {
    const parts = await told(this.uploads.parts(await this.upload(upload), after, limit + 1));
    return { items: parts.slice(0, limit).map(toPartInfo), hasMore: parts.length > limit };
  }

  async listUploads(
    name: string,
    { prefix, after, limit }: Parameters<ObjectStore['listUploads']>[1],
  ): Promise<Page<UploadInfo>> {
    const bucket = await this.bucket(name);
    if (prefix !== storable(prefix)) return { items: [], hasMore: false };
    const { key, uploadId } = after ?? {};
    const uploads = await this.uploads.list(bucket, {
      from: prefix,
      to: behind(prefix),
      after:
        key === undefined
          ? undefined
          : { key: storable(key), ...(uploadId !== undefined && UUID.test(uploadId) && { id: uploadId }) },
      limit: limit + 1,
    });
    return {
      items: uploads.slice(0, limit).map(({ id, key: of, createdAt }) => ({
        key: of,
        uploadId: id,
        startedAt: createdAt,
      })),
      hasMore: uploads.length > limit,
    };
  }

  /** @throws ObjectStoreError `no_such_bucket` */
  private async bucket(name: string): Promise<PoolBucket> {
    const bucket = isBucketName(name) ? await this.buckets.find(name) : undefined;
    if (bucket === undefined) throw new ObjectStoreError('no_such_bucket', 'the bucket does not exist');
    return bucket;
  }

  private async upload({ bucket, key, uploadId }: UploadRef): Promise<{ bucket: PoolBucket; key: string; id: string }> {
    if (!UUID.test(uploadId)) throw new ObjectStoreError('no_such_upload', 'there is no such upload');
    return { bucket: await this.bucket(bucket), key, id: uploadId };
  }

  private admit(bucket: PoolBucket): Promise<void> {
    return told(this.objects.admit(bucket, MAX_WAIT_MS));
  }

  private async find(bucket: PoolBucket, key: string): Promise<ObjectRow | undefined> {
    try {
      return await told(this.objects.find(bucket, key));
    } catch (error) {
      if (error instanceof ObjectStoreError && error.refusal === 'no_such_key') return undefined;
      throw error;
    }
  }

  /** For a copy into another pool. @throws ObjectStoreError `no_such_key` */
  private async bytesOf(
    bucket: PoolBucket,
    { key, version }: Version,
    range: ByteRange | undefined,
    signal: AbortSignal,
  ): Promise<Body> {
    const object = await this.find(bucket, key);
    if (object?.id !== version) throw new ObjectStoreError('no_such_key', 'the source is another object by now');
    return this.read(bucket, object, range?.start ?? 0, range === undefined ? object.sizeBytes : range.end + 1, signal);
  }

  private async *read(bucket: PoolBucket, object: ObjectRow, from: number, to: number, signal: AbortSignal): Body {
    if (from >= to) return;
    try {
      const bytes = addAbortSignal(signal, await this.objects.read(bucket, object, from, to));
      let left = to - from;
      for await (const piece of bytes as AsyncIterable<Buffer>) {
        left -= piece.length;
        yield piece;
      }
      // Of one that was replaced before its messages were looked up there are none.
      if (left > 0) throw new ObjectStoreError('unavailable', 'the object is another one by now');
    } catch (error) {
      throw refusalOf(error);
    }
  }
}

/** What the database can have of a text: nothing from U+0000 on, and no half characters. */
function storable(text: string): string {
  return Buffer.from(text.replace(/\0.*$/s, '')).toString();
}

/** The first text behind another one. */
function next(key: string): string {
  return `${storable(key)}\u0001`;
}

async function told<Result>(work: Promise<Result>): Promise<Result> {
  try {
    return await work;
  } catch (error) {
    throw refusalOf(error);
  }
}

/** The port's error for one of a pool; anything else as it is. */
function refusalOf(error: unknown): unknown {
  if (!(error instanceof AppError)) return error;
  const refusal = REFUSALS[error.code];
  return refusal === undefined ? error : new ObjectStoreError(refusal, error.message, error.retryAfterSeconds);
}

function bodyOptionsOf({ owner, sizeBytes, signal }: BodyOptions): {
  readonly ownerId: string;
  readonly sizeBytes: number | undefined;
  readonly signal: AbortSignal;
} {
  return { ownerId: owner, sizeBytes, signal };
}

function descriptionOf(attributes: Attributes): Description {
  const headers = FIELDS.flatMap((field) => {
    const value = attributes[field];
    return value === undefined ? [] : [[HEADER_OF[field], value] as const];
  });
  const { contentType = DEFAULT_TYPE, metadata } = attributes;
  return { contentType, headers: Object.fromEntries(headers), metadata };
}

function attributesOf({ contentType, headers, metadata }: Description): Attributes {
  const fields = FIELDS.flatMap((field) => {
    const value = headers[HEADER_OF[field]];
    return value === undefined ? [] : [[field, value] as const];
  });
  return { ...Object.fromEntries(fields), contentType, metadata };
}

function preconditionOf(precondition: Precondition | undefined): PoolPrecondition {
  switch (precondition?.kind) {
    case 'absent':
      return { ifNoneMatch: ['*'] };
    case 'etag':
      return { ifMatch: [`"${precondition.etag}"`] };
    case undefined:
      return {};
  }
}

function toInfo(object: ObjectRow): ObjectInfo {
  const { key, sizeBytes, etag, createdAt, id } = object;
  return { key, sizeBytes, etag, modifiedAt: createdAt, version: id, attributes: attributesOf(object) };
}

function toPartInfo({ number, etag, sizeBytes, createdAt }: PartRow): PartInfo {
  return { number, etag, sizeBytes, modifiedAt: createdAt };
}
