import { fetchClient } from '@/lib/api';
import { ApiError } from '@/lib/api-error';
import type { SessionKind } from '@/lib/types';

/** What a call is made of; params stay the text that was typed, so that large numbers arrive exactly. */
export interface CallRequest {
  readonly kind: SessionKind;
  readonly id: string;
  readonly method: string;
  readonly paramsText: string;
}

/** The end of a call, with what belongs in a bug report. */
export interface CallAnswer {
  readonly ok: boolean;
  readonly status: number;
  readonly durationMs: number;
  readonly requestId: string | undefined;
  /** Telegram's object, or the error of the envelope. */
  readonly json: unknown;
}

/** @returns what is wrong with the params, or undefined when they are a JSON object or nothing at all. */
export function paramsProblem(text: string): string | undefined {
  if (text.trim() === '') return undefined;
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (error) {
    return error instanceof Error ? error.message : 'This is not JSON.';
  }
  const isObject = typeof value === 'object' && value !== null && !Array.isArray(value);
  return isObject ? undefined : 'The params are one JSON object: { … }';
}

/** The body as it is sent. The params go in as they were typed: parsing them would round integers beyond 2^53. */
export function callBody(method: string, paramsText: string): string {
  const params = paramsText.trim();
  return params === ''
    ? `{"method":${JSON.stringify(method)}}`
    : `{"method":${JSON.stringify(method)},"params":${params}}`;
}

/** Runs one call. A refusal is an answer too; only a lost connection is thrown, as an {@link ApiError}. */
export async function runCall({ kind, id, method, paramsText }: CallRequest): Promise<CallAnswer> {
  const started = performance.now();
  const answer = (fields: Omit<CallAnswer, 'durationMs'>): CallAnswer => ({
    ...fields,
    durationMs: Math.round(performance.now() - started),
  });
  try {
    const { data, response } = await fetchClient.POST('/v1/{kind}/{id}/call', {
      params: { path: { kind, id } },
      body: { method },
      bodySerializer: () => callBody(method, paramsText),
    });
    return answer({
      ok: true,
      status: response.status,
      requestId: response.headers.get('x-request-id') ?? undefined,
      json: data?.result,
    });
  } catch (thrown) {
    const error = ApiError.from(thrown);
    if (error.source === 'network' || error.endsConsoleSession) throw error;
    const { status, requestId, message, source, code, retryAfterSeconds, details } = error;
    return answer({
      ok: false,
      status,
      requestId,
      json: {
        message,
        source,
        ...(code === undefined ? {} : { code }),
        ...(retryAfterSeconds === undefined ? {} : { retry_after: retryAfterSeconds }),
        ...(Object.keys(details).length === 0 ? {} : { details }),
      },
    });
  }
}

/** The same call for a terminal; the token is a placeholder, because the console does not have it. */
export function asCurl(origin: string, { kind, id, method, paramsText }: CallRequest): string {
  const body = callBody(method, paramsText).replaceAll("'", String.raw`'\''`);
  return [
    `curl -sS '${origin}/v1/${kind}/${id}/call'`,
    `  -H "Authorization: Bearer $TOKEN"`,
    `  -H 'Content-Type: application/json'`,
    `  -d '${body}'`,
  ].join(' \\\n');
}
