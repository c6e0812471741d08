/** A message that carries a part of one object or of several. */
export interface Blob {
  readonly id: string;
  readonly chatId: number;
  readonly messageId: number;
  readonly sizeBytes: number;
  readonly sha256: string;
  readonly uploaderId: string;
  readonly storedAt: Date;
}

/** An object as its key names it at the moment. */
export interface ObjectRow {
  /** Another one with each version. */
  readonly id: string;
  readonly key: string;
  readonly sizeBytes: number;
  /** Hexadecimal MD5. */
  readonly etag: string;
  readonly sha256: string;
  readonly contentType: string;
  readonly metadata: Readonly<Record<string, string>>;
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
