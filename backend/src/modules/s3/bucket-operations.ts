import pLimit from 'p-limit';
import type { ListedObject, ListQuestion } from './object-store.js';
import { MAX_ENTRIES, codingOf, etagOf, limitOf, makeToken, readToken } from './paging.js';
import type { RequestHead } from './request-head.js';
import { type BucketCall, type S3Answer, type S3Call, mayUse } from './s3-call.js';
import { isBucketName, requireKey } from './s3-names.js';
import { S3Error } from './s3-error.js';
import { toS3Error } from './to-s3-error.js';
import { type XmlNode, readXml, xmlDocument } from './xml.js';

/** There is one region. S3's first one has no name in the location of a bucket. */
const REGION = 'us-east-1';
/** Keys that one request deletes at the same time. */
const DELETES_AT_ONCE = 8;

const xml = (root: string, content: readonly XmlNode[]): S3Answer => ({
  status: 200,
  body: xmlDocument(root, content),
});

/** ListBuckets: those of the pools that the caller may read. */
export async function listBuckets({ head, store, grant }: S3Call): Promise<S3Answer> {
  const limit = limitOf(head, 'max-buckets');
  const prefix = head.parameter('prefix') ?? '';
  const token = head.parameter('continuation-token');
  const after = token === undefined ? '' : String(readToken(token)['after']);
  const all = (await store.listBuckets()).filter(
    ({ name, poolId }) =>
      isBucketName(name) && name.startsWith(prefix) && name > after && mayUse(grant, poolId, 'read'),
  );
  const page = all.slice(0, limit);
  const last = page.at(-1);
  return xml('ListAllMyBucketsResult', [
    ['Owner', [['ID', grant.tokenId]]],
    [
      'Buckets',
      page.map(({ name, createdAt }) => [
        'Bucket',
        [
          ['Name', name],
          ['CreationDate', createdAt.toISOString()],
        ],
      ]),
    ],
    ['ContinuationToken', all.length > page.length && last ? makeToken({ after: last.name }) : undefined],
    ['Prefix', head.parameter('prefix')],
  ]);
}

/** CreateBucket, in the one pool that the caller may write to, or in the one that the location names. */
export async function createBucket(call: S3Call, name: string): Promise<S3Answer> {
  const { store, grant } = call;
  if (!isBucketName(name)) throw new S3Error('InvalidBucketName', 'the bucket name is not valid');
  const location = await locationOf(call);
  const existing = await store.findBucket(name);
  if (existing) {
    throw mayUse(grant, existing.poolId, 'write')
      ? new S3Error('BucketAlreadyOwnedByYou', 'the bucket exists')
      : new S3Error('BucketAlreadyExists', 'the name of the bucket is taken');
  }
  const writable = [...grant.pools].filter(([, access]) => access === 'write').map(([poolId]) => poolId);
  if (writable.length === 0) throw new S3Error('AccessDenied', 'the access key may write to no pool');
  const poolId = writable.find((id) => id === location) ?? (writable.length === 1 ? writable[0] : undefined);
  if (poolId === undefined) {
    throw new S3Error(
      'InvalidLocationConstraint',
      'the access key may write to several pools: the location must be the id of one of them',
    );
  }
  await store.createBucket(name, poolId);
  return { status: 200, headers: { location: `/${name}` } };
}

async function locationOf({ payload }: S3Call): Promise<string | undefined> {
  const text = await payload.text();
  return text.trim() === '' ? undefined : readXml(text, 'CreateBucketConfiguration').textOf('LocationConstraint');
}

export function headBucket(): S3Answer {
  return { status: 200, headers: { 'x-amz-bucket-region': REGION } };
}

export async function deleteBucket({ store, bucket }: BucketCall): Promise<S3Answer> {
  await store.deleteBucket(bucket.name);
  return { status: 204 };
}

export function getBucketLocation(): S3Answer {
  return xml('LocationConstraint', []);
}

/** Versions are not kept, so this never says more. */
export function getBucketVersioning(): S3Answer {
  return xml('VersioningConfiguration', []);
}

function questionOf(head: RequestHead): Omit<ListQuestion, 'after' | 'limit'> {
  const delimiter = head.parameter('delimiter');
  return { prefix: head.parameter('prefix') ?? '', delimiter: delimiter === '' ? undefined : delimiter };
}

interface Listed {
  readonly contents: readonly XmlNode[];
  readonly count: number;
  readonly isTruncated: boolean;
  /** Where the next page begins; undefined when this one is empty. */
  readonly last: { readonly key: string } | { readonly commonPrefix: string } | undefined;
}

async function listed(
  { head, store, bucket }: BucketCall,
  question: Omit<ListQuestion, 'limit'>,
  withOwner: boolean,
): Promise<Listed> {
  const coding = codingOf(head);
  const limit = limitOf(head, 'max-keys');
  if (limit === 0) return { contents: [], count: 0, isTruncated: false, last: undefined };
  const { objects, commonPrefixes, hasMore } = await store.list(bucket.name, { ...question, limit });
  const entry = ({ key, modifiedAt, etag, sizeBytes }: ListedObject): XmlNode => [
    'Contents',
    [
      ['Key', coding.of(key)],
      ['LastModified', modifiedAt.toISOString()],
      ['ETag', etagOf(etag)],
      ['Size', sizeBytes],
      ['Owner', withOwner ? [['ID', bucket.poolId]] : undefined],
      ['StorageClass', 'STANDARD'],
    ],
  ];
  const key = objects.at(-1)?.key;
  const commonPrefix = commonPrefixes.at(-1);
  const endsWithPrefix =
    commonPrefix !== undefined &&
    (key === undefined || Buffer.compare(Buffer.from(commonPrefix), Buffer.from(key)) > 0);
  return {
    contents: [
      ...objects.map(entry),
      ...commonPrefixes.map((each): XmlNode => ['CommonPrefixes', [['Prefix', coding.of(each)]]]),
    ],
    count: objects.length + commonPrefixes.length,
    isTruncated: hasMore,
    last: endsWithPrefix ? { commonPrefix } : key === undefined ? undefined : { key },
  };
}

/** ListObjects, the first version: goes on after a key. */
export async function listObjects(call: BucketCall): Promise<S3Answer> {
  const { head, bucket } = call;
  const coding = codingOf(head);
  const question = questionOf(head);
  const marker = head.parameter('marker') ?? '';
  const { contents, isTruncated, last } = await listed(
    call,
    { ...question, after: afterMarker(marker, question) },
    true,
  );
  const next = last && ('key' in last ? last.key : last.commonPrefix);
  return xml('ListBucketResult', [
    ['Name', bucket.name],
    ['Prefix', coding.of(question.prefix)],
    ['Marker', coding.of(marker)],
    ['NextMarker', isTruncated && next !== undefined ? coding.of(next) : undefined],
    ['Delimiter', question.delimiter && coding.of(question.delimiter)],
    ['MaxKeys', limitOf(head, 'max-keys')],
    coding.node,
    ['IsTruncated', isTruncated],
    ...contents,
  ]);
}

/** A marker that is a common prefix of this very list means all that it stands for. */
function afterMarker(
  marker: string,
  { prefix, delimiter }: Omit<ListQuestion, 'after' | 'limit'>,
): ListQuestion['after'] {
  if (marker === '') return undefined;
  if (delimiter !== undefined && marker.startsWith(prefix)) {
    const at = marker.indexOf(delimiter, prefix.length);
    if (at !== -1 && at + delimiter.length === marker.length) return { commonPrefix: marker };
  }
  return { key: marker };
}

/** ListObjectsV2: goes on with a token. */
export async function listObjectsV2(call: BucketCall): Promise<S3Answer> {
  const { head, bucket } = call;
  const coding = codingOf(head);
  const question = questionOf(head);
  const token = head.parameter('continuation-token');
  const startAfter = head.parameter('start-after') ?? '';
  const after = token === undefined ? (startAfter === '' ? undefined : { key: startAfter }) : afterToken(token);
  const withOwner = head.parameter('fetch-owner') === 'true';
  const { contents, count, isTruncated, last } = await listed(call, { ...question, after }, withOwner);
  return xml('ListBucketResult', [
    ['Name', bucket.name],
    ['Prefix', coding.of(question.prefix)],
    ['Delimiter', question.delimiter && coding.of(question.delimiter)],
    ['MaxKeys', limitOf(head, 'max-keys')],
    ['KeyCount', count],
    coding.node,
    ['StartAfter', startAfter === '' ? undefined : coding.of(startAfter)],
    ['ContinuationToken', token],
    ['IsTruncated', isTruncated],
    ['NextContinuationToken', isTruncated && last ? makeToken(last) : undefined],
    ...contents,
  ]);
}

function afterToken(token: string): ListQuestion['after'] {
  const { key, commonPrefix } = readToken(token);
  if (typeof key === 'string') return { key };
  if (typeof commonPrefix === 'string') return { commonPrefix };
  throw new S3Error('InvalidArgument', 'the continuation token is not one of ours');
}

/** DeleteObjects: up to 1,000 keys, each with its own outcome. */
export async function deleteObjects({ payload, store, bucket }: BucketCall): Promise<S3Answer> {
  const request = readXml(await payload.text(), 'Delete');
  const isQuiet = request.textOf('Quiet') === 'true';
  const objects = request.all('Object');
  if (objects.length === 0 || objects.length > MAX_ENTRIES) {
    throw new S3Error('MalformedXML', `1 to ${MAX_ENTRIES} objects are deleted at once`);
  }
  const limit = pLimit(DELETES_AT_ONCE);
  const outcomes = await Promise.all(
    objects.map((object) =>
      limit(async (): Promise<XmlNode | undefined> => {
        const key = object.textOf('Key') ?? '';
        try {
          const version = object.textOf('VersionId') ?? '';
          if (version !== '' && version !== 'null') throw new S3Error('NoSuchVersion', 'versions are not kept');
          await store.delete({ bucket: bucket.name, key: requireKey(key) }, object.textOf('ETag')?.replace(/"/g, ''));
          return isQuiet ? undefined : ['Deleted', [['Key', key]]];
        } catch (error) {
          const { code, message } = toS3Error(error);
          return [
            'Error',
            [
              ['Key', key],
              ['Code', code],
              ['Message', message],
            ],
          ];
        }
      }),
    ),
  );
  return xml(
    'DeleteResult',
    outcomes.filter((outcome) => outcome !== undefined),
  );
}
