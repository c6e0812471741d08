import { attributesOf, headersOf } from './attributes.js';
import { conditionOf, preconditionOf, rangeOf } from './conditions.js';
import type { Body, ObjectInfo, Place, PutOptions, Version } from './object-store.js';
import { etagOf } from './paging.js';
import { decodePart, utf8Of } from './request-head.js';
import { type ObjectCall, type S3Answer, mayUse } from './s3-call.js';
import { S3Error } from './s3-error.js';
import { requireKey } from './s3-names.js';
import { type XmlNode, xmlDocument } from './xml.js';

export function placeOf({ bucket, key }: ObjectCall): Place {
  return { bucket: bucket.name, key };
}

function noSuchKey(): S3Error {
  return new S3Error('NoSuchKey', 'there is no object of this key');
}

/** The answer to a read whose conditions are met not, if that is so. */
function conditionAnswer(call: ObjectCall, info: ObjectInfo): S3Answer | undefined {
  switch (conditionOf(call.head, info)) {
    case 'met':
      return undefined;
    case 'failed':
      throw new S3Error('PreconditionFailed', 'a condition of the request is not met');
    case 'not_modified': {
      const { etag = '', 'last-modified': modified = '', 'cache-control': cache } = headersOf(info, call.head);
      return { status: 304, headers: { etag, 'last-modified': modified, ...(cache && { 'cache-control': cache }) } };
    }
  }
}

/** @throws S3Error for what asks for one part of an object: which parts it was made of is not kept */
function refusePartNumber({ head }: ObjectCall): void {
  if (head.has('partNumber')) throw new S3Error('NotImplemented', 'objects are not read by part numbers');
}

export async function headObject(call: ObjectCall): Promise<S3Answer> {
  refusePartNumber(call);
  const info = await call.store.head(placeOf(call));
  if (!info) throw noSuchKey();
  return conditionAnswer(call, info) ?? rangedAnswer(call, info, () => undefined);
}

export async function getObject(call: ObjectCall): Promise<S3Answer> {
  refusePartNumber(call);
  const object = await call.store.open(placeOf(call));
  if (!object) throw noSuchKey();
  return (
    conditionAnswer(call, object.info) ?? rangedAnswer(call, object.info, (range) => object.read(range, call.signal))
  );
}

function rangedAnswer(
  { head }: ObjectCall,
  info: ObjectInfo,
  bytesOf: (range: ReturnType<typeof rangeOf>) => Body | undefined,
): S3Answer {
  const range = rangeOf(head, info);
  const headers = headersOf(info, head);
  if (range) headers['content-range'] = `bytes ${range.start}-${range.end}/${info.sizeBytes}`;
  const sizeBytes = range ? range.end - range.start + 1 : info.sizeBytes;
  return { status: range ? 206 : 200, headers, body: { sizeBytes, bytes: bytesOf(range) } };
}

/** GetObjectTagging: tags are not kept, and aws-cli asks for them before it copies a large object. */
export async function getObjectTagging(call: ObjectCall): Promise<S3Answer> {
  if (!(await call.store.head(placeOf(call)))) throw noSuchKey();
  return { status: 200, body: xmlDocument('Tagging', [['TagSet', []]]) };
}

function optionsOf(call: ObjectCall, attributes: PutOptions['attributes']): PutOptions {
  const { head, payload, grant, signal } = call;
  return {
    sizeBytes: payload.sizeBytes,
    owner: grant.tokenId,
    signal,
    attributes,
    precondition: preconditionOf(head),
  };
}

export async function putObject(call: ObjectCall): Promise<S3Answer> {
  const { head, payload, store } = call;
  const options = optionsOf(call, attributesOf(head));
  const { etag } = await store.put(placeOf(call), payload.stream(), options);
  return { status: 200, headers: { etag: etagOf(etag), ...payload.verifiedHeaders() } };
}

/** CopyObject, without moving bytes where the store can. */
export async function copyObject(call: ObjectCall): Promise<S3Answer> {
  const { head, store } = call;
  const source = await copySourceOf(call);
  const isReplaced = directiveOf(call, 'x-amz-metadata-directive') === 'REPLACE';
  const place = placeOf(call);
  if (!isReplaced && source.bucket === place.bucket && source.key === place.key) {
    throw new S3Error('InvalidRequest', 'a copy onto itself changes nothing without x-amz-metadata-directive: REPLACE');
  }
  if (directiveOf(call, 'x-amz-tagging-directive') === 'REPLACE' && (head.header('x-amz-tagging') ?? '') !== '') {
    throw new S3Error('NotImplemented', 'tags are not supported');
  }
  const given = attributesOf(head);
  const options = optionsOf(call, isReplaced ? given : source.info.attributes);
  return {
    status: 200,
    body: async () => {
      const { etag, modifiedAt } = await store.copy(source, place, { ...options, sizeBytes: source.info.sizeBytes });
      return xmlDocument('CopyObjectResult', copied(etag, modifiedAt));
    },
  };
}

export function copied(etag: string, modifiedAt: Date): readonly XmlNode[] {
  return [
    ['LastModified', modifiedAt.toISOString()],
    ['ETag', etagOf(etag)],
  ];
}

function directiveOf({ head }: ObjectCall, name: string): 'COPY' | 'REPLACE' {
  const directive = head.header(name) ?? 'COPY';
  if (directive !== 'COPY' && directive !== 'REPLACE') {
    throw new S3Error('InvalidArgument', `${name} must be COPY or REPLACE`);
  }
  return directive;
}

/**
 * The object that x-amz-copy-source names, which the caller may read and whose conditions are met.
 * @throws S3Error
 */
export async function copySourceOf(call: ObjectCall): Promise<Version & { readonly info: ObjectInfo }> {
  const { head, store, grant } = call;
  const { bucket, key } = readCopySource(head.header('x-amz-copy-source') ?? '');
  const found = await store.findBucket(bucket);
  if (!found) throw new S3Error('NoSuchBucket', 'the bucket of x-amz-copy-source does not exist');
  if (!mayUse(grant, found.poolId, 'read')) throw new S3Error('AccessDenied', 'the copy source may not be read');
  const info = await store.head({ bucket, key });
  if (!info) throw noSuchKey();
  if (conditionOf(head, info, 'x-amz-copy-source-') !== 'met') {
    throw new S3Error('PreconditionFailed', 'a condition on the copy source is not met');
  }
  return { bucket, key, version: info.version, info };
}

/** `/bucket/key`, percent-encoded, with or without the first slash. @throws S3Error InvalidArgument */
function readCopySource(header: string): Place {
  const wrong = new S3Error('InvalidArgument', 'x-amz-copy-source must be <bucket>/<key>, percent-encoded');
  const [path = '', version, ...rest] = header.split('?versionId=');
  if (rest.length > 0 || (version !== undefined && version !== 'null')) {
    throw new S3Error('NoSuchVersion', 'versions are not kept');
  }
  let decoded: string;
  try {
    utf8Of(path);
    decoded = decodePart(path);
  } catch {
    throw wrong;
  }
  const [, bucket, key] = /^\/?([^/]+)\/(.+)$/s.exec(decoded) ?? [];
  if (bucket === undefined || key === undefined) throw wrong;
  return { bucket, key: requireKey(key) };
}

export async function deleteObject(call: ObjectCall): Promise<S3Answer> {
  const ifMatch = call.head.header('if-match')?.replace(/^"(.*)"$/, '$1');
  await call.store.delete(placeOf(call), ifMatch);
  return { status: 204 };
}
