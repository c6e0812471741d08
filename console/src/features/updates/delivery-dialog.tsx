import { RotateCw } from 'lucide-react';
import { toast } from 'sonner';
import { JsonView, toText } from '@/components/call/json-view';
import { Button } from '@/components/ui/button';
import { CopyTextButton, CopyableId } from '@/components/ui/copy';
import { Dialog } from '@/components/ui/dialog';
import { ErrorNote, LoadFailed, LoadingRows } from '@/components/ui/states';
import { $api } from '@/lib/api';
import { useRefresh } from '@/lib/queries';
import { REFRESH_MS } from '@/lib/query-client';
import type { SessionRef } from '@/lib/td';
import { formatAbsolute } from '@/lib/time';
import type { Attempt, Subscription } from '@/lib/types';
import { AttemptWords, DeliveryBadge, NextTry } from './delivery-parts';

interface DeliveryDialogProps {
  session: SessionRef;
  subscription: Subscription;
  deliveryId: string;
  onClose: () => void;
}

/** A delivery with what was sent, what the receiver answered each time, and how long that took. */
export function DeliveryDialog({ session, subscription, deliveryId, onClose }: DeliveryDialogProps) {
  const path = { kind: session.kind, id: session.id, sub: subscription.id, delivery: deliveryId };
  const refresh = useRefresh();
  const found = $api.useQuery(
    'get',
    '/v1/{kind}/{id}/updates/subscriptions/{sub}/deliveries/{delivery}',
    { params: { path } },
    { select: ({ result }) => result, refetchInterval: REFRESH_MS },
  );
  const retry = $api.useMutation('post', '/v1/{kind}/{id}/updates/subscriptions/{sub}/deliveries/{delivery}/retry', {
    onSuccess: () => {
      void refresh.subscriptions();
      toast.success('It is tried again now.');
    },
  });
  const delivery = found.data;
  const isWebhook = subscription.kind === 'webhook';
  return (
    <Dialog
      title={delivery?.type ?? 'Delivery'}
      description={<CopyableId id={deliveryId} what="delivery id" shown={36} />}
      onClose={onClose}
      keepOnOutsideClick={false}
      className="sm:max-w-2xl"
    >
      {found.isPending ? (
        <LoadingRows what="the delivery" rows={2} />
      ) : found.isLoadingError ? (
        <LoadFailed what="delivery" error={found.error} onRetry={found.refetch} />
      ) : (
        delivery && (
          <div className="flex flex-col gap-5">
            <div className="flex flex-wrap items-center gap-x-4 gap-y-2 text-xs text-ink-2">
              <DeliveryBadge status={delivery.status} />
              <span>came {formatAbsolute(new Date(delivery.at))}</span>
              {delivery.due_at !== undefined && delivery.status === 'pending' && (
                <span>
                  next try <NextTry at={delivery.due_at} />
                </span>
              )}
              {isWebhook && (
                <Button
                  size="sm"
                  className="ml-auto"
                  pending={retry.isPending}
                  onClick={() => retry.mutate({ params: { path } })}
                >
                  <RotateCw aria-hidden />
                  Try it again
                </Button>
              )}
            </div>
            <ErrorNote error={retry.error} lead="It was not put in line." />
            {isWebhook && <Attempts log={delivery.log} />}
            <section>
              <div className="mb-2 flex items-center justify-between gap-3">
                <h3 className="text-sm font-medium">{isWebhook ? 'Body that is sent' : 'Update'}</h3>
                <CopyTextButton size="sm" tone="quiet" text={() => toText(delivery.update)}>
                  Copy
                </CopyTextButton>
              </div>
              <JsonView value={delivery.update} label="Update" className="max-h-80" />
              {isWebhook && <Headers session={session} subscription={subscription} deliveryId={deliveryId} />}
            </section>
          </div>
        )
      )}
    </Dialog>
  );
}

function Attempts({ log }: { log: readonly Attempt[] }) {
  return (
    <section>
      <h3 className="mb-2 text-sm font-medium">Attempts</h3>
      {log.length === 0 ? (
        <p className="text-sm text-ink-2">None yet.</p>
      ) : (
        <ol aria-label="Attempts" className="divide-y divide-line rounded-lg border border-line">
          {log.map((attempt) => (
            <li key={`${attempt.attempt} ${attempt.at}`} className="px-3.5 py-2.5 text-xs">
              <div className="flex flex-wrap items-baseline gap-x-3 gap-y-1">
                <span className="tabular font-medium">{attempt.attempt}</span>
                <AttemptWords attempt={attempt} />
                <span className="ml-auto text-ink-2">{formatAbsolute(new Date(attempt.at))}</span>
              </div>
              {attempt.answer !== undefined && attempt.answer !== '' && (
                <pre
                  tabIndex={0}
                  role="region"
                  aria-label={`Answer to attempt ${attempt.attempt}`}
                  className="mt-1.5 max-h-32 overflow-auto rounded bg-sunken px-2.5 py-1.5 font-mono text-2xs leading-4 break-all whitespace-pre-wrap"
                >
                  {attempt.answer}
                </pre>
              )}
            </li>
          ))}
        </ol>
      )}
    </section>
  );
}

/** The headers of a delivery; its signatures depend on the secret, which the console does not have. */
function Headers({
  session,
  subscription,
  deliveryId,
}: Pick<DeliveryDialogProps, 'session' | 'subscription' | 'deliveryId'>) {
  const headers = [
    ['Content-Type', 'application/json'],
    ['X-Tgcontrol-Session', session.id],
    ['X-Tgcontrol-Kind', session.kind],
    ['X-Tgcontrol-Subscription', subscription.id],
    ['X-Tgcontrol-Delivery', deliveryId],
    ['webhook-id', deliveryId],
  ];
  return (
    <details className="mt-3 text-xs">
      <summary className="font-medium text-ink-2">Headers that go with it</summary>
      <dl className="mt-2 grid grid-cols-[auto_minmax(0,1fr)] gap-x-4 gap-y-1 font-mono text-2xs">
        {headers.map(([name, value]) => (
          <div key={name} className="contents">
            <dt className="text-ink-2">{name}</dt>
            <dd className="break-all">{value}</dd>
          </div>
        ))}
      </dl>
      <p className="mt-2 text-ink-2">
        With each attempt also its number in X-Tgcontrol-Attempt, the signature in X-Tgcontrol-Signature, and those of
        Standard Webhooks.
      </p>
    </details>
  );
}
