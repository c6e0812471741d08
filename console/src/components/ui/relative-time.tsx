'use client';

import { useNow } from '@/lib/clock';
import { formatAbsolute, formatRelative } from '@/lib/time';

/** How long ago (or how far ahead), with the full time on hover. */
export function RelativeTime({ at }: { at: string }) {
  const now = useNow();
  const date = new Date(at);
  if (Number.isNaN(date.getTime())) return <span>unknown</span>;
  return (
    <time dateTime={at} title={formatAbsolute(date)} className="tabular whitespace-nowrap">
      {now === 0 ? '' : formatRelative(date, now)}
    </time>
  );
}
