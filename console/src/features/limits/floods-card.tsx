import { useInfiniteQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { NumberId } from '@/components/sends/send-parts';
import { Button } from '@/components/ui/button';
import { Card } from '@/components/ui/card';
import { RelativeTime } from '@/components/ui/relative-time';
import { Segmented } from '@/components/ui/segmented';
import { ErrorNote, LoadFailed, LoadingRows } from '@/components/ui/states';
import { $api, fetchClient } from '@/lib/api';
import { useNow } from '@/lib/clock';
import { cn } from '@/lib/cn';
import type { SessionRef } from '@/lib/td';
import { formatCountdown } from '@/lib/time';
import type { Flood, FloodCount } from '@/lib/types';
import { chartBegin, FLOOD_SORTS, type FloodBar, floodBars, type FloodSort, type Stretch } from './flood-chart';
import { scopeWord } from './limit-words';

const PAGE = 20;
const REFRESH_MS = 15_000;
const SORTS: Record<FloodSort, { readonly word: string; readonly fill: string }> = {
  send: { word: 'Sending', fill: 'bg-accent' },
  spam: { word: 'Writing to strangers', fill: 'bg-bad-fill' },
  people: { word: 'Joining, inviting, contacts', fill: 'bg-wait-fill' },
  look: { word: 'Looking up and reading', fill: 'bg-info-fill' },
  other: { word: 'Other', fill: 'bg-idle-fill' },
};
const RANGES = [
  { value: '24h', label: '24 hours' },
  { value: '7d', label: '7 days' },
  { value: '30d', label: '30 days' },
] as const;
type Range = (typeof RANGES)[number]['value'];
const STRETCHES: Record<Range, Stretch> = {
  '24h': { by: 'hour', count: 24 },
  '7d': { by: 'day', count: 7 },
  '30d': { by: 'day', count: 30 },
};

const hour = new Intl.DateTimeFormat('en-GB', { hour: '2-digit', minute: '2-digit', timeZone: 'UTC' });
const day = new Intl.DateTimeFormat('en-GB', { day: 'numeric', month: 'short', timeZone: 'UTC' });
const name = (by: Stretch['by'], at: number): string =>
  by === 'hour' ? `${day.format(at)}, ${hour.format(at)}` : day.format(at);

/** What Telegram refused for being too often: over time, in numbers, and one by one. */
export function FloodsCard({ session }: { session: SessionRef }) {
  const { kind, id } = session;
  const [range, setRange] = useState<Range>('7d');
  const stretch = STRETCHES[range];
  const begin = chartBegin(stretch, useNow());
  const counts = $api.useQuery(
    'get',
    '/v1/{kind}/{id}/limits/floods/counts',
    { params: { path: { kind, id }, query: { by: stretch.by, from: new Date(begin).toISOString() } } },
    { select: ({ result }) => result, refetchInterval: REFRESH_MS, placeholderData: (before) => before },
  );
  return (
    <Card
      title="Floods"
      description="What Telegram refused for being too often. Days and hours are of UTC."
      flush
      aside={<Segmented label="Time of the chart" value={range} options={RANGES} onChange={setRange} />}
    >
      {counts.isPending ? (
        <LoadingRows what="floods" rows={2} />
      ) : counts.isLoadingError ? (
        <LoadFailed what="floods" error={counts.error} onRetry={counts.refetch} />
      ) : (
        <div className="border-t border-line px-4 py-4 sm:px-5">
          <Chart by={stretch.by} bars={floodBars(stretch, begin, counts.data)} />
          {counts.data.length > 0 && <CountsTable by={stretch.by} counts={counts.data} />}
        </div>
      )}
      <FloodList session={session} />
    </Card>
  );
}

/** A bar for each stretch. What it shows is in the table below it too, so that it needs no words of its own. */
function Chart({ by, bars }: { by: Stretch['by']; bars: readonly FloodBar[] }) {
  const total = bars.reduce((sum, bar) => sum + bar.total, 0);
  const most = Math.max(1, ...bars.map((bar) => bar.total));
  const first = bars[0];
  const last = bars.at(-1);
  const used = FLOOD_SORTS.filter((sort) => bars.some((bar) => bar.bySort[sort] > 0));
  return (
    <figure aria-label={`Floods by ${by}`}>
      <p className="text-sm text-ink-2">
        {total === 0 ? (
          'None in this time.'
        ) : (
          <>
            <strong className="tabular font-semibold text-ink">{total}</strong> in this time, at most{' '}
            <strong className="tabular font-semibold text-ink">{most}</strong> in one {by}.
          </>
        )}
      </p>
      <div aria-hidden className="mt-3 flex h-32 items-end gap-px border-b border-line-strong sm:gap-1">
        {bars.map((bar) => (
          <div
            key={bar.at}
            title={`${name(by, bar.at)}: ${bar.total}`}
            className="flex h-full min-w-0 flex-1 flex-col-reverse hover:bg-sunken"
          >
            {FLOOD_SORTS.map(
              (sort) =>
                bar.bySort[sort] > 0 && (
                  <div
                    key={sort}
                    className={cn('min-h-0.5 first:rounded-b-none last:rounded-t-sm', SORTS[sort].fill)}
                    style={{ height: `${(bar.bySort[sort] / most) * 100}%` }}
                  />
                ),
            )}
          </div>
        ))}
      </div>
      {first && last && (
        <p aria-hidden className="tabular mt-1 flex justify-between text-xs text-ink-3">
          <span>{name(by, first.at)}</span>
          <span>{name(by, last.at)}</span>
        </p>
      )}
      {used.length > 0 && (
        <ul aria-label="Colours" className="mt-2 flex flex-wrap gap-x-4 gap-y-1 text-xs text-ink-2">
          {used.map((sort) => (
            <li key={sort} className="flex items-center gap-1.5">
              <span aria-hidden className={cn('size-2.5 rounded-xs', SORTS[sort].fill)} />
              {SORTS[sort].word}
            </li>
          ))}
        </ul>
      )}
    </figure>
  );
}

function CountsTable({ by, counts }: { by: Stretch['by']; counts: readonly FloodCount[] }) {
  const rows = counts.toSorted((a, b) => Date.parse(b.at) - Date.parse(a.at));
  return (
    <div tabIndex={0} role="region" aria-label="Floods in numbers" className="mt-4 max-h-56 overflow-auto">
      <table className="w-full text-xs">
        <caption className="sr-only">Floods by {by} and by what was closed</caption>
        <thead>
          <tr className="text-left text-ink-2">
            <th scope="col" className="py-1.5 pr-4 font-medium">
              {by === 'hour' ? 'Hour' : 'Day'}
            </th>
            <th scope="col" className="py-1.5 pr-4 font-medium">
              What
            </th>
            <th scope="col" className="py-1.5 pr-4 text-right font-medium">
              Floods
            </th>
            <th scope="col" className="py-1.5 text-right font-medium">
              Longest wait
            </th>
          </tr>
        </thead>
        <tbody className="divide-y divide-line">
          {rows.map(({ at, scope, count, longest }) => (
            <tr key={`${at} ${scope}`}>
              <th scope="row" className="tabular py-1.5 pr-4 text-left font-medium whitespace-nowrap">
                {name(by, Date.parse(at))}
              </th>
              <td className="py-1.5 pr-4 break-words">{scopeWord(scope)}</td>
              <td className="tabular py-1.5 pr-4 text-right">{count}</td>
              <td className="tabular py-1.5 text-right">{longest > 0 ? formatCountdown(longest) : '–'}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

function useFloods({ kind, id }: SessionRef) {
  return useInfiniteQuery({
    // The second part is the path, by which everything that was loaded is found again after a change.
    queryKey: ['get', '/v1/{kind}/{id}/limits/floods', { kind, id }, 'pages'],
    initialPageParam: undefined as string | undefined,
    queryFn: async ({ pageParam, signal }) => {
      const { data } = await fetchClient.GET('/v1/{kind}/{id}/limits/floods', {
        params: {
          path: { kind, id },
          query: { limit: PAGE, ...(pageParam === undefined ? {} : { cursor: pageParam }) },
        },
        signal,
      });
      return { rows: data?.result ?? [], next: data?.next_cursor };
    },
    getNextPageParam: ({ next }) => next,
    refetchInterval: REFRESH_MS,
  });
}

function FloodList({ session }: { session: SessionRef }) {
  const found = useFloods(session);
  const rows = found.data?.pages.flatMap((page) => page.rows) ?? [];
  if (found.isLoadingError) return <LoadFailed what="list of floods" error={found.error} onRetry={found.refetch} />;
  if (rows.length === 0) return null;
  return (
    <>
      <ul aria-label="Floods" className="divide-y divide-line border-t border-line">
        {rows.map((flood) => (
          <FloodRow key={flood.id} flood={flood} />
        ))}
      </ul>
      {found.isFetchNextPageError && <ErrorNote className="m-4" error={found.error} lead="More could not be loaded." />}
      {found.hasNextPage && (
        <div className="border-t border-line px-4 py-2 sm:px-5">
          <Button size="sm" tone="quiet" pending={found.isFetchingNextPage} onClick={() => void found.fetchNextPage()}>
            Show older ones
          </Button>
        </div>
      )}
    </>
  );
}

function FloodRow({ flood }: { flood: Flood }) {
  return (
    <li className="flex flex-wrap items-center gap-x-4 gap-y-1 px-4 py-2.5 text-xs sm:px-5">
      <span className="font-medium">{scopeWord(flood.scope)}</span>
      <code className="min-w-0 font-mono break-words text-ink-2">
        {flood.method !== undefined && `${flood.method}: `}
        {flood.code} {flood.message}
      </code>
      {flood.chat_id !== undefined && (
        <span className="inline-flex items-center gap-1.5 text-ink-2">
          chat <NumberId id={flood.chat_id} what="chat id" />
        </span>
      )}
      {flood.origin === 'send' && <span className="text-ink-2">told after the call</span>}
      <span className="ml-auto text-ink-2">
        <RelativeTime at={flood.at} />
      </span>
    </li>
  );
}
