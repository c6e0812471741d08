import { useQuery } from '@tanstack/react-query';

const POLL_MS = 5_000;
const TIMEOUT_MS = 4_000;

/** Whether what the page shows is current. */
export type Connection =
  | { readonly state: 'live' }
  | { readonly state: 'degraded'; readonly causes: readonly string[] }
  | { readonly state: 'offline'; readonly since: number | undefined };

type Readiness = { readonly ready: true } | { readonly ready: false; readonly causes: readonly string[] };

const isRecord = (value: unknown): value is Record<string, unknown> => typeof value === 'object' && value !== null;

/** The causes of a readiness report that is not ready, each with the name of what it is about. */
export function readCauses(report: unknown): string[] {
  const error = isRecord(report) && isRecord(report['error']) ? report['error'] : {};
  const details = isRecord(error['details']) ? error['details'] : {};
  const causes = isRecord(details['causes']) ? Object.entries(details['causes']) : [];
  if (causes.length === 0) return typeof error['message'] === 'string' ? [error['message']] : [];
  return causes.map(([name, cause]) => (typeof cause === 'string' ? `${name}: ${cause}` : name));
}

async function askReadiness(): Promise<Readiness> {
  const response = await fetch('/readyz', { signal: AbortSignal.timeout(TIMEOUT_MS) });
  if (response.status !== 503) return { ready: true };
  const report: unknown = await response.json().catch(() => undefined);
  return { ready: false, causes: readCauses(report) };
}

/** Asks the gateway every few seconds whether it and what it needs are there; one signal for the whole page. */
export function useConnection(): Connection {
  const query = useQuery({
    queryKey: ['readyz'],
    queryFn: askReadiness,
    refetchInterval: POLL_MS,
    retry: false,
  });
  if (query.isError) return { state: 'offline', since: query.dataUpdatedAt === 0 ? undefined : query.dataUpdatedAt };
  if (query.data?.ready === false) return { state: 'degraded', causes: query.data.causes };
  return { state: 'live' };
}
