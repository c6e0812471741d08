import { fetchClient } from './api';
import { ApiError } from './api-error';
import type { CallSend, SessionKind } from './types';

/** What a call is made of; params stay the text that was typed, so that large numbers arrive exactly. */
export interface CallRequest {
  readonly kind: SessionKind;
  readonly id: string;
  readonly method: string;
  readonly paramsText: string;
  /** So many seconds the answer may wait for what Telegram decides about the messages sent: 1 to 60. */
  readonly waitSeconds?: number | undefined;
  /** A repeat with the same key and body does nothing and gets the first answer. */
  readonly idempotencyKey?: string | undefined;
}

/** The end of a call, with what belongs in a bug report. */
export interface CallAnswer {
  readonly request: CallRequest;
  readonly ok: boolean;
  readonly status: number;
  readonly durationMs: number;
  readonly requestId: string | undefined;
  /** Telegram's object, or the error of the envelope. */
  readonly json: unknown;
  /** Why it was refused; absent when it was answered. */
  readonly error?: ApiError;
  /** With a wait: what became of the messages that the call sent. */
  readonly sends?: readonly CallSend[] | undefined;
  /** The server gave an earlier answer again, because of the Idempotency-Key. */
  readonly replayed: boolean;
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
export async function runCall(request: CallRequest): Promise<CallAnswer> {
  const { kind, id, method, paramsText, waitSeconds, idempotencyKey } = request;
  const started = performance.now();
  const answer = (fields: Omit<CallAnswer, 'durationMs' | 'request'>): CallAnswer => ({
    ...fields,
    request,
    durationMs: Math.round(performance.now() - started),
  });
  try {
    const { data, response } = await fetchClient.POST('/v1/{kind}/{id}/call', {
      params: {
        path: { kind, id },
        ...(waitSeconds === undefined ? {} : { query: { wait: waitSeconds } }),
        ...(idempotencyKey === undefined ? {} : { header: { 'Idempotency-Key': idempotencyKey } }),
      },
      body: { method },
      bodySerializer: () => callBody(method, paramsText),
    });
    return answer({
      ok: true,
      status: response.status,
      requestId: response.headers.get('x-request-id') ?? undefined,
      json: data?.result,
      sends: data?.sends,
      replayed: response.headers.get('idempotent-replayed') === 'true',
    });
  } catch (thrown) {
    const error = ApiError.from(thrown);
    if (error.source === 'network' || error.endsConsoleSession) throw error;
    const { status, requestId, message, source, code, retryAfterSeconds, details } = error;
    return answer({
      ok: false,
      status,
      requestId,
      error,
      replayed: false,
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

function address(origin: string, { kind, id, waitSeconds }: CallRequest): string {
  return `${origin}/v1/${kind}/${id}/call${waitSeconds === undefined ? '' : `?wait=${waitSeconds}`}`;
}

/** A word of a POSIX shell that means exactly `text`. */
export function shellWord(text: string): string {
  return `'${text.replaceAll("'", String.raw`'\''`)}'`;
}

/** The same call for a terminal; the token is a placeholder, because the console does not have it. */
export function asCurl(origin: string, request: CallRequest): string {
  const { method, paramsText, idempotencyKey } = request;
  return [
    `curl -sS ${shellWord(address(origin, request))}`,
    `  -H "Authorization: Bearer $TOKEN"`,
    `  -H 'Content-Type: application/json'`,
    ...(idempotencyKey === undefined ? [] : [`  -H ${shellWord(`Idempotency-Key: ${idempotencyKey}`)}`]),
    `  -d ${shellWord(callBody(method, paramsText))}`,
  ].join(' \\\n');
}

/** The same call for JavaScript. The body is a text, so that large numbers stay exact; `TOKEN` is to be set. */
export function asFetch(origin: string, request: CallRequest): string {
  const { method, paramsText, idempotencyKey } = request;
  return [
    `const response = await fetch(${JSON.stringify(address(origin, request))}, {`,
    "  method: 'POST',",
    '  headers: {',
    '    Authorization: `Bearer ${TOKEN}`,',
    "    'Content-Type': 'application/json',",
    ...(idempotencyKey === undefined ? [] : [`    'Idempotency-Key': ${JSON.stringify(idempotencyKey)},`]),
    '  },',
    `  body: ${JSON.stringify(callBody(method, paramsText))},`,
    '});',
    'const { ok, result, error } = await response.json();',
  ].join('\n');
}
