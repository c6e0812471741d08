import * as buckets from './bucket-operations.js';
import * as uploads from './multipart-operations.js';
import * as objects from './object-operations.js';
import { type RequestHead, decodePart } from './request-head.js';
import type { PoolAccess } from '../tokens/index.js';
import { type BucketCall, type ObjectCall, type S3Answer, type S3Call, mayUse } from './s3-call.js';
import { S3Error, type S3ErrorCode } from './s3-error.js';
import { requireKey } from './s3-names.js';

type Outcome = S3Answer | Promise<S3Answer>;

type Operation =
  | { readonly about: 'service'; readonly run: (call: S3Call) => Outcome }
  /** The bucket need not exist. */
  | { readonly about: 'name'; readonly run: (call: S3Call, name: string) => Outcome }
  | { readonly about: 'bucket'; readonly needs: PoolAccess; readonly run: (call: BucketCall) => Outcome }
  | { readonly about: 'object'; readonly needs: PoolAccess; readonly run: (call: ObjectCall) => Outcome };

const onBucket = (needs: PoolAccess, run: (call: BucketCall) => Outcome): Operation => ({
  about: 'bucket',
  needs,
  run,
});
const onObject = (needs: PoolAccess, run: (call: ObjectCall) => Outcome): Operation => ({
  about: 'object',
  needs,
  run,
});

/** What a bucket cannot have is answered as S3 does where it is not set. */
const notSet = (code: S3ErrorCode): Operation =>
  onBucket('read', () => {
    throw new S3Error(code, 'this is not set for the bucket');
  });

/** By what the request is about, its method, and what else chooses between operations. */
const OPERATIONS: Readonly<Record<string, Operation>> = {
  'service GET': { about: 'service', run: buckets.listBuckets },
  'bucket PUT': { about: 'name', run: buckets.createBucket },
  'bucket HEAD': onBucket('read', buckets.headBucket),
  'bucket DELETE': onBucket('write', buckets.deleteBucket),
  'bucket GET': onBucket('read', buckets.listObjects),
  'bucket GET list-type': onBucket('read', buckets.listObjectsV2),
  'bucket GET location': onBucket('read', buckets.getBucketLocation),
  'bucket GET versioning': onBucket('read', buckets.getBucketVersioning),
  'bucket GET uploads': onBucket('read', uploads.listMultipartUploads),
  'bucket GET cors': notSet('NoSuchCORSConfiguration'),
  'bucket GET encryption': notSet('ServerSideEncryptionConfigurationNotFoundError'),
  'bucket GET lifecycle': notSet('NoSuchLifecycleConfiguration'),
  'bucket GET object-lock': notSet('ObjectLockConfigurationNotFoundError'),
  'bucket GET ownershipControls': notSet('OwnershipControlsNotFoundError'),
  'bucket GET policy': notSet('NoSuchBucketPolicy'),
  'bucket GET publicAccessBlock': notSet('NoSuchPublicAccessBlockConfiguration'),
  'bucket GET replication': notSet('ReplicationConfigurationNotFoundError'),
  'bucket GET tagging': notSet('NoSuchTagSet'),
  'bucket GET website': notSet('NoSuchWebsiteConfiguration'),
  'bucket POST delete': onBucket('write', buckets.deleteObjects),
  'object HEAD': onObject('read', objects.headObject),
  'object GET': onObject('read', objects.getObject),
  'object GET tagging': onObject('read', objects.getObjectTagging),
  'object GET uploadId': onObject('read', uploads.listParts),
  'object PUT': onObject('write', objects.putObject),
  'object PUT copy': onObject('write', objects.copyObject),
  'object PUT uploadId': onObject('write', uploads.uploadPart),
  'object PUT uploadId copy': onObject('write', uploads.uploadPartCopy),
  'object POST uploads': onObject('write', uploads.createMultipartUpload),
  'object POST uploadId': onObject('write', uploads.completeMultipartUpload),
  'object DELETE': onObject('write', objects.deleteObject),
  'object DELETE uploadId': onObject('write', uploads.abortMultipartUpload),
};

/** Parameters that make another operation of a request. One that is not served must never be taken for a list or an object. */
const SUBRESOURCES = new Set([
  'accelerate',
  'acl',
  'analytics',
  'append',
  'attributes',
  'cors',
  'delete',
  'encryption',
  'intelligent-tiering',
  'inventory',
  'legal-hold',
  'lifecycle',
  'list-type',
  'location',
  'logging',
  'metadataConfiguration',
  'metadataTable',
  'metrics',
  'notification',
  'object-lock',
  'ownershipControls',
  'policy',
  'policyStatus',
  'publicAccessBlock',
  'renameObject',
  'replication',
  'requestPayment',
  'restore',
  'retention',
  'select',
  'session',
  'tagging',
  'torrent',
  'uploadId',
  'uploads',
  'versioning',
  'versions',
  'website',
]);

/** What a request is about: nothing, a bucket, or an object. */
export interface Target {
  readonly bucket: string;
  readonly key: string;
}

/**
 * Path style, or virtual-host style below one of these domains. Nothing in a key is changed: `//`, `..` and a last slash are its own.
 * @throws S3Error InvalidURI
 */
export function targetOf(head: RequestHead, domains: readonly string[]): Target {
  const path = decodePart(head.rawPath).slice(1);
  const host = (head.header('host') ?? '').replace(/:\d+$/, '').toLowerCase();
  const domain = domains.find((each) => host.endsWith(`.${each}`));
  if (domain !== undefined) return { bucket: host.slice(0, -domain.length - 1), key: path };
  const slash = path.indexOf('/');
  return slash === -1 ? { bucket: path, key: '' } : { bucket: path.slice(0, slash), key: path.slice(slash + 1) };
}

/** @throws S3Error NotImplemented, MethodNotAllowed */
function operationOf(head: RequestHead, { bucket, key }: Target): Operation {
  const about = bucket === '' ? 'service' : key === '' ? 'bucket' : 'object';
  const subresources = [...new Set(head.query.map(([name]) => name).filter((name) => SUBRESOURCES.has(name)))];
  const isCopy = about === 'object' && head.method === 'PUT' && head.header('x-amz-copy-source') !== undefined;
  const name = [about, head.method, ...subresources, ...(isCopy ? ['copy'] : [])].join(' ');
  const operation = Object.hasOwn(OPERATIONS, name) ? OPERATIONS[name] : undefined;
  if (operation) return operation;
  if (subresources.length > 0) throw new S3Error('NotImplemented', `${name} is not supported`);
  // A form that a browser posts.
  if (name === 'bucket POST') throw new S3Error('NotImplemented', 'uploads by forms are not supported');
  throw new S3Error('MethodNotAllowed', `${head.method} is not allowed here`);
}

/**
 * Does what a request asks for, when its caller may.
 * @throws whatever the operation throws; S3Error
 */
export async function serve(call: S3Call, target: Target): Promise<S3Answer> {
  const { head, store, grant } = call;
  const operation = operationOf(head, target);
  if (operation.about === 'service') return operation.run(call);
  if (operation.about === 'name') return operation.run(call, target.bucket);
  const key = operation.about === 'object' ? requireKey(target.key) : '';
  const bucket = await store.findBucket(target.bucket);
  if (!bucket) throw new S3Error('NoSuchBucket', 'the bucket does not exist');
  if (!mayUse(grant, bucket.poolId, operation.needs)) {
    throw new S3Error('AccessDenied', `the access key may not ${operation.needs} here`);
  }
  const version = head.parameter('versionId') ?? 'null';
  if (version !== 'null') throw new S3Error('NoSuchVersion', 'versions are not kept');
  return operation.about === 'object' ? operation.run({ ...call, bucket, key }) : operation.run({ ...call, bucket });
}
