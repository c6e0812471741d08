import { createHash, randomUUID } from 'node:crypto';
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
} from '../../src/modules/s3/object-store.js';

interface Stored {
  readonly info: ObjectInfo;
  readonly bytes: Buffer;
}

interface Upload {
  readonly place: Place;
  readonly attributes: Attributes;
  readonly startedAt: Date;
  readonly parts: Map<number, { readonly info: PartInfo; readonly bytes: Buffer }>;
}

const PIECE_BYTES = 64 * 1024;
const md5 = (bytes: Buffer): string => createHash('md5').update(bytes).digest('hex');
const namesOf = (parts: readonly PartName[]): string => JSON.stringify(parts.map(({ number, etag }) => [number, etag]));
const compare = (one: string, other: string): number => Buffer.compare(Buffer.from(one), Buffer.from(other));

/** An object store as its port promises it, in memory. */
export class MemoryObjectStore implements ObjectStore {
  private readonly buckets = new Map<string, Bucket & { readonly objects: Map<string, Stored> }>();
  private readonly uploads = new Map<string, Upload>();
  private readonly completed = new Map<string, { readonly info: ObjectInfo; readonly named: string }>();
  private readonly refusals: ObjectStoreError[] = [];
  /** What completing an upload waits for before it does anything. */
  completing: Promise<void> = Promise.resolve();
  /** Reads end before their time. */
  isCutting = false;
  /** Bodies that are being read. */
  reading = 0;

  /** The next change is refused so, before its body is read. */
  refuseNext(refusal: StoreRefusal, retryAfterSeconds?: number): void {
    this.refusals.push(new ObjectStoreError(refusal, `refused: ${refusal}`, retryAfterSeconds));
  }

  listBuckets(): Promise<readonly Bucket[]> {
    return Promise.resolve([...this.buckets.values()].sort((one, other) => compare(one.name, other.name)));
  }

  findBucket(name: string): Promise<Bucket | undefined> {
    return Promise.resolve(this.buckets.get(name));
  }

  createBucket(name: string, poolId: string): Promise<void> {
    if (this.buckets.has(name)) throw new ObjectStoreError('bucket_exists', name);
    this.buckets.set(name, { name, poolId, createdAt: new Date(), objects: new Map() });
    return Promise.resolve();
  }

  async deleteBucket(name: string): Promise<void> {
    if ((await this.objectsOf(name)).size > 0) throw new ObjectStoreError('bucket_not_empty', name);
    this.buckets.delete(name);
  }

  async list(bucket: string, { prefix, delimiter, after, limit }: ListQuestion): Promise<ListPage> {
    const all = await this.objectsOf(bucket);
    const objects: ObjectInfo[] = [];
    const commonPrefixes: string[] = [];
    for (const key of [...all.keys()].sort(compare)) {
      if (!key.startsWith(prefix)) continue;
      if (after && 'key' in after && compare(key, after.key) <= 0) continue;
      if (
        after &&
        'commonPrefix' in after &&
        (key.startsWith(after.commonPrefix) || compare(key, after.commonPrefix) < 0)
      ) {
        continue;
      }
      const cut = delimiter === undefined ? -1 : key.indexOf(delimiter, prefix.length);
      const group = cut === -1 ? undefined : key.slice(0, cut + (delimiter ?? '').length);
      if (group !== undefined && commonPrefixes.at(-1) === group) continue;
      if (objects.length + commonPrefixes.length === limit) return { objects, commonPrefixes, hasMore: true };
      const stored = all.get(key);
      if (group !== undefined) commonPrefixes.push(group);
      else if (stored) objects.push(stored.info);
    }
    return { objects, commonPrefixes, hasMore: false };
  }

  async head({ bucket, key }: Place): Promise<ObjectInfo | undefined> {
    return (await this.objectsOf(bucket)).get(key)?.info;
  }

  async open({ bucket, key }: Place): Promise<StoredObject | undefined> {
    const stored = (await this.objectsOf(bucket)).get(key);
    return stored && { info: stored.info, read: (range, signal) => this.read(stored, range, signal) };
  }

  async put(place: Place, body: Body, options: PutOptions): Promise<ObjectInfo> {
    await this.requirePrecondition(place, options.precondition);
    const bytes = await this.take(body);
    await this.requirePrecondition(place, options.precondition);
    return this.keep(place, bytes, md5(bytes), options.attributes);
  }

  async copy(source: Version, place: Place, options: PutOptions): Promise<ObjectInfo> {
    const { bytes } = await this.versionOf(source);
    await this.requirePrecondition(place, options.precondition);
    return this.keep(place, bytes, md5(bytes), options.attributes);
  }

  async delete({ bucket, key }: Place, ifMatch?: string): Promise<boolean> {
    const objects = await this.objectsOf(bucket);
    const stored = objects.get(key);
    if (ifMatch !== undefined && (!stored || (ifMatch !== '*' && stored.info.etag !== ifMatch))) {
      throw new ObjectStoreError('precondition_failed', 'another ETag');
    }
    return objects.delete(key);
  }

  async createUpload(place: Place, { attributes }: PutOptions): Promise<string> {
    await this.objectsOf(place.bucket);
    const uploadId = randomUUID();
    this.uploads.set(uploadId, { place, attributes, startedAt: new Date(), parts: new Map() });
    return uploadId;
  }

  async putPart(upload: UploadRef, number: number, body: Body, _options: BodyOptions): Promise<PartInfo> {
    this.uploadOf(upload);
    return this.keepPart(upload, number, await this.take(body));
  }

  async copyPart(
    upload: UploadRef,
    number: number,
    source: Version,
    range: ByteRange | undefined,
    _options: BodyOptions,
  ): Promise<PartInfo> {
    this.uploadOf(upload);
    const { bytes } = await this.versionOf(source);
    return this.keepPart(upload, number, range ? bytes.subarray(range.start, range.end + 1) : bytes);
  }

  async completeUpload(
    upload: UploadRef,
    parts: readonly PartName[],
    minPartBytes: number,
    precondition: Precondition | undefined,
  ): Promise<ObjectInfo> {
    await this.completing;
    const done = this.completed.get(upload.uploadId);
    if (done && done.info === (await this.head(upload))) {
      if (done.named !== namesOf(parts))
        throw new ObjectStoreError('invalid_part', 'it was completed with other parts');
      return done.info;
    }
    const { attributes, parts: stored } = this.uploadOf(upload);
    const found = parts.map(({ number, etag }) => {
      const part = stored.get(number);
      if (part?.info.etag !== etag) throw new ObjectStoreError('invalid_part', `part ${number}`);
      return part;
    });
    if (found.slice(0, -1).some(({ bytes }) => bytes.length < minPartBytes)) {
      throw new ObjectStoreError('part_too_small', 'a part but the last is too small');
    }
    await this.requirePrecondition(upload, precondition);
    const etag = `${md5(Buffer.from(found.map(({ info }) => info.etag).join(''), 'hex'))}-${found.length}`;
    const info = this.keep(upload, Buffer.concat(found.map(({ bytes }) => bytes)), etag, attributes);
    this.uploads.delete(upload.uploadId);
    this.completed.set(upload.uploadId, { info, named: namesOf(parts) });
    return info;
  }

  abortUpload(upload: UploadRef): Promise<void> {
    this.uploadOf(upload);
    this.uploads.delete(upload.uploadId);
    return Promise.resolve();
  }

  listParts(upload: UploadRef, after: number, limit: number): Promise<Page<PartInfo>> {
    const all = [...this.uploadOf(upload).parts.values()]
      .map(({ info }) => info)
      .filter(({ number }) => number > after)
      .sort((one, other) => one.number - other.number);
    return Promise.resolve({ items: all.slice(0, limit), hasMore: all.length > limit });
  }

  async listUploads(
    bucket: string,
    { prefix, after, limit }: Parameters<ObjectStore['listUploads']>[1],
  ): Promise<Page<UploadInfo>> {
    await this.objectsOf(bucket);
    const all = [...this.uploads]
      .filter(([, { place }]) => place.bucket === bucket && place.key.startsWith(prefix))
      .map(([uploadId, { place, startedAt }]) => ({ key: place.key, uploadId, startedAt }))
      .sort((one, other) => compare(one.key, other.key));
    const at = all.findIndex(({ uploadId }) => uploadId === after?.uploadId);
    const rest =
      after === undefined ? all : at !== -1 ? all.slice(at + 1) : all.filter(({ key }) => compare(key, after.key) > 0);
    return { items: rest.slice(0, limit), hasMore: rest.length > limit };
  }

  private async *read({ bytes }: Stored, range: ByteRange | undefined, signal: AbortSignal): Body {
    const whole = range ? bytes.subarray(range.start, range.end + 1) : bytes;
    const wanted = this.isCutting ? whole.subarray(0, whole.length / 2) : whole;
    this.reading += 1;
    try {
      for (let at = 0; at < wanted.length; at += PIECE_BYTES) {
        signal.throwIfAborted();
        yield await Promise.resolve(wanted.subarray(at, at + PIECE_BYTES));
      }
    } finally {
      this.reading -= 1;
    }
  }

  private async take(body: Body): Promise<Buffer> {
    const refusal = this.refusals.shift();
    if (refusal) throw refusal;
    const pieces: Buffer[] = [];
    this.reading += 1;
    try {
      for await (const piece of body) pieces.push(piece);
    } finally {
      this.reading -= 1;
    }
    return Buffer.concat(pieces);
  }

  private keep({ bucket, key }: Place, bytes: Buffer, etag: string, attributes: Attributes): ObjectInfo {
    const info = { key, sizeBytes: bytes.length, etag, modifiedAt: new Date(), version: randomUUID(), attributes };
    const objects = this.buckets.get(bucket)?.objects;
    if (!objects) throw new ObjectStoreError('no_such_bucket', bucket);
    objects.set(key, { info, bytes });
    return info;
  }

  private keepPart(upload: UploadRef, number: number, bytes: Buffer): PartInfo {
    const info = { number, etag: md5(bytes), sizeBytes: bytes.length, modifiedAt: new Date() };
    this.uploadOf(upload).parts.set(number, { info, bytes });
    return info;
  }

  private objectsOf(bucket: string): Promise<Map<string, Stored>> {
    const found = this.buckets.get(bucket);
    if (!found) throw new ObjectStoreError('no_such_bucket', bucket);
    return Promise.resolve(found.objects);
  }

  private async versionOf({ bucket, key, version }: Version): Promise<Stored> {
    const stored = (await this.objectsOf(bucket)).get(key);
    if (stored?.info.version !== version) throw new ObjectStoreError('no_such_key', key);
    return stored;
  }

  private uploadOf({ bucket, key, uploadId }: UploadRef): Upload {
    const upload = this.uploads.get(uploadId);
    if (upload?.place.bucket !== bucket || upload.place.key !== key) {
      throw new ObjectStoreError('no_such_upload', uploadId);
    }
    return upload;
  }

  private async requirePrecondition({ bucket, key }: Place, precondition: Precondition | undefined): Promise<void> {
    const stored = (await this.objectsOf(bucket)).get(key);
    if (!precondition) return;
    if (precondition.kind === 'absent' ? stored !== undefined : stored?.info.etag !== precondition.etag) {
      throw new ObjectStoreError('precondition_failed', 'the precondition is not met');
    }
  }
}
