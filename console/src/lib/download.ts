import { useEffect, useRef, useState } from 'react';
import { sendRaw } from './api';
import { ApiError } from './api-error';

/** A file that is collected in the page; larger ones go straight to the browser's own downloads. */
export const COLLECTED_BYTES = 256 * 1_024 * 1_024;
const TRIES = 5;
const RETRY_MS = 1_000;

/** How a download stands. */
export type DownloadState =
  | { readonly is: 'idle' }
  | { readonly is: 'running'; readonly received: number; readonly total: number | undefined }
  | { readonly is: 'failed'; readonly error: ApiError }
  | { readonly is: 'done' };

const numberFrom = (text: string | null | undefined): number | undefined =>
  text !== null && text !== undefined && /^\d+$/.test(text) ? Number(text) : undefined;

/** The name in a Content-Disposition, the UTF-8 one when there are both (RFC 6266). */
export function nameFrom(disposition: string | null): string | undefined {
  const encoded = /filename\*=UTF-8''([^;]+)/i.exec(disposition ?? '')?.[1];
  if (encoded !== undefined) {
    try {
      return decodeURIComponent(encoded);
    } catch {
      // The plain one follows.
    }
  }
  return /filename="((?:[^"\\]|\\.)*)"/i.exec(disposition ?? '')?.[1]?.replace(/\\(.)/g, '$1');
}

function save(blob: Blob, name: string): void {
  const url = URL.createObjectURL(blob);
  const link = document.createElement('a');
  link.href = url;
  link.download = name;
  link.click();
  // The browser has taken hold of it when the click is over; Safari needs a moment more.
  setTimeout(() => URL.revokeObjectURL(url), 10_000);
}

interface Collected {
  readonly blob: Blob;
  readonly name: string | undefined;
}

/**
 * Collects a file; what is cut off goes on by Range where it ended. TDLib's number may mean another file after a restart of the
 * session: then it fails, for the other file is not the one that was asked for.
 *
 * @throws ApiError; the signal's own DOMException when it was aborted
 */
export async function collect(
  href: string,
  signal: AbortSignal,
  onProgress: (received: number, total: number | undefined) => void,
): Promise<Collected> {
  let chunks: BlobPart[] = [];
  let received = 0;
  let total: number | undefined;
  let etag: string | null = null;
  for (let failures = 0; ; failures += 1) {
    try {
      const goesOn: Record<string, string> =
        received > 0 ? { Range: `bytes=${received}-`, ...(etag === null ? {} : { 'If-Match': etag }) } : {};
      const response = await sendRaw(href, { headers: goesOn, signal });
      if (!response.ok) throw await ApiError.fromResponse(response);
      if (response.status !== 206) {
        chunks = [];
        received = 0;
        total = numberFrom(response.headers.get('content-length'));
      }
      etag = response.headers.get('etag');
      const reader = response.body?.getReader();
      // What is on its way already would come first.
      signal.addEventListener('abort', () => void reader?.cancel(), { once: true });
      for (let next = await reader?.read(); next && !next.done; next = await reader?.read()) {
        chunks.push(next.value);
        received += next.value.byteLength;
        failures = 0;
        onProgress(received, total);
      }
      if (total !== undefined && received < total) throw new TypeError('the answer ended too soon');
      const type = response.headers.get('content-type') ?? 'application/octet-stream';
      return { blob: new Blob(chunks, { type }), name: nameFrom(response.headers.get('content-disposition')) };
    } catch (thrown) {
      signal.throwIfAborted();
      const error = ApiError.from(thrown);
      // What never began is told at once; what broke off goes on.
      if (error.source !== 'network' || received === 0 || failures >= TRIES) throw error;
    }
    await new Promise((resolve) => setTimeout(resolve, RETRY_MS * (failures + 1)));
    signal.throwIfAborted();
  }
}

/** A download with its progress; it ends when the component goes. */
export function useDownload(href: string, fallbackName: string) {
  const [state, setState] = useState<DownloadState>({ is: 'idle' });
  const running = useRef<AbortController>(undefined);
  useEffect(() => () => running.current?.abort(), []);
  const start = async (): Promise<void> => {
    const controller = new AbortController();
    running.current = controller;
    setState({ is: 'running', received: 0, total: undefined });
    try {
      const { blob, name } = await collect(href, controller.signal, (received, total) =>
        setState({ is: 'running', received, total }),
      );
      save(blob, name ?? fallbackName);
      setState({ is: 'done' });
    } catch (thrown) {
      setState(controller.signal.aborted ? { is: 'idle' } : { is: 'failed', error: ApiError.from(thrown) });
    }
  };
  return { state, start: () => void start(), cancel: () => running.current?.abort() };
}
