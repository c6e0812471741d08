import { Check, Copy, RotateCw, TriangleAlert, type LucideIcon } from 'lucide-react';
import type { ReactNode } from 'react';
import { ApiError } from '@/lib/api-error';
import { cn } from '@/lib/cn';
import { explainRefusal } from '@/lib/refusals';
import { Button } from './button';
import { useCopy } from './copy';

interface EmptyStateProps {
  icon: LucideIcon;
  title: string;
  /** What the thing is and why there is none. */
  children: ReactNode;
  action?: ReactNode;
}

/** A list without rows: what belongs here, and the first act. */
export function EmptyState({ icon: Icon, title, children, action }: EmptyStateProps) {
  return (
    <div className="flex flex-col items-center px-6 py-14 text-center">
      <span className="mb-4 grid size-11 place-items-center rounded-xl border border-line bg-sunken text-ink-2">
        <Icon aria-hidden className="size-5" strokeWidth={1.75} />
      </span>
      <h2 className="text-base font-semibold">{title}</h2>
      <div className="mt-1 max-w-md text-sm text-ink-2">{children}</div>
      {action !== undefined && <div className="mt-5 flex flex-wrap justify-center gap-2">{action}</div>}
    </div>
  );
}

/** The request id of an answer, to be found in the server's log; pressing it copies it. */
export function RequestId({ id }: { id: string | undefined }) {
  const { copied, copy } = useCopy();
  if (id === undefined) return null;
  return (
    <button
      type="button"
      title={copied ? 'Copied' : 'Copy the request id'}
      onClick={() => void copy(id)}
      className="-mx-1 inline-flex max-w-full items-center gap-1 rounded px-1 py-0.5 text-left text-xs text-ink-3 hover:bg-sunken hover:text-ink"
    >
      request <code className="min-w-0 truncate font-mono">{id}</code>
      {copied ? (
        <Check aria-hidden className="size-3.5 shrink-0 text-ok" />
      ) : (
        <Copy aria-hidden className="size-3.5 shrink-0" />
      )}
      <span className="sr-only">{copied ? 'copied' : 'copy'}</span>
    </button>
  );
}

interface LoadFailedProps {
  /** What could not be loaded: "sessions". */
  what: string;
  error: unknown;
  onRetry: () => unknown;
}

/** A list that could not be loaded: the server's words, the request id, and a way to try again. */
export function LoadFailed({ what, error, onRetry }: LoadFailedProps) {
  const failure = ApiError.from(error);
  return (
    <div role="alert" className="flex flex-col items-center px-6 py-14 text-center">
      <span className="mb-4 grid size-11 place-items-center rounded-xl bg-bad-soft text-bad">
        <TriangleAlert aria-hidden className="size-5" strokeWidth={1.75} />
      </span>
      <h2 className="text-base font-semibold">The {what} could not be loaded</h2>
      <p className="mt-1 max-w-md text-sm text-ink-2">{failure.message}</p>
      <div className="mt-2">
        <RequestId id={failure.requestId} />
      </div>
      <Button className="mt-4" onClick={() => void onRetry()}>
        <RotateCw aria-hidden />
        Try again
      </Button>
    </div>
  );
}

interface ErrorNoteProps {
  error: unknown;
  /** Said before the server's words: "The bot was not added." */
  lead?: string | undefined;
  children?: ReactNode;
  className?: string;
}

/** A refused act: what it means where we know, the server's words with the request id, where the act was tried. */
export function ErrorNote({ error, lead, children, className }: ErrorNoteProps) {
  if (error === null || error === undefined) return null;
  const failure = ApiError.from(error);
  const { sentence } = explainRefusal(failure.message);
  return (
    <div role="alert" className={cn('rounded-lg bg-bad-soft px-3.5 py-3 text-sm text-bad', className)}>
      <p className="flex gap-2">
        <TriangleAlert aria-hidden className="mt-0.5 size-4 shrink-0" />
        <span className="min-w-0 break-words">
          {lead !== undefined && <strong className="font-semibold">{lead} </strong>}
          {sentence === undefined ? (
            failure.message
          ) : (
            <>
              {sentence} <code className="font-mono text-xs">{failure.message}</code>
            </>
          )}
          {failure.retryAfterSeconds !== undefined && ` Try again in ${failure.retryAfterSeconds} s.`}
        </span>
      </p>
      {(children !== undefined || failure.requestId !== undefined) && (
        <div className="mt-1 flex flex-col gap-1 pl-6">
          {children}
          <RequestId id={failure.requestId} />
        </div>
      )}
    </div>
  );
}

/** Grey bars in the place of rows that are on their way. */
export function LoadingRows({ what, rows = 5 }: { what: string; rows?: number }) {
  return (
    <div role="status" className="divide-y divide-line">
      <span className="sr-only">Loading {what}…</span>
      {Array.from({ length: rows }, (_, row) => (
        <div key={row} aria-hidden className="flex items-center gap-4 px-4 py-4">
          <span className="size-8 animate-pulse rounded-lg bg-sunken" />
          <span className="flex flex-1 flex-col gap-2">
            <span className="h-3 w-40 max-w-full animate-pulse rounded bg-sunken" />
            <span className="h-2.5 w-64 max-w-full animate-pulse rounded bg-sunken" />
          </span>
          <span className="hidden h-6 w-24 animate-pulse rounded-full bg-sunken sm:block" />
        </div>
      ))}
    </div>
  );
}
