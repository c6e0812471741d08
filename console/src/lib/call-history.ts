import { useMemo } from 'react';
import { useStored, writeStored } from './stored';
import type { MethodClass } from './types';

/** A call that was made from this browser. Answers are never kept. */
export interface CallRecord {
  readonly sessionId: string;
  readonly method: string;
  /** As typed; absent when they may hold a secret, or are long. */
  readonly params?: string;
  readonly at: number;
  readonly ok: boolean;
}

const KEY = 'tgcontrol.calls';
const PER_SESSION = 20;
const IN_ALL = 200;
const MAX_PARAMS = 4_000;
/** Names of td_api fields that hold what nobody else may read. */
const SECRET =
  /"[^"]*(?:password|passwd|secret|token|code|hash|credential|encryption|private|passport|otp|pin)[^"]*"\s*:/i;

/**
 * True when params may be kept in the browser. Those of the class `account` never are: they are passwords, codes and documents;
 * nor are those of a method whose class is not known.
 */
export function mayKeep(methodClass: MethodClass | undefined, params: string): boolean {
  if (methodClass === undefined || methodClass === 'account') return false;
  return params.length <= MAX_PARAMS && !SECRET.test(params);
}

function isRecord(value: unknown): value is CallRecord {
  if (typeof value !== 'object' || value === null) return false;
  const { sessionId, method, params, at, ok } = value as Partial<Record<keyof CallRecord, unknown>>;
  return (
    typeof sessionId === 'string' &&
    typeof method === 'string' &&
    typeof at === 'number' &&
    typeof ok === 'boolean' &&
    (params === undefined || typeof params === 'string')
  );
}

function read(stored: string | null): readonly CallRecord[] {
  try {
    const value: unknown = JSON.parse(stored ?? '[]');
    return Array.isArray(value) ? value.filter(isRecord) : [];
  } catch {
    return []; // Written by another version, or by hand: the history is worth no failure.
  }
}

function readNow(): readonly CallRecord[] {
  try {
    return read(window.localStorage.getItem(KEY));
  } catch {
    return [];
  }
}

/** Puts a call on top of the history of its session; one that is there already moves up, and the oldest leave. */
export function rememberCall(record: CallRecord): void {
  const others = readNow().filter(
    ({ sessionId, method, params }) =>
      sessionId !== record.sessionId || method !== record.method || params !== record.params,
  );
  const all = [record, ...others];
  const counts = new Map<string, number>();
  const kept = all.filter(({ sessionId }) => {
    const count = (counts.get(sessionId) ?? 0) + 1;
    counts.set(sessionId, count);
    return count <= PER_SESSION;
  });
  writeStored(KEY, JSON.stringify(kept.slice(0, IN_ALL)));
}

/** Forgets the calls of one session, or of all. */
export function forgetCalls(sessionId?: string): void {
  const kept = sessionId === undefined ? [] : readNow().filter((record) => record.sessionId !== sessionId);
  writeStored(KEY, kept.length === 0 ? null : JSON.stringify(kept));
}

/** The calls of one session, newest first. */
export function useCallHistory(sessionId: string): readonly CallRecord[] {
  const stored = useStored(KEY);
  return useMemo(() => read(stored).filter((record) => record.sessionId === sessionId), [stored, sessionId]);
}
