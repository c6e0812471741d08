import { sendRaw } from '@/lib/api';
import { ApiError } from '@/lib/api-error';

/*
 * The client's side of tus 1.0 (https://tus.io/protocols/resumable-upload), as much of it as the console needs. A part is sent with
 * its SHA-256, which no client library in the browser does, and by fetch, so that a renewed CSRF token is noticed.
 */
const TUS = { 'Tus-Resumable': '1.0.0' } as const;
const ROUTE = '/v1/uploads';
const MODIFIED = 'lastmodified';

/** A file as far as the server has it. */
export interface UploadProgress {
  readonly offset: number;
  readonly length: number;
  /** When the file was changed last, in Unix milliseconds, as the client that began it said. */
  readonly lastModified?: number | undefined;
}

const toBase64 = (text: string): string =>
  btoa(Array.from(new TextEncoder().encode(text), (byte) => String.fromCharCode(byte)).join(''));

const refusalLine = /^([a-z0-9_]+): (.*)$/s;

/** Refusals of the protocol are a status and a line of text, those of our guards the envelope. */
async function refusal(response: Response): Promise<ApiError> {
  const text = await response.clone().text();
  const [, code, message] = refusalLine.exec(text.trim()) ?? [];
  if (code === undefined || message === undefined) return ApiError.fromResponse(response);
  const requestId = response.headers.get('x-request-id') ?? undefined;
  return new ApiError({ message, code, status: response.status, source: 'gateway', requestId });
}

async function ask(path: string, init: RequestInit & { headers?: Record<string, string> }): Promise<Response> {
  const response = await sendRaw(path, { ...init, headers: { ...TUS, ...init.headers } });
  if (!response.ok) throw await refusal(response);
  return response;
}

const numberIn = (response: Response, header: string): number => {
  const value = response.headers.get(header);
  if (value === null || !/^\d+$/.test(value)) {
    throw new ApiError({ message: `The server did not say ${header}.`, status: response.status, source: 'gateway' });
  }
  return Number(value);
};

/**
 * Begins an upload.
 *
 * @returns its id
 * @throws ApiError
 */
export async function beginUpload(file: File, signal: AbortSignal): Promise<string> {
  const response = await ask(ROUTE, {
    method: 'POST',
    headers: {
      'Upload-Length': String(file.size),
      'Upload-Metadata': `filename ${toBase64(file.name)},${MODIFIED} ${toBase64(String(file.lastModified))}`,
    },
    signal,
  });
  const id = /([0-9a-f]{32})\/?$/.exec(response.headers.get('location') ?? '')?.[1];
  if (id === undefined) {
    throw new ApiError({ message: 'The server did not say which upload it began.', status: 201, source: 'gateway' });
  }
  return id;
}

/** @throws ApiError; 404 when the upload was removed */
export async function askProgress(id: string, signal?: AbortSignal): Promise<UploadProgress> {
  const response = await ask(`${ROUTE}/${id}`, { method: 'HEAD', ...(signal ? { signal } : {}) });
  const metadata = response.headers.get('upload-metadata') ?? '';
  const modified = metadata
    .split(',')
    .map((pair) => pair.trim().split(' '))
    .find(([name]) => name === MODIFIED)?.[1];
  return {
    offset: numberIn(response, 'upload-offset'),
    length: numberIn(response, 'upload-length'),
    lastModified: modified === undefined ? undefined : Number(atob(modified)),
  };
}

/** The checksum that {@link sendPart} sends; undefined where the browser makes none, which is on pages over plain HTTP. */
export async function checksumOf(bytes: ArrayBuffer): Promise<string | undefined> {
  // Typed as always there, but it is not: https://developer.mozilla.org/docs/Web/API/Crypto/subtle
  const subtle = crypto.subtle as SubtleCrypto | undefined;
  if (!subtle) return undefined;
  const digest = new Uint8Array(await subtle.digest('SHA-256', bytes));
  return btoa(Array.from(digest, (byte) => String.fromCharCode(byte)).join(''));
}

/**
 * Appends bytes at `offset`, where the upload must end now.
 *
 * @returns where it ends then
 * @throws ApiError; 409 when it ends elsewhere, 460 when the bytes were damaged on the way
 */
export async function sendPart(
  id: string,
  part: { offset: number; bytes: ArrayBuffer; checksum: string | undefined },
  signal: AbortSignal,
): Promise<number> {
  const response = await ask(`${ROUTE}/${id}`, {
    method: 'PATCH',
    headers: {
      'Content-Type': 'application/offset+octet-stream',
      'Upload-Offset': String(part.offset),
      ...(part.checksum === undefined ? {} : { 'Upload-Checksum': `sha256 ${part.checksum}` }),
    },
    body: part.bytes,
    signal,
  });
  return numberIn(response, 'upload-offset');
}

/** Removes an upload in whatever state; one that is gone already is no failure. */
export async function removeUpload(id: string): Promise<void> {
  try {
    await ask(`${ROUTE}/${id}`, { method: 'DELETE' });
  } catch (thrown) {
    if (!(thrown instanceof ApiError) || (thrown.status !== 404 && thrown.status !== 410)) throw thrown;
  }
}
