import { createReadStream } from 'node:fs';
import { open } from 'node:fs/promises';
import { Upload } from 'tus-js-client';
import { API_TOKEN, master } from './app.js';
import { until } from './until.js';

/** A file on its way into the product over a wire that may be cut. */
export interface Source {
  readonly path: string;
  readonly name: string;
  readonly bytes: number;
}

const RETRIES = 200;
const RETRY_MS = 20;

/** Uploads by tus, as its own client does. @returns the path for inputFileLocal */
export function uploadByTus(url: string, { path, name }: Source): Promise<string> {
  return new Promise((resolve, reject) => {
    let answered = '';
    const upload = new Upload(createReadStream(path), {
      endpoint: `${url}/v1/uploads`,
      headers: { authorization: `Bearer ${API_TOKEN}` },
      metadata: { filename: name },
      retryDelays: Array.from({ length: RETRIES }, () => RETRY_MS),
      onAfterResponse: (_request, response) => {
        answered = response.getHeader('x-tgcontrol-path') ?? answered;
      },
      onError: reject,
      onSuccess: () => resolve(decodeURI(answered)),
    });
    upload.start();
  });
}

interface Progress {
  readonly result?: {
    readonly upload_id?: string;
    readonly chunk_size?: number;
    readonly offset?: number;
    readonly path?: string;
  };
}

/** Uploads in chunks, and after each cut goes on where the product says. @returns the path for inputFileLocal */
export async function uploadInChunks(url: string, { path, name, bytes }: Source): Promise<string> {
  const ask = async (method: string, at: string, headers = {}, body?: Uint8Array<ArrayBuffer>): Promise<Progress> => {
    const answer = await fetch(`${url}${at}`, { method, headers: { ...master, ...headers }, ...(body && { body }) });
    if (!answer.ok) throw new Error(`${answer.status}: ${await answer.text()}`);
    return (await answer.json()) as Progress;
  };
  const persistently = (method: string, at: string, headers = {}): Promise<Progress> =>
    until(`${method} ${at}`, () => ask(method, at, headers));
  const begun = await persistently('POST', `/v1/files?name=${encodeURIComponent(name)}`, {
    'upload-length': String(bytes),
  });
  const { upload_id: id = '', chunk_size: chunkSize = 0 } = begun.result ?? {};
  const handle = await open(path);
  try {
    let offset = 0;
    while (offset < bytes) {
      const chunk = new Uint8Array(Math.min(chunkSize, bytes - offset));
      await handle.read(chunk, 0, chunk.length, offset);
      const { result } = await ask('PATCH', `/v1/files/${id}`, { 'upload-offset': String(offset) }, chunk).catch(() =>
        persistently('GET', `/v1/files/${id}`),
      );
      offset = result?.offset ?? offset;
    }
  } finally {
    await handle.close();
  }
  return (await persistently('POST', `/v1/files/${id}/complete`)).result?.path ?? '';
}
