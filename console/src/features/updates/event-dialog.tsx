import { useQuery } from '@tanstack/react-query';
import { Ban, CircleMinus, type LucideIcon } from 'lucide-react';
import Link from 'next/link';
import { JsonView, toText } from '@/components/call/json-view';
import { Badge } from '@/components/ui/badge';
import { CopyTextButton, CopyableId } from '@/components/ui/copy';
import { Dialog } from '@/components/ui/dialog';
import { ErrorNote, LoadingRows } from '@/components/ui/states';
import type { Tone } from '@/components/ui/tone';
import { fetchClient } from '@/lib/api';
import { subscriptionHref } from '@/lib/overlays';
import { useSubscriptions } from '@/lib/queries';
import { formatAbsolute } from '@/lib/time';
import type { Delivery, Subscription } from '@/lib/types';
import { AttemptWords, DeliveryBadge, NextTry } from './delivery-parts';
import type { LoggedEvent } from './event-log';
import { chatOf, typeOf, whyNotStored } from './explain';
import { subscriptionName } from './subscription-row';

/** An event in full, and for each webhook of its session whether it got it, and why not. */
export function EventDialog({ event, onClose }: { event: LoggedEvent; onClose: () => void }) {
  const subscriptions = useSubscriptions(event.session);
  const webhooks = subscriptions.data?.filter(({ kind }) => kind === 'webhook') ?? [];
  return (
    <Dialog
      title={typeOf(event)}
      description={
        <span className="flex flex-wrap items-center gap-x-3">
          {formatAbsolute(new Date(event.at))}
          <CopyableId id={event.id} what="event id" />
        </span>
      }
      onClose={onClose}
      keepOnOutsideClick={false}
      className="sm:max-w-2xl"
    >
      <div className="flex flex-col gap-5">
        <section aria-label="Who got it">
          <h3 className="mb-2 text-sm font-medium">Who got it</h3>
          {subscriptions.isPending ? (
            <LoadingRows what="webhooks" rows={1} />
          ) : subscriptions.isLoadingError ? (
            <ErrorNote error={subscriptions.error} lead="The webhooks could not be loaded." />
          ) : webhooks.length === 0 ? (
            <p className="text-sm text-ink-2">This session has no webhook, so the event was posted nowhere.</p>
          ) : (
            <ul className="divide-y divide-line rounded-lg border border-line">
              {webhooks.map((webhook) => (
                <Fate key={webhook.id} event={event} webhook={webhook} />
              ))}
            </ul>
          )}
        </section>
        <section>
          <div className="mb-2 flex items-center justify-between gap-3">
            <h3 className="text-sm font-medium">Update</h3>
            <CopyTextButton size="sm" tone="quiet" text={() => toText(event.update)}>
              Copy
            </CopyTextButton>
          </div>
          <JsonView value={event.update} label="Update" className="max-h-96" />
        </section>
      </div>
    </Dialog>
  );
}

/** The delivery of this very update: the moment at which it came is the same for every subscription. */
const isOf = (delivery: Delivery, event: LoggedEvent): boolean =>
  delivery.at === event.at && delivery.type === typeOf(event) && delivery.chat_id === chatOf(event);

const LOOKED_AT = 1_000;

function Fate({ event, webhook }: { event: LoggedEvent; webhook: Subscription }) {
  const why = whyNotStored(webhook, event);
  const { kind, id } = event.session;
  const found = useQuery<Delivery | null>({
    queryKey: ['get', '/v1/{kind}/{id}/updates/subscriptions/{sub}/deliveries', { sub: webhook.id }, 'fate', event.id],
    enabled: why === undefined,
    refetchInterval: ({ state }) => (state.data === null || state.data?.status === 'pending' ? 2_000 : false),
    queryFn: async ({ signal }) => {
      const { data } = await fetchClient.GET('/v1/{kind}/{id}/updates/subscriptions/{sub}/deliveries', {
        params: { path: { kind, id, sub: webhook.id }, query: { limit: LOOKED_AT } },
        signal,
      });
      return data?.result.find((delivery) => isOf(delivery, event)) ?? null;
    },
  });
  return (
    <li className="flex flex-col gap-1.5 px-3.5 py-2.5 text-xs">
      <div className="flex flex-wrap items-center gap-x-3 gap-y-1.5">
        <Link
          href={subscriptionHref(event.session, webhook.id)}
          className="min-w-0 flex-1 basis-40 truncate font-medium hover:underline"
        >
          {subscriptionName(webhook)}
        </Link>
        {why !== undefined ? (
          <Verdict tone="idle" icon={CircleMinus}>
            Not for it
          </Verdict>
        ) : found.data ? (
          <DeliveryBadge status={found.data.status} />
        ) : found.data === null ? (
          <Verdict tone="wait" icon={Ban}>
            Not in its log
          </Verdict>
        ) : null}
      </div>
      <p className="text-ink-2">
        {why !== undefined ? (
          <>Not delivered: {why}.</>
        ) : found.isError ? (
          'Its log could not be read.'
        ) : found.data ? (
          <Told delivery={found.data} webhook={webhook} />
        ) : found.data === null ? (
          <>
            It is not among its last {LOOKED_AT} deliveries:{' '}
            {webhook.enabled
              ? 'the webhook was off when the update came, its filter was another one, or the update is still being stored.'
              : 'the webhook is off, and nothing is kept for it.'}
          </>
        ) : (
          'Looking…'
        )}
      </p>
    </li>
  );
}

function Told({ delivery, webhook }: { delivery: Delivery; webhook: Subscription }) {
  const { status, last_attempt: last, attempts, due_at: due } = delivery;
  return (
    <>
      {last && <AttemptWords attempt={last} />}
      {attempts > 1 && `, attempt ${attempts}`}
      {status === 'pending' && (
        <>
          {last ? '. ' : ''}
          {webhook.state === 'disabled'
            ? 'The webhook is off; what waits is kept for its day.'
            : webhook.state === 'token_disabled'
              ? 'Its token is off; what waits is kept for its day.'
              : 'It waits.'}
          {due !== undefined && (
            <>
              {' '}
              Next try <NextTry at={due} />.
            </>
          )}
        </>
      )}
    </>
  );
}

function Verdict({ tone, icon, children }: { tone: Tone; icon: LucideIcon; children: string }) {
  return (
    <Badge tone={tone} icon={icon}>
      {children}
    </Badge>
  );
}
