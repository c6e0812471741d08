import type { PoolAccess } from '../tokens/index.js';
import type { Body, Bucket, ObjectStore } from './object-store.js';
import type { Payload } from './payload.js';
import type { RequestHead } from './request-head.js';

/** What the holder of an access key may do: the rights of its token. */
export interface Grant {
  readonly tokenId: string;
  /** By pool id; who may write may read. */
  readonly pools: ReadonlyMap<string, PoolAccess>;
}

export function mayUse(grant: Grant, poolId: string, access: PoolAccess): boolean {
  const given = grant.pools.get(poolId);
  return given === 'write' || given === access;
}

/** Who an access key belongs to, and the secret that it signs with. */
export interface AccessKeys {
  /**
   * Undefined for a key that does not exist or is not in force.
   * @throws DatabaseUnavailableError
   */
  find(accessKeyId: string): Promise<{ readonly secret: string; readonly grant: Grant } | undefined>;
  /** A request came with a right signature. */
  noteUse(grant: Grant): void;
}

/** A request whose signature is right. */
export interface S3Call {
  readonly head: RequestHead;
  readonly payload: Payload;
  readonly grant: Grant;
  readonly store: ObjectStore;
  /** Aborted when the client has gone. */
  readonly signal: AbortSignal;
}

/** One that is about a bucket, which exists and which the caller may use so. */
export interface BucketCall extends S3Call {
  readonly bucket: Bucket;
}

/** One that is about an object, which may not exist. */
export interface ObjectCall extends BucketCall {
  readonly key: string;
}

export interface S3Answer {
  readonly status: number;
  readonly headers?: Readonly<Record<string, string>>;
  /**
   * XML, or work that ends with it and may take its time, or bytes with how many they are. With HEAD only the number counts. Work that
   * fails after a while fails within an answer of status 200, as S3 has it.
   */
  readonly body?: string | (() => Promise<string>) | { readonly sizeBytes: number; readonly bytes: Body | undefined };
}
