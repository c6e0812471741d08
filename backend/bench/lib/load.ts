import autocannon from 'autocannon';
import { cpuMs } from './processes.js';

/** What one round of load showed. */
export interface Round {
  readonly callsPerSecond: number;
  /** Milliseconds. */
  readonly p50: number;
  readonly p99: number;
  /** Of the serving processes, in microseconds; it does not depend on what else the machine does. */
  readonly cpuPerCall: number;
}

/** Where a round goes. */
export interface Target {
  readonly url: string;
  readonly path: string;
  readonly token?: string;
  /** The processes that serve it. */
  readonly pids: readonly number[];
}

/** A call that TDLib answers from memory: what is measured is the way there and back. */
const BODY = JSON.stringify({ method: 'getMe' });

/**
 * @param rate calls a second in all; as many as possible when absent
 * @throws Error when an answer was no success: failures are fast and would look good
 */
export async function round(
  { url, path, token, pids }: Target,
  seconds: number,
  connections: number,
  rate?: number,
): Promise<Round> {
  const before = pids.reduce((sum, pid) => sum + cpuMs(pid), 0);
  const result = await autocannon({
    url: `${url}${path}`,
    method: 'POST',
    body: BODY,
    headers: { 'content-type': 'application/json', ...(token !== undefined && { authorization: `Bearer ${token}` }) },
    connections,
    duration: seconds,
    ...(rate !== undefined && { overallRate: rate }),
  });
  if (result.non2xx > 0 || result.errors > 0) {
    throw new Error(`${result.non2xx} refused and ${result.errors} failed calls at ${url}${path}`);
  }
  return {
    callsPerSecond: result.requests.total / result.duration,
    p50: result.latency.p50,
    p99: result.latency.p99,
    cpuPerCall: ((pids.reduce((sum, pid) => sum + cpuMs(pid), 0) - before) * 1_000) / result.requests.total,
  };
}

export function median(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b);
  const middle = sorted.length >> 1;
  const upper = sorted[middle] ?? Number.NaN;
  return sorted.length % 2 === 1 ? upper : ((sorted[middle - 1] ?? Number.NaN) + upper) / 2;
}
