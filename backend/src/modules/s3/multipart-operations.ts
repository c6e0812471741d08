import { attributesOf } from './attributes.js';
import { preconditionOf } from './conditions.js';
import { copied, copySourceOf, placeOf } from './object-operations.js';
import type { BodyOptions, ByteRange, PartName, UploadRef } from './object-store.js';
import { codingOf, etagOf, limitOf, numberOf } from './paging.js';
import type { BucketCall, ObjectCall, S3Answer } from './s3-call.js';
import { S3Error } from './s3-error.js';
import { type XmlElement, readXml, xmlDocument } from './xml.js';

const MAX_PART_NUMBER = 10_000;
/** S3's own limit: every part but the last has at least so many bytes. */
const MIN_PART_BYTES = 5 * 1024 * 1024;

function uploadOf(call: ObjectCall): UploadRef {
  return { ...placeOf(call), uploadId: call.head.parameter('uploadId') ?? '' };
}

function partNumberOf({ head }: ObjectCall): number {
  const number = numberOf(head, 'partNumber');
  if (number === undefined || number < 1 || number > MAX_PART_NUMBER) {
    throw new S3Error('InvalidArgument', `partNumber must be 1 to ${MAX_PART_NUMBER}`);
  }
  return number;
}

function bodyOptionsOf({ payload, grant, signal }: ObjectCall): BodyOptions {
  return { sizeBytes: payload.sizeBytes, owner: grant.tokenId, signal };
}

export async function createMultipartUpload(call: ObjectCall): Promise<S3Answer> {
  const uploadId = await call.store.createUpload(placeOf(call), {
    ...bodyOptionsOf(call),
    sizeBytes: undefined,
    attributes: attributesOf(call.head),
    precondition: undefined,
  });
  return {
    status: 200,
    body: xmlDocument('InitiateMultipartUploadResult', [
      ['Bucket', call.bucket.name],
      ['Key', call.key],
      ['UploadId', uploadId],
    ]),
  };
}

export async function uploadPart(call: ObjectCall): Promise<S3Answer> {
  const { payload, store } = call;
  const { etag } = await store.putPart(uploadOf(call), partNumberOf(call), payload.stream(), bodyOptionsOf(call));
  return { status: 200, headers: { etag: etagOf(etag), ...payload.verifiedHeaders() } };
}

export async function uploadPartCopy(call: ObjectCall): Promise<S3Answer> {
  const number = partNumberOf(call);
  const source = await copySourceOf(call);
  const range = copyRangeOf(call, source.info.sizeBytes);
  const sizeBytes = range ? range.end - range.start + 1 : source.info.sizeBytes;
  const options = { ...bodyOptionsOf(call), sizeBytes };
  return {
    status: 200,
    body: async () => {
      const { etag, modifiedAt } = await call.store.copyPart(uploadOf(call), number, source, range, options);
      return xmlDocument('CopyPartResult', copied(etag, modifiedAt));
    },
  };
}

/** Unlike the range of a read it must be whole, and within the source. */
function copyRangeOf({ head }: ObjectCall, sizeBytes: number): ByteRange | undefined {
  const header = head.header('x-amz-copy-source-range');
  if (header === undefined) return undefined;
  const [, first, last] = /^bytes=(\d{1,15})-(\d{1,15})$/.exec(header) ?? [];
  const [start, end] = [Number(first), Number(last)];
  if (first === undefined || start > end) {
    throw new S3Error('InvalidArgument', 'x-amz-copy-source-range must be bytes=<first>-<last>');
  }
  if (end >= sizeBytes) throw new S3Error('InvalidRange', 'the range is not within the copy source');
  return { start, end };
}

/** CompleteMultipartUpload. The parts' own checksums were checked when they came, and are not looked at again. */
export async function completeMultipartUpload(call: ObjectCall): Promise<S3Answer> {
  const { head, payload, store, bucket, key } = call;
  const parts = readXml(await payload.text(false), 'CompleteMultipartUpload')
    .all('Part')
    .map(readPart);
  if (parts.length === 0 || parts.length > MAX_PART_NUMBER) {
    throw new S3Error('MalformedXML', `an upload is completed with 1 to ${MAX_PART_NUMBER} parts`);
  }
  if (parts.some(({ number }, index) => number <= (parts[index - 1]?.number ?? 0))) {
    throw new S3Error('InvalidPartOrder', 'the parts must be in rising order of their numbers');
  }
  const precondition = preconditionOf(head);
  return {
    status: 200,
    body: async () => {
      const { etag } = await store.completeUpload(uploadOf(call), parts, MIN_PART_BYTES, precondition);
      return xmlDocument('CompleteMultipartUploadResult', [
        ['Location', `/${bucket.name}/${key}`],
        ['Bucket', bucket.name],
        ['Key', key],
        ['ETag', etagOf(etag)],
      ]);
    },
  };
}

function readPart(part: XmlElement): PartName {
  const number = part.textOf('PartNumber')?.trim() ?? '';
  const etag =
    part
      .textOf('ETag')
      ?.trim()
      .replace(/^"(.*)"$/, '$1') ?? '';
  if (!/^\d{1,5}$/.test(number) || Number(number) < 1 || Number(number) > MAX_PART_NUMBER || etag === '') {
    throw new S3Error('MalformedXML', `a part needs an ETag and a PartNumber of 1 to ${MAX_PART_NUMBER}`);
  }
  return { number: Number(number), etag };
}

export async function abortMultipartUpload(call: ObjectCall): Promise<S3Answer> {
  await call.store.abortUpload(uploadOf(call));
  return { status: 204 };
}

export async function listParts(call: ObjectCall): Promise<S3Answer> {
  const { head, store, bucket, key } = call;
  const upload = uploadOf(call);
  const limit = limitOf(head, 'max-parts');
  const after = numberOf(head, 'part-number-marker') ?? 0;
  const page = await store.listParts(upload, after, Math.max(limit, 1));
  const items = page.items.slice(0, limit);
  const isTruncated = limit > 0 && page.hasMore;
  const coding = codingOf(head);
  return {
    status: 200,
    body: xmlDocument('ListPartsResult', [
      ['Bucket', bucket.name],
      ['Key', coding.of(key)],
      ['UploadId', upload.uploadId],
      ['PartNumberMarker', after],
      ['NextPartNumberMarker', isTruncated ? items.at(-1)?.number : undefined],
      ['MaxParts', limit],
      coding.node,
      ['IsTruncated', isTruncated],
      ['StorageClass', 'STANDARD'],
      ...items.map(
        ({ number, etag, sizeBytes, modifiedAt }) =>
          [
            'Part',
            [
              ['PartNumber', number],
              ['LastModified', modifiedAt.toISOString()],
              ['ETag', etagOf(etag)],
              ['Size', sizeBytes],
            ],
          ] as const,
      ),
    ]),
  };
}

export async function listMultipartUploads({ head, store, bucket }: BucketCall): Promise<S3Answer> {
  if ((head.parameter('delimiter') ?? '') !== '') {
    throw new S3Error('NotImplemented', 'uploads are not grouped by a delimiter');
  }
  const coding = codingOf(head);
  const prefix = head.parameter('prefix') ?? '';
  const keyMarker = head.parameter('key-marker') ?? '';
  const idMarker = head.parameter('upload-id-marker') ?? '';
  const limit = limitOf(head, 'max-uploads');
  const page = await store.listUploads(bucket.name, {
    prefix,
    after: keyMarker === '' ? undefined : { key: keyMarker, ...(idMarker !== '' && { uploadId: idMarker }) },
    limit: Math.max(limit, 1),
  });
  const items = page.items.slice(0, limit);
  const isTruncated = limit > 0 && page.hasMore;
  const last = isTruncated ? items.at(-1) : undefined;
  return {
    status: 200,
    body: xmlDocument('ListMultipartUploadsResult', [
      ['Bucket', bucket.name],
      ['KeyMarker', coding.of(keyMarker)],
      ['UploadIdMarker', idMarker],
      ['NextKeyMarker', last && coding.of(last.key)],
      ['NextUploadIdMarker', last?.uploadId],
      ['Prefix', coding.of(prefix)],
      ['MaxUploads', limit],
      coding.node,
      ['IsTruncated', isTruncated],
      ...items.map(
        ({ key, uploadId, startedAt }) =>
          [
            'Upload',
            [
              ['Key', coding.of(key)],
              ['UploadId', uploadId],
              ['Initiator', [['ID', bucket.poolId]]],
              ['Owner', [['ID', bucket.poolId]]],
              ['StorageClass', 'STANDARD'],
              ['Initiated', startedAt.toISOString()],
            ],
          ] as const,
      ),
    ]),
  };
}
