'use client';

import { useMutation } from '@tanstack/react-query';
import { CircleCheck, CircleX, LoaderCircle } from 'lucide-react';
import { useState } from 'react';
import { Badge } from '@/components/ui/badge';
import { fetchClient } from '@/lib/api';
import { ApiError } from '@/lib/api-error';

/** What is known of a proxy's last test in this visit. */
export type TestResult =
  | { readonly state: 'running' }
  | { readonly state: 'reachable'; readonly latencyMs: number | undefined }
  | { readonly state: 'failed'; readonly reason: string };

/** Tests proxies, several at once, and keeps each one's last result. */
export function useProxyTest(): {
  readonly results: Readonly<Record<string, TestResult>>;
  readonly run: (id: string) => void;
} {
  const [results, setResults] = useState<Readonly<Record<string, TestResult>>>({});
  const keep = (id: string, result: TestResult): void => setResults((known) => ({ ...known, [id]: result }));
  const test = useMutation({
    mutationFn: (id: string) => fetchClient.POST('/v1/proxies/{id}/test', { params: { path: { id } } }),
    onMutate: (id) => keep(id, { state: 'running' }),
    onSuccess: ({ data }, id) => {
      const answer = data?.result;
      keep(
        id,
        answer?.reachable === true
          ? { state: 'reachable', latencyMs: answer.latency_ms }
          : { state: 'failed', reason: answer?.reason ?? 'Telegram did not answer through it.' },
      );
    },
    onError: (thrown, id) => keep(id, { state: 'failed', reason: ApiError.from(thrown).message }),
  });
  return { results, run: (id) => test.mutate(id) };
}

/** The result in words, said aloud when it comes. */
export function ProxyTestResult({ result }: { result: TestResult | undefined }) {
  return (
    <div role="status" className="mt-1 empty:hidden">
      {result && <Words result={result} />}
    </div>
  );
}

function Words({ result }: { result: TestResult }) {
  switch (result.state) {
    case 'running':
      return (
        <Badge bare tone="info" icon={LoaderCircle} spin>
          Asking Telegram through it…
        </Badge>
      );
    case 'reachable':
      return (
        <Badge bare tone="ok" icon={CircleCheck}>
          {result.latencyMs === undefined
            ? 'Telegram answers'
            : `Telegram answers in ${Math.round(result.latencyMs)} ms`}
        </Badge>
      );
    case 'failed':
      // Reasons are sentences: they wrap, which a badge does not.
      return (
        <p className="flex gap-1.5 text-xs font-medium break-words text-bad">
          <CircleX aria-hidden className="mt-0.5 size-3.5 shrink-0" strokeWidth={2.25} />
          <span className="min-w-0">No answer: {result.reason}</span>
        </p>
      );
  }
}
