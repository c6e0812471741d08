import { S3Error } from './s3-error.js';

/** A request before its body, as its signature covers it. */
export class RequestHead {
  /** As it was sent, percent-encoded. */
  readonly rawPath: string;
  /** The query in its order, decoded. */
  readonly query: readonly (readonly [string, string])[];
  private readonly headers = new Map<string, string[]>();

  /**
   * @param target of the request line: path and query, or with the host before them as proxies send it
   * @param rawHeaders names and values by turns, as Node gives them: each byte is one character
   * @throws S3Error InvalidURI
   */
  constructor(
    readonly method: string,
    target: string,
    rawHeaders: readonly string[],
  ) {
    const local = target.replace(/^https?:\/\/[^/?]*/i, '');
    const mark = local.indexOf('?');
    const path = mark === -1 ? local : local.slice(0, mark);
    this.rawPath = path === '' ? '/' : path;
    if (!this.rawPath.startsWith('/')) throw new S3Error('InvalidURI', 'the path must begin with /');
    this.query = mark === -1 ? [] : parseQuery(local.slice(mark + 1));
    for (let index = 0; index + 1 < rawHeaders.length; index += 2) {
      const name = (rawHeaders[index] ?? '').toLowerCase();
      const values = this.headers.get(name) ?? [];
      values.push(rawHeaders[index + 1] ?? '');
      this.headers.set(name, values);
    }
  }

  /** The names of the headers, in lower case. */
  headerNames(): Iterable<string> {
    return this.headers.keys();
  }

  /** The value of a header; several of one name are joined by commas. Each character is one byte as it was sent. */
  header(name: string): string | undefined {
    return this.headers.get(name)?.join(',').trim();
  }

  /** The first value of a query parameter. */
  parameter(name: string): string | undefined {
    return this.query.find(([given]) => given === name)?.[1];
  }

  has(parameter: string): boolean {
    return this.parameter(parameter) !== undefined;
  }
}

function parseQuery(text: string): (readonly [string, string])[] {
  return text
    .split('&')
    .filter((pair) => pair !== '')
    .map((pair) => {
      const equals = pair.indexOf('=');
      const [name, value] = equals === -1 ? [pair, ''] : [pair.slice(0, equals), pair.slice(equals + 1)];
      // Go's clients write a space as a plus, and sign %20.
      return [decodePart(name.replaceAll('+', ' ')), decodePart(value.replaceAll('+', ' '))] as const;
    });
}

/** @throws S3Error InvalidURI for what is no percent-encoding of UTF-8, or holds NUL */
export function decodePart(text: string): string {
  let decoded: string;
  try {
    decoded = decodeURIComponent(utf8Of(text));
  } catch {
    throw new S3Error('InvalidURI', 'the URI is not percent-encoded UTF-8');
  }
  if (decoded.includes('\0')) throw new S3Error('InvalidURI', 'the URI holds a NUL');
  return decoded;
}

const strictUtf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

/** What a text of one character a byte says as UTF-8. @throws TypeError when it is none */
export function utf8Of(bytes: string): string {
  return strictUtf8.decode(Buffer.from(bytes, 'latin1'));
}

/** Percent-encodes everything but `A-Z a-z 0-9 - . _ ~`, as signatures want it. */
export function encodePart(text: string): string {
  return encodeURIComponent(text).replace(
    /[!'()*]/g,
    (char) => `%${char.charCodeAt(0).toString(16).toUpperCase().padStart(2, '0')}`,
  );
}

/** {@link encodePart} of each part of a path. */
export function encodePath(text: string): string {
  return text.split('/').map(encodePart).join('/');
}
