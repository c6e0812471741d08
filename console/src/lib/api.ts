import createFetchClient, { type Middleware } from 'openapi-fetch';
import createClient from 'openapi-react-query';
import { ApiError } from './api-error';
import type { paths } from './schema';

/** During the static export there is no window, and no request is made either. */
const baseUrl = typeof window === 'undefined' ? 'http://console.invalid' : window.location.origin;

/** The cookie is HttpOnly, so a page cannot read it; this second half proves that a write comes from the console. */
let csrfToken: string | undefined;

/** Called with the token of the console session in use, and with undefined when there is none any more. */
export function setCsrfToken(token: string | undefined): void {
  csrfToken = token;
}

const isUnsafe = (method: string): boolean => !['GET', 'HEAD', 'OPTIONS'].includes(method);

const envelope: Middleware = {
  async onResponse({ response }) {
    if (!response.ok) throw await ApiError.fromResponse(response);
    return undefined;
  },
  onError({ error }) {
    // A query that is no longer needed is aborted; that is not a failure of the server.
    return error instanceof DOMException && error.name === 'AbortError' ? error : ApiError.from(error);
  },
};

async function isCsrfRefusal(response: Response): Promise<boolean> {
  return response.status === 403 && (await ApiError.fromResponse(response)).code === 'csrf_failed';
}

/** Asks for the token of the cookie that the browser has now. */
async function renewCsrfToken(): Promise<string | undefined> {
  const response = await globalThis.fetch(new Request(`${baseUrl}/v1/console/session`, { credentials: 'same-origin' }));
  if (!response.ok) return undefined;
  const body = (await response.json()) as { result?: { csrf_token?: string } };
  return body.result?.csrf_token;
}

/**
 * Sends, and once more when only the CSRF token is of an older console session: signing in again in another tab replaces
 * the cookie for all tabs, and this one has not seen it. A request refused for that has done nothing yet.
 */
async function send(request: Request): Promise<Response> {
  if (csrfToken !== undefined && isUnsafe(request.method)) request.headers.set('X-Csrf-Token', csrfToken);
  const again = isUnsafe(request.method) ? request.clone() : undefined;
  const response = await globalThis.fetch(request);
  if (!again || !(await isCsrfRefusal(response))) return response;
  csrfToken = await renewCsrfToken();
  if (csrfToken === undefined) return response;
  again.headers.set('X-Csrf-Token', csrfToken);
  return globalThis.fetch(again);
}

/** Typed calls of the HTTP API; every failure is thrown as an {@link ApiError}. */
export const fetchClient = createFetchClient<paths>({ baseUrl, credentials: 'same-origin', fetch: send });
fetchClient.use(envelope);

/** The same API as react-query hooks. */
export const $api = createClient(fetchClient);

/**
 * A request that the typed client cannot make: bytes, or headers as the answer. Refusals come back as answers.
 *
 * @throws ApiError when nobody answered; the signal's own DOMException when it was aborted
 */
export async function sendRaw(path: string, init: RequestInit): Promise<Response> {
  try {
    return await send(new Request(`${baseUrl}${path}`, { credentials: 'same-origin', ...init }));
  } catch (thrown) {
    if (init.signal?.aborted === true) throw thrown;
    throw ApiError.from(thrown);
  }
}

/**
 * Sends bytes as they are read from the disk and tells how many have left, which fetch cannot.
 *
 * @returns the answer, refusals as well
 * @throws ApiError when nobody answered; the signal's own reason when it was aborted
 */
export async function sendFile(
  path: string,
  file: File,
  options: {
    readonly headers: Readonly<Record<string, string>>;
    readonly signal: AbortSignal;
    readonly onProgress: (sent: number) => void;
  },
): Promise<Response> {
  const response = await putOnce(path, file, options);
  if (!(await isCsrfRefusal(response))) return response;
  csrfToken = await renewCsrfToken();
  return csrfToken === undefined ? response : putOnce(path, file, options);
}

function putOnce(
  path: string,
  file: File,
  { headers, signal, onProgress }: Parameters<typeof sendFile>[2],
): Promise<Response> {
  return new Promise((resolve, reject) => {
    const request = new XMLHttpRequest();
    const abort = (): void => request.abort();
    request.open('PUT', `${baseUrl}${path}`);
    for (const [name, value] of Object.entries(headers)) request.setRequestHeader(name, value);
    if (csrfToken !== undefined) request.setRequestHeader('X-Csrf-Token', csrfToken);
    request.upload.onprogress = ({ loaded }) => onProgress(loaded);
    request.onload = () => {
      const id = request.getResponseHeader('x-request-id');
      resolve(
        new Response(request.responseText, {
          status: request.status,
          headers: id === null ? {} : { 'x-request-id': id },
        }),
      );
    };
    request.onerror = () => reject(ApiError.from(undefined));
    request.onabort = () => reject(signal.reason as Error);
    request.onloadend = () => signal.removeEventListener('abort', abort);
    signal.addEventListener('abort', abort);
    request.send(file);
  });
}
