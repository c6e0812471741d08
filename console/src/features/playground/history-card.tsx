import { CircleCheck, CircleX, History } from 'lucide-react';
import { Button } from '@/components/ui/button';
import { Card } from '@/components/ui/card';
import { RelativeTime } from '@/components/ui/relative-time';
import { forgetCalls, useCallHistory, type CallRecord } from '@/lib/call-history';

interface HistoryCardProps {
  sessionId: string;
  onTake: (record: CallRecord) => void;
}

/** The calls that were made from this browser, to be taken up again. */
export function HistoryCard({ sessionId, onTake }: HistoryCardProps) {
  const records = useCallHistory(sessionId);
  return (
    <Card
      title="History"
      description="Calls of this session from this browser. Answers are not kept, nor params that may hold a secret."
      flush
      aside={
        records.length > 0 && (
          <Button size="sm" tone="quiet" onClick={() => forgetCalls(sessionId)}>
            Clear
          </Button>
        )
      }
    >
      {records.length === 0 ? (
        <p className="flex items-center gap-2.5 border-t border-line px-4 py-4 text-sm text-ink-2 sm:px-5">
          <History aria-hidden className="size-4 shrink-0 text-ink-3" />
          Nothing yet.
        </p>
      ) : (
        <ul className="max-h-80 divide-y divide-line overflow-y-auto border-t border-line" tabIndex={-1}>
          {records.map((record) => (
            <li key={`${record.at} ${record.method} ${record.params ?? ''}`}>
              <button
                type="button"
                onClick={() => onTake(record)}
                className="flex w-full items-center gap-2.5 px-4 py-2 text-left hover:bg-sunken/60 focus-visible:outline-offset-[-2px] sm:px-5"
              >
                {record.ok ? (
                  <CircleCheck aria-hidden className="size-3.5 shrink-0 text-ok" />
                ) : (
                  <CircleX aria-hidden className="size-3.5 shrink-0 text-bad" />
                )}
                <span className="sr-only">{record.ok ? 'Answered:' : 'Refused:'}</span>
                <span className="min-w-0 flex-1">
                  <code className="block truncate font-mono text-xs font-medium">{record.method}</code>
                  <span className="block truncate font-mono text-2xs text-ink-2">
                    {record.params === undefined ? 'params not kept' : record.params.replace(/\s+/g, ' ')}
                  </span>
                </span>
                <span className="shrink-0 text-2xs text-ink-2">
                  <RelativeTime at={new Date(record.at).toISOString()} />
                </span>
              </button>
            </li>
          ))}
        </ul>
      )}
    </Card>
  );
}
