import { useInfiniteQuery } from '@tanstack/react-query';
import { History, LifeBuoy } from 'lucide-react';
import { useState } from 'react';
import { NumberId } from '@/components/sends/send-parts';
import { Button } from '@/components/ui/button';
import { Card } from '@/components/ui/card';
import { RelativeTime } from '@/components/ui/relative-time';
import { Segmented } from '@/components/ui/segmented';
import { EmptyState, ErrorNote, LoadFailed, LoadingRows } from '@/components/ui/states';
import { fetchClient } from '@/lib/api';
import { REFRESH_MS } from '@/lib/query-client';
import type { SessionRef } from '@/lib/td';
import type { Delivery, DeliveryStatus, Subscription } from '@/lib/types';
import { useUrlState } from '@/lib/url-state';
import { DeliveryDialog } from './delivery-dialog';
import { AttemptWords, DeliveryBadge, NextTry } from './delivery-parts';
import { RecoverDialog } from './recover-dialog';

const PAGE = 50;
const STATUS = 'status';
const FILTERS: readonly { readonly value: DeliveryStatus | 'all'; readonly label: string }[] = [
  { value: 'all', label: 'All' },
  { value: 'pending', label: 'Waiting' },
  { value: 'delivered', label: 'Delivered' },
  { value: 'failed', label: 'Given up' },
];

interface DeliveriesProps {
  session: SessionRef;
  subscription: Subscription;
}

function useDeliveries({ kind, id }: SessionRef, subscriptionId: string, status: DeliveryStatus | undefined) {
  return useInfiniteQuery({
    // The second part is the path, by which everything that was loaded is found again after a change.
    queryKey: ['get', '/v1/{kind}/{id}/updates/subscriptions/{sub}/deliveries', { subscriptionId, status }, 'pages'],
    initialPageParam: undefined as string | undefined,
    queryFn: async ({ pageParam, signal }) => {
      const { data } = await fetchClient.GET('/v1/{kind}/{id}/updates/subscriptions/{sub}/deliveries', {
        params: {
          path: { kind, id, sub: subscriptionId },
          query: {
            limit: PAGE,
            ...(status === undefined ? {} : { status }),
            ...(pageParam === undefined ? {} : { cursor: pageParam }),
          },
        },
        signal,
      });
      return { rows: data?.result ?? [], next: data?.next_cursor };
    },
    getNextPageParam: ({ next }) => next,
    refetchInterval: REFRESH_MS,
  });
}

/** What became of the updates of the last 24 hours, newest first. */
export function Deliveries({ session, subscription }: DeliveriesProps) {
  const url = useUrlState();
  const isWebhook = subscription.kind === 'webhook';
  const filter = FILTERS.find(({ value }) => value === url.get(STATUS))?.value ?? 'all';
  const found = useDeliveries(session, subscription.id, filter === 'all' ? undefined : filter);
  const [opened, setOpened] = useState<string>();
  const [isRecovering, setIsRecovering] = useState(false);
  const rows = found.data?.pages.flatMap((page) => page.rows) ?? [];
  return (
    <Card
      title={isWebhook ? 'Deliveries' : 'Events'}
      description="Of the last 24 hours, newest first."
      flush
      aside={
        isWebhook ? (
          <Button size="sm" onClick={() => setIsRecovering(true)}>
            <LifeBuoy aria-hidden />
            Recover…
          </Button>
        ) : undefined
      }
    >
      {isWebhook && (
        <div className="border-t border-line px-4 py-3 sm:px-5">
          <Segmented
            label="Status"
            value={filter}
            options={FILTERS}
            onChange={(value) => url.replace({ [STATUS]: value === 'all' ? null : value })}
          />
        </div>
      )}
      {found.isPending ? (
        <LoadingRows what="deliveries" rows={3} />
      ) : found.isLoadingError ? (
        <LoadFailed what="deliveries" error={found.error} onRetry={found.refetch} />
      ) : rows.length === 0 ? (
        <EmptyState icon={History} title="Nothing here">
          {filter === 'all'
            ? 'No update has passed the filter within 24 hours. A test event shows whether the receiver is reached.'
            : 'No delivery of the last 24 hours is in this state.'}
        </EmptyState>
      ) : (
        <ul aria-label="Deliveries" className="divide-y divide-line border-t border-line">
          {rows.map((delivery) => (
            <DeliveryRow key={delivery.id} delivery={delivery} onOpen={() => setOpened(delivery.id)} />
          ))}
        </ul>
      )}
      {found.isFetchNextPageError && <ErrorNote className="m-4" error={found.error} lead="More could not be loaded." />}
      {found.hasNextPage && (
        <div className="border-t border-line px-4 py-2 sm:px-5">
          <Button size="sm" tone="quiet" pending={found.isFetchingNextPage} onClick={() => void found.fetchNextPage()}>
            Show older ones
          </Button>
        </div>
      )}
      {opened !== undefined && (
        <DeliveryDialog
          session={session}
          subscription={subscription}
          deliveryId={opened}
          onClose={() => setOpened(undefined)}
        />
      )}
      {isRecovering && (
        <RecoverDialog session={session} subscription={subscription} onClose={() => setIsRecovering(false)} />
      )}
    </Card>
  );
}

function DeliveryRow({ delivery, onOpen }: { delivery: Delivery; onOpen: () => void }) {
  return (
    <li className="relative flex flex-wrap items-center gap-x-4 gap-y-1 px-4 py-2.5 text-xs hover:bg-sunken/40 sm:px-5">
      <span className="w-28">
        <DeliveryBadge status={delivery.status} />
      </span>
      <button
        type="button"
        onClick={onOpen}
        className="min-w-0 truncate font-mono text-xs font-medium after:absolute after:inset-0"
      >
        {delivery.type}
      </button>
      {delivery.chat_id !== undefined && (
        <span className="inline-flex items-center gap-1.5 text-ink-2">
          chat <NumberId id={delivery.chat_id} what="chat id" />
        </span>
      )}
      <span className="min-w-0 text-ink-2">
        {delivery.last_attempt && <AttemptWords attempt={delivery.last_attempt} />}
        {delivery.attempts > 1 && `, attempt ${delivery.attempts}`}
        {delivery.due_at !== undefined && delivery.attempts > 0 && (
          <>
            , next <NextTry at={delivery.due_at} />
          </>
        )}
      </span>
      <span className="ml-auto text-ink-2">
        <RelativeTime at={delivery.at} />
      </span>
    </li>
  );
}
