import { FlaskConical } from 'lucide-react';
import { Button } from '@/components/ui/button';
import { ErrorNote } from '@/components/ui/states';
import { $api } from '@/lib/api';
import { useRefresh } from '@/lib/queries';
import type { SessionRef } from '@/lib/td';
import { AttemptWords, DeliveryBadge } from './delivery-parts';

const POLL_MS = 700;

/** Sends a test event to a subscription and shows what the receiver answered. */
export function TestEvent({ session, subscriptionId }: { session: SessionRef; subscriptionId: string }) {
  const path = { kind: session.kind, id: session.id, sub: subscriptionId };
  const refresh = useRefresh();
  const test = $api.useMutation('post', '/v1/{kind}/{id}/updates/subscriptions/{sub}/test', {
    onSuccess: () => void refresh.subscriptions(),
  });
  const deliveryId = test.data?.result.id;
  return (
    <div className="flex flex-col gap-2">
      <div className="flex flex-wrap items-center gap-3">
        <Button size="sm" pending={test.isPending} onClick={() => test.mutate({ params: { path } })}>
          <FlaskConical aria-hidden />
          Send a test event
        </Button>
        {deliveryId !== undefined && <TestOutcome key={deliveryId} path={{ ...path, delivery: deliveryId }} />}
      </div>
      <ErrorNote error={test.error} lead="The test event was not sent." />
    </div>
  );
}

interface DeliveryPath {
  readonly kind: SessionRef['kind'];
  readonly id: string;
  readonly sub: string;
  readonly delivery: string;
}

function TestOutcome({ path }: { path: DeliveryPath }) {
  const found = $api.useQuery(
    'get',
    '/v1/{kind}/{id}/updates/subscriptions/{sub}/deliveries/{delivery}',
    { params: { path } },
    {
      select: ({ result }) => result,
      refetchInterval: ({ state }) => (state.data?.result.status === 'pending' ? POLL_MS : false),
      // It is stored a moment after it was promised.
      retry: 5,
    },
  );
  return (
    <span role="status" className="flex min-w-0 flex-wrap items-center gap-x-3 gap-y-1 text-xs text-ink-2">
      {found.isError ? (
        'It cannot be followed.'
      ) : (
        <>
          <DeliveryBadge status={found.data?.status ?? 'pending'} />
          {found.data?.last_attempt && <AttemptWords attempt={found.data.last_attempt} />}
        </>
      )}
    </span>
  );
}
