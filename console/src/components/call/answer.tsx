import { CircleCheck, CircleX, Repeat2 } from 'lucide-react';
import { useEffect, useRef, type ReactNode } from 'react';
import { Badge } from '@/components/ui/badge';
import { CopyTextButton } from '@/components/ui/copy';
import { RequestId } from '@/components/ui/states';
import { WaitOut } from '@/components/ui/wait-out';
import type { ApiError } from '@/lib/api-error';
import type { CallAnswer } from '@/lib/call';
import { explainRefusal } from '@/lib/refusals';
import { JsonView, toText } from './json-view';

interface AnswerProps {
  answer: CallAnswer;
  /** Between the head and the JSON: what became of the messages. */
  children?: ReactNode;
}

/** What a call came back with, as it came back, with what belongs in a bug report. */
export function Answer({ answer, children }: AnswerProps) {
  const head = useRef<HTMLDivElement>(null);
  // A tall form leaves the answer below the fold; its head and the first lines should be in sight.
  useEffect(() => {
    // In braces: what newer browsers give back here is a promise, and React takes what an effect returns for its cleanup.
    head.current?.scrollIntoView({ block: 'nearest' });
  }, [answer]);
  return (
    <section aria-label="Answer" className="mt-5 border-t border-line pt-4">
      <div
        ref={head}
        role="status"
        className="mb-2.5 scroll-mt-20 scroll-mb-72 flex flex-wrap items-center gap-x-4 gap-y-1.5 text-xs text-ink-2"
      >
        <Badge tone={answer.ok ? 'ok' : 'bad'} icon={answer.ok ? CircleCheck : CircleX}>
          {answer.ok ? `${answer.status} answered` : `${answer.status} refused`}
        </Badge>
        <code className="font-mono">{answer.request.method}</code>
        <span className="tabular">{answer.durationMs} ms</span>
        {answer.replayed && (
          <Badge
            bare
            tone="info"
            icon={Repeat2}
            title="The Idempotency-Key was used before, so nothing was done again."
          >
            the first answer again
          </Badge>
        )}
        <RequestId id={answer.requestId} />
        <span className="ml-auto">
          <CopyTextButton tone="quiet" size="sm" text={() => toText(answer.json)}>
            Copy answer
          </CopyTextButton>
        </span>
      </div>
      {answer.error && <Cause error={answer.error} />}
      {children}
      <JsonView value={answer.json} label={answer.ok ? 'Result' : 'Error'} />
    </section>
  );
}

/** Who refused, why, and what that means, before the error as it came. */
function Cause({ error }: { error: ApiError }) {
  const { sentence } = explainRefusal(error.message);
  const who =
    error.source === 'tdlib'
      ? 'Telegram refused this call.'
      : error.status === 504
        ? 'No answer came in time. What TDLib has begun goes on.'
        : error.status >= 500
          ? 'tgcontrol could not carry this call out.'
          : 'tgcontrol refused this call before Telegram was asked.';
  return (
    <div className="mb-3 rounded-lg bg-bad-soft px-3.5 py-3 text-sm text-bad">
      <p className="font-medium">{who}</p>
      <p className="mt-0.5 break-words">
        {error.message}
        {error.code !== undefined && <code className="ml-2 font-mono text-xs">{error.code}</code>}
      </p>
      {sentence !== undefined && <p className="mt-0.5">{sentence}</p>}
      {error.issues.length > 0 && (
        <ul className="mt-1 list-disc pl-5">
          {error.issues.map((issue) => (
            <li key={`${issue.path} ${issue.message}`}>
              <code className="font-mono text-xs">{issue.path}</code> {issue.message}
            </li>
          ))}
        </ul>
      )}
      {error.retryAfterSeconds !== undefined && <WaitOut key={error.requestId} seconds={error.retryAfterSeconds} />}
    </div>
  );
}
