/**
 * What the S3 endpoint needs of the place where objects are. The endpoint knows requests, signatures and XML; the store knows
 * pools, blobs and Telegram. Whoever implements this promises what stands here, and the endpoint relies on it.
 *
 * For all of it:
 * - What has been answered is seen by every later question, in every process: reads and lists are consistent.
 * - Keys are whole strings of 1 to 1,024 bytes of UTF-8 without NUL. Nothing in them is special: `a//b`, `/a` and `a/` are keys.
 * - Expected failures are {@link ObjectStoreError}; whatever else is thrown is a bug or an `AppError`.
 * - A `signal` that is aborted ends the work; what was half done leaves nothing visible behind.
 */
export interface ObjectStore {
  /** All buckets, by name. Few: a pool has one or some. */
  listBuckets(): Promise<readonly Bucket[]>;

  /** Undefined when there is none of this name. */
  findBucket(name: string): Promise<Bucket | undefined>;

  /**
   * Makes an empty bucket within a pool.
   * @throws ObjectStoreError `bucket_exists`; `no_such_bucket` when there is no such pool
   */
  createBucket(name: string, poolId: string): Promise<void>;

  /**
   * @throws ObjectStoreError `no_such_bucket`, `bucket_not_empty` (objects, not uploads that are under way), `not_supported` of the
   *   bucket that a pool has of its own
   */
  deleteBucket(name: string): Promise<void>;

  /**
   * One page of the bucket's keys, in the order of their bytes in UTF-8. With a delimiter all keys that have it after the prefix
   * are one common prefix, which counts as one entry, and comes where its first key would.
   * @throws ObjectStoreError `no_such_bucket`
   */
  list(bucket: string, question: ListQuestion): Promise<ListPage>;

  /** What is known of an object; undefined when there is none. @throws ObjectStoreError `no_such_bucket` */
  head(place: Place): Promise<ObjectInfo | undefined>;

  /**
   * The object as it is now, to be read. What is read is of this version, also when it is overwritten or deleted meanwhile.
   * Nothing is fetched before `read`, and nothing has to be closed when it is not called.
   */
  open(place: Place): Promise<StoredObject | undefined>;

  /**
   * Stores an object in the place of what is there. It becomes visible as a whole, after the body has ended without an error:
   * a body that throws leaves nothing, and what it threw is thrown on as it is. The precondition is looked at before the
   * body is read and, in one step with the change, when the object becomes visible. The body is not touched before the store is
   * ready to take it, and is read no faster than it is stored.
   * @throws ObjectStoreError `no_such_bucket`, `precondition_failed`, `too_large`, `busy` and `unavailable` (both before the body is
   *   read when that can be known), `full`
   */
  put(place: Place, body: Body, options: PutOptions): Promise<ObjectInfo>;

  /**
   * Stores what another object has under a second name, without moving bytes where both are in one pool.
   * @param source a version that {@link head} told of; `no_such_key` when it is there no more
   * @throws ObjectStoreError as {@link put}, and `no_such_key`
   */
  copy(source: Version, place: Place, options: PutOptions): Promise<ObjectInfo>;

  /**
   * Removes an object; true when there was one.
   * @param ifMatch only when this is its ETag; `*` for any
   * @throws ObjectStoreError `no_such_bucket`, `precondition_failed`
   */
  delete(place: Place, ifMatch?: string): Promise<boolean>;

  /** Begins an upload in parts; its id is unguessable and of `[A-Za-z0-9_-]`. @throws ObjectStoreError `no_such_bucket`, `unavailable` */
  createUpload(place: Place, options: PutOptions): Promise<string>;

  /**
   * Stores one part; one that was sent before under the number is replaced once the new one is whole. Otherwise as {@link put}.
   * @param number 1 to 10,000
   * @throws ObjectStoreError also `no_such_upload`
   */
  putPart(upload: UploadRef, number: number, body: Body, options: BodyOptions): Promise<PartInfo>;

  /**
   * Makes a part of what another object has, without moving bytes where both are in one pool.
   * @param range within the source; all of it when absent
   * @throws ObjectStoreError as {@link putPart}, and `no_such_key`
   */
  copyPart(
    upload: UploadRef,
    number: number,
    source: Version,
    range: ByteRange | undefined,
    options: BodyOptions,
  ): Promise<PartInfo>;

  /**
   * Makes an object of the named parts, in their order, and frees the others. Asked again with the same parts for an upload that it
   * has completed, it answers the same object for as long as that is what the key has: clients repeat what they got no answer to.
   * @param parts in rising order of their numbers
   * @param minPartBytes what each part but the last has at least
   * @throws ObjectStoreError `no_such_upload`, `invalid_part` (missing, another ETag, or not what it was completed with),
   *   `part_too_small`, `precondition_failed`
   */
  completeUpload(
    upload: UploadRef,
    parts: readonly PartName[],
    minPartBytes: number,
    precondition: Precondition | undefined,
  ): Promise<ObjectInfo>;

  /** Ends an upload and frees its parts. @throws ObjectStoreError `no_such_upload` also when it becomes an object meanwhile */
  abortUpload(upload: UploadRef): Promise<void>;

  /** The parts of an upload after a number, by number. @throws ObjectStoreError `no_such_upload` */
  listParts(upload: UploadRef, after: number, limit: number): Promise<Page<PartInfo>>;

  /** The uploads that are under way, by key and then by when they began. @throws ObjectStoreError `no_such_bucket` */
  listUploads(
    bucket: string,
    question: {
      readonly prefix: string;
      /** Only those behind this one; without an id those of later keys. */
      readonly after: { readonly key: string; readonly uploadId?: string } | undefined;
      readonly limit: number;
    },
  ): Promise<Page<UploadInfo>>;
}

/** Where objects are. */
export interface Bucket {
  readonly name: string;
  /** Whose rights are those of the bucket. */
  readonly poolId: string;
  readonly createdAt: Date;
}

/** Where an object is, or is to be. */
export interface Place {
  readonly bucket: string;
  readonly key: string;
}

/** One version of what is in a place. */
export interface Version extends Place {
  /** Of {@link ObjectInfo}. */
  readonly version: string;
}

/** An upload in parts. The place is part of its name: an id with another place is `no_such_upload`. */
export interface UploadRef extends Place {
  readonly uploadId: string;
}

/** Bytes from `start` to `end`, both included. */
export interface ByteRange {
  readonly start: number;
  readonly end: number;
}

/** Pieces of any size. Breaking off the iteration ends the source. */
export type Body = AsyncIterable<Buffer>;

/** What is kept with an object, as the client gave it. */
export interface Attributes {
  readonly contentType?: string;
  readonly contentEncoding?: string;
  readonly contentLanguage?: string;
  readonly contentDisposition?: string;
  readonly cacheControl?: string;
  readonly expires?: string;
  /** By names in lower case without `x-amz-meta-`; the values may hold any of the characters of Latin-1 but control characters. */
  readonly metadata: Readonly<Record<string, string>>;
}

/** What a change depends on. */
export type Precondition = { readonly kind: 'absent' } | { readonly kind: 'etag'; readonly etag: string };

export interface BodyOptions {
  /** How many bytes will come; the endpoint sees to it that no other number does. Undefined when nobody knows. */
  readonly sizeBytes: number | undefined;
  /** Who asks, for fairness between them: the id of a token. */
  readonly owner: string;
  readonly signal: AbortSignal;
}

export interface PutOptions extends BodyOptions {
  readonly attributes: Attributes;
  readonly precondition: Precondition | undefined;
}

export interface ObjectInfo {
  readonly key: string;
  readonly sizeBytes: number;
  /** Without quotes: the MD5 in hexadecimal digits; of an object made of n parts the MD5 of their MD5s in binary, and `-n`. */
  readonly etag: string;
  readonly modifiedAt: Date;
  readonly version: string;
  readonly attributes: Attributes;
}

/** What lists tell of an object. */
export type ListedObject = Omit<ObjectInfo, 'attributes' | 'version'>;

export interface StoredObject {
  readonly info: ObjectInfo;
  /**
   * Its bytes, no faster than they are taken.
   * @param range within the object; all of it when absent
   * @throws (while it is iterated) ObjectStoreError `lost` when Telegram has them no more, `busy`, `unavailable`
   */
  read(range: ByteRange | undefined, signal: AbortSignal): Body;
}

export interface ListQuestion {
  /** Empty for all. */
  readonly prefix: string;
  readonly delimiter: string | undefined;
  /** Only what comes after this key, or after everything that begins with this common prefix. */
  readonly after: { readonly key: string } | { readonly commonPrefix: string } | undefined;
  /** So many objects and common prefixes together, at least 1. */
  readonly limit: number;
}

export interface ListPage {
  readonly objects: readonly ListedObject[];
  readonly commonPrefixes: readonly string[];
  /** Whether there is something behind the last of them. */
  readonly hasMore: boolean;
}

export interface Page<Item> {
  readonly items: readonly Item[];
  readonly hasMore: boolean;
}

export interface PartName {
  readonly number: number;
  /** Without quotes. */
  readonly etag: string;
}

export interface PartInfo extends PartName {
  readonly sizeBytes: number;
  readonly modifiedAt: Date;
}

export interface UploadInfo {
  readonly key: string;
  readonly uploadId: string;
  readonly startedAt: Date;
}

/** Why a store does not do what it is asked. */
export type StoreRefusal =
  | 'bucket_exists'
  | 'bucket_not_empty'
  /** Later it will: the backlog or the spool is full, or all bots are held back. */
  | 'busy'
  /** No room is left on the disk. */
  | 'full'
  | 'invalid_part'
  /** What was stored is gone in Telegram. */
  | 'lost'
  | 'no_such_bucket'
  | 'no_such_key'
  | 'no_such_upload'
  | 'not_supported'
  | 'part_too_small'
  | 'precondition_failed'
  | 'too_large'
  /** No bot of the pool can do it, or the pool is paused. */
  | 'unavailable';

/** A store refuses, and says why. */
export class ObjectStoreError extends Error {
  /** @param retryAfterSeconds for `busy` and `unavailable`, when that is known */
  constructor(
    readonly refusal: StoreRefusal,
    message: string,
    readonly retryAfterSeconds?: number,
  ) {
    super(message);
    this.name = 'ObjectStoreError';
  }
}

/** What the store is injected by. */
export const OBJECT_STORE = Symbol('ObjectStore');
