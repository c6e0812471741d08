import { plainSize } from '../../common/crypto/sealed-stream.js';

/** A message that carries a part of one object or of several. */
export interface Blob {
  readonly id: string;
  readonly chatId: number;
  readonly messageId: number;
  /** Of the document in the message. */
  readonly sizeBytes: number;
  /** Of the document, hexadecimal. */
  readonly sha256: string;
  /** What the document begins with when it is encrypted; it is needed to read any stretch of it. */
  readonly sealHead: Buffer | undefined;
  readonly uploaderId: string;
  readonly storedAt: Date;
}

/** How many bytes of an object a message has. */
export function plainBytesOf({ sizeBytes, sealHead }: Pick<Blob, 'sizeBytes' | 'sealHead'>): number {
  return sealHead === undefined ? sizeBytes : plainSize(sizeBytes);
}

/** A stretch of a message. Objects, and parts of uploads, are such stretches in their order. */
export interface Extent {
  readonly blob: Blob;
  /** Where in what the message carries it begins: before encryption. */
  readonly offset: number;
  readonly sizeBytes: number;
}

/** Where keys are. Each pool has a bucket of its own id and name, which goes with it, and may have more. */
export interface Bucket {
  readonly id: string;
  readonly poolId: string;
  readonly name: string;
  /** Of the messages that its objects are cut into. */
  readonly chunkBytes: number;
  /** Whether these are encrypted. */
  readonly isEncrypted: boolean;
  readonly createdAt: Date;
}

/** What whoever stores an object says of it. */
export interface Description {
  readonly contentType: string;
  /** More of HTTP's headers, by their names in lower case. */
  readonly headers: Readonly<Record<string, string>>;
  readonly metadata: Readonly<Record<string, string>>;
}

/** An object as its key names it at the moment. */
export interface ObjectRow extends Description {
  /** Another one with each version. */
  readonly id: string;
  readonly key: string;
  readonly sizeBytes: number;
  /** Hexadecimal MD5; of an object that was made of n parts the MD5 of their MD5s, and `-n`. */
  readonly etag: string;
  /** Undefined of one that was made of parts. */
  readonly sha256: string | undefined;
  readonly createdAt: Date;
}

export type NewObject = Omit<ObjectRow, 'id' | 'createdAt'>;

/** What has to be there for a change to be made. */
export interface Precondition {
  /** If-Match: one of these, or anything where it is `*`. */
  readonly ifMatch?: readonly string[] | undefined;
  /** If-None-Match: nothing of these; nothing at all where it is `*`. */
  readonly ifNoneMatch?: readonly string[] | undefined;
}

/** What a change of a key has done. */
export interface Replaced {
  readonly object: ObjectRow;
  /** What nothing refers to any more. */
  readonly freed: readonly Blob[];
}

/** An upload in parts, before it is an object. */
export interface UploadRow extends Description {
  readonly id: string;
  readonly key: string;
  readonly createdAt: Date;
}

export interface PartRow {
  readonly id: string;
  readonly number: number;
  readonly sizeBytes: number;
  /** Hexadecimal MD5, or of what is no body of its own something as long. */
  readonly etag: string;
  readonly createdAt: Date;
}

export type NewPart = Pick<PartRow, 'number' | 'sizeBytes' | 'etag'>;
