import { isAbsolute } from 'node:path';

/** Where snapshots or backups are kept. */
export type StoreLocation =
  | { readonly kind: 'file'; readonly dir: string }
  | {
      readonly kind: 's3';
      readonly bucket: string;
      /** Empty, or ends with a slash. */
      readonly prefix: string;
      /** Undefined: Amazon's own. */
      readonly endpoint: string | undefined;
      readonly region: string;
    };

/** A place for objects with what opens it. */
export interface StoreSettings {
  readonly location: StoreLocation;
  /** Of S3; undefined: what the machine itself has been given, as the AWS SDK finds it. */
  readonly credentials: { readonly accessKeyId: string; readonly secretAccessKey: string } | undefined;
}

/**
 * `file:///folder` or `s3://bucket/prefix?endpoint=https://host:port&region=name`; undefined when it is neither. Without an endpoint it is
 * Amazon's; the region is us-east-1 unless named.
 */
export function parseStoreLocation(text: string): StoreLocation | undefined {
  if (!URL.canParse(text)) return undefined;
  const url = new URL(text);
  if (url.username !== '' || url.password !== '' || url.hash !== '') return undefined;
  const path = decodeURIComponent(url.pathname);
  if (url.protocol === 'file:') {
    return url.host === '' && url.search === '' && isAbsolute(path) && path !== '/'
      ? { kind: 'file', dir: path }
      : undefined;
  }
  if (url.protocol !== 's3:' || url.port !== '' || !/^[a-z0-9][a-z0-9.-]{1,61}[a-z0-9]$/.test(url.hostname))
    return undefined;
  if ([...url.searchParams.keys()].some((name) => name !== 'endpoint' && name !== 'region')) return undefined;
  const endpoint = url.searchParams.get('endpoint') ?? undefined;
  if (endpoint !== undefined && !(URL.canParse(endpoint) && /^https?:$/.test(new URL(endpoint).protocol)))
    return undefined;
  const prefix = path.replace(/^\/+|\/+$/g, '');
  return {
    kind: 's3',
    bucket: url.hostname,
    prefix: prefix === '' ? '' : `${prefix}/`,
    endpoint,
    region: url.searchParams.get('region') ?? 'us-east-1',
  };
}
