'use client';

import { useInfiniteQuery } from '@tanstack/react-query';
import { CircleCheck, CircleX, ScrollText } from 'lucide-react';
import Link from 'next/link';
import { Suspense } from 'react';
import { JsonView } from '@/components/call/json-view';
import { Badge } from '@/components/ui/badge';
import { Button } from '@/components/ui/button';
import { Card } from '@/components/ui/card';
import { Page } from '@/components/ui/page';
import { RelativeTime } from '@/components/ui/relative-time';
import { EmptyState, ErrorNote, LoadFailed, LoadingRows, RequestId } from '@/components/ui/states';
import { fetchClient } from '@/lib/api';
import type { AuditEvent } from '@/lib/types';
import { useUrlState } from '@/lib/url-state';
import { ACTORS } from './actors';
import { type AuditFilter, AuditFilters, FILTER_KEYS } from './audit-filters';
import { actionWords, objectHref } from './audit-object';

const PAGE = 50;
const REFRESH_MS = 15_000;

/** Who did what, and who was refused what. */
export function AuditPage() {
  return (
    <Page title="Audit" description="What was changed and what was refused, by whom and from where, newest first.">
      <Suspense>
        <Log />
      </Suspense>
    </Page>
  );
}

function useAudit(filter: AuditFilter) {
  const asked = Object.fromEntries(FILTER_KEYS.flatMap((key) => (filter[key] === '' ? [] : [[key, filter[key]]])));
  return useInfiniteQuery({
    // The second part is the path, by which everything that was loaded is found again after a change.
    queryKey: ['get', '/v1/audit', asked, 'pages'],
    initialPageParam: undefined as string | undefined,
    queryFn: async ({ pageParam, signal }) => {
      const { data } = await fetchClient.GET('/v1/audit', {
        params: { query: { ...asked, limit: PAGE, ...(pageParam === undefined ? {} : { cursor: pageParam }) } },
        signal,
      });
      return { rows: data?.result ?? [], next: data?.next_cursor };
    },
    getNextPageParam: ({ next }) => next,
    refetchInterval: REFRESH_MS,
  });
}

function Log() {
  const url = useUrlState();
  const at = (key: keyof AuditFilter): string => url.get(key) ?? '';
  const filter: AuditFilter = {
    actor: at('actor'),
    action: at('action'),
    object: at('object'),
    from: at('from'),
    to: at('to'),
    request_id: at('request_id'),
  };
  const found = useAudit(filter);
  const rows = found.data?.pages.flatMap((page) => page.rows) ?? [];
  return (
    <>
      <AuditFilters
        // The back button brings another filter, which the fields have to show.
        key={JSON.stringify(filter)}
        filter={filter}
        onSearch={(next) => url.push(Object.fromEntries(FILTER_KEYS.map((key) => [key, next[key].trim() || null])))}
      />
      <Card flush>
        {found.isPending ? (
          <LoadingRows what="events" rows={4} />
        ) : found.isLoadingError ? (
          <LoadFailed what="audit log" error={found.error} onRetry={found.refetch} />
        ) : rows.length === 0 ? (
          <EmptyState icon={ScrollText} title="Nothing found">
            {FILTER_KEYS.some((key) => filter[key] !== '')
              ? 'Nothing fits all that is asked for. What is older than AUDIT_TTL is gone.'
              : 'Every change and every refusal is written down here. There was none yet.'}
          </EmptyState>
        ) : (
          <ul aria-label="Events" className="divide-y divide-line">
            {rows.map((event) => (
              <EventRow key={event.id} event={event} />
            ))}
          </ul>
        )}
        {found.isFetchNextPageError && (
          <ErrorNote className="m-4" error={found.error} lead="More could not be loaded." />
        )}
        {found.hasNextPage && (
          <div className="border-t border-line px-4 py-2 sm:px-5">
            <Button
              size="sm"
              tone="quiet"
              pending={found.isFetchingNextPage}
              onClick={() => void found.fetchNextPage()}
            >
              Show older ones
            </Button>
          </div>
        )}
      </Card>
    </>
  );
}

const FIRST_REFUSAL = 400;

function EventRow({ event }: { event: AuditEvent }) {
  const { word, icon: ActorIcon } = ACTORS[event.actor];
  const isRefused = event.status >= FIRST_REFUSAL;
  const who = event.actor === 'token' ? `Token ${event.token_name ?? event.token_id?.slice(0, 8) ?? ''}` : word;
  return (
    <li className="px-4 py-3 sm:px-5">
      <div className="flex flex-wrap items-center gap-x-4 gap-y-1">
        <Badge tone={isRefused ? 'bad' : 'ok'} icon={isRefused ? CircleX : CircleCheck}>
          {isRefused ? `${event.status} refused` : 'Done'}
        </Badge>
        <span className="text-sm font-medium" title={event.action}>
          {actionWords(event.action)}
        </span>
        <ObjectLink event={event} />
        {event.count > 1 && <span className="tabular text-xs text-ink-2">{event.count} times alike</span>}
        <span className="ml-auto text-xs text-ink-2">
          <RelativeTime at={event.at} />
        </span>
      </div>
      <p className="mt-1 flex flex-wrap items-center gap-x-4 gap-y-0.5 text-xs text-ink-2">
        <span className="inline-flex items-center gap-1.5">
          <ActorIcon aria-hidden className="size-3.5 shrink-0" />
          {who}
        </span>
        <span>
          from <code className="font-mono">{event.address}</code>
        </span>
        {event.code !== undefined && <code className="font-mono text-bad">{event.code}</code>}
        <RequestId id={event.request_id} />
      </p>
      {Object.keys(event.details).length > 0 && (
        <details className="mt-1.5">
          <summary className="cursor-pointer text-xs font-medium text-ink-2 hover:text-ink">What was asked for</summary>
          <div className="mt-1.5">
            <JsonView value={event.details} label="What was asked for" />
          </div>
        </details>
      )}
    </li>
  );
}

function ObjectLink({ event }: { event: AuditEvent }) {
  const { object_type, object_id } = event;
  if (object_type === undefined) return null;
  const href = objectHref(event);
  const text = (
    <>
      {object_type} {object_id !== undefined && <code className="font-mono">{object_id.slice(0, 8)}</code>}
    </>
  );
  return href === undefined ? (
    <span className="text-xs text-ink-2">{text}</span>
  ) : (
    <Link href={href} title={object_id} className="text-xs font-medium text-accent-ink underline underline-offset-2">
      {text}
    </Link>
  );
}
