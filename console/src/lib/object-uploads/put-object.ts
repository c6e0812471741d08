import { sendFile, sendRaw } from '@/lib/api';
import { ApiError } from '@/lib/api-error';

/** Where an object is. Its key is in the query: browsers read `.` and `..` in a path as steps between folders, also encoded. */
export function objectHref(poolId: string, key: string): string {
  return `/v1/pools/${encodeURIComponent(poolId)}/objects/?key=${encodeURIComponent(key)}`;
}

/** What is asked for when an object is put. */
export interface PutRequest {
  readonly poolId: string;
  readonly key: string;
  readonly file: File;
  /** Whether an object of the same key may go. */
  readonly replaces: boolean;
}

/**
 * Puts a file into a pool. One that would take the place of an object is refused before its bytes are sent, and once more at their
 * end, for somebody else may have been quicker.
 *
 * @throws ApiError; 412 when there is such an object and it may not be replaced
 */
export async function putObject(
  { poolId, key, file, replaces }: PutRequest,
  signal: AbortSignal,
  onProgress: (sent: number) => void,
): Promise<void> {
  const href = objectHref(poolId, key);
  if (!replaces) {
    const found = await sendRaw(href, { method: 'HEAD', signal });
    if (found.ok) {
      const message = 'There is an object of this name.';
      throw new ApiError({ message, status: 412, source: 'gateway', code: 'precondition_failed' });
    }
    if (found.status !== 404) throw await ApiError.fromResponse(found);
  }
  const headers = {
    'Content-Type': file.type === '' ? 'application/octet-stream' : file.type,
    ...(replaces ? {} : { 'If-None-Match': '*' }),
  };
  const response = await sendFile(href, file, { headers, signal, onProgress });
  if (!response.ok) throw await ApiError.fromResponse(response);
}
