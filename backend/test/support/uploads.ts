import { API_TOKEN, type TestApp } from './app.js';

/** Uploads a file in one request. @returns its path, for inputFileLocal */
export async function uploadFile(
  app: TestApp,
  name: string,
  bytes: Uint8Array<ArrayBuffer> | string,
  token = API_TOKEN,
): Promise<string> {
  const response = await fetch(`${app.url}/v1/files?name=${encodeURIComponent(name)}`, {
    method: 'POST',
    headers: { authorization: `Bearer ${token}` },
    body: bytes,
  });
  const { result } = (await response.json()) as { readonly result?: { readonly path: string } };
  if (result === undefined) throw new Error(`the upload was refused with ${response.status}`);
  return result.path;
}
