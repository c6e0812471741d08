import { Badge } from '@/components/ui/badge';
import { RelativeTime } from '@/components/ui/relative-time';
import { useNow } from '@/lib/clock';
import type { Attempt, DeliveryStatus, SubscriptionState } from '@/lib/types';
import { DELIVERY_STATUS, SUBSCRIPTION_STATE } from './states';

/** What became of a delivery, as icon and word. */
export function DeliveryBadge({ status }: { status: DeliveryStatus }) {
  const { word, tone, icon, explain } = DELIVERY_STATUS[status];
  return (
    <Badge tone={tone} icon={icon} title={explain}>
      {word}
    </Badge>
  );
}

/** How a subscription does, as icon and word. */
export function SubscriptionBadge({ state, reason }: { state: SubscriptionState; reason?: string | undefined }) {
  const { word, tone, icon, explain } = SUBSCRIPTION_STATE[state];
  return (
    <Badge tone={tone} icon={icon} title={reason ?? explain}>
      {word}
    </Badge>
  );
}

/** What the receiver said, and how long that took. */
export function AttemptWords({ attempt }: { attempt: Attempt }) {
  return (
    <span className="min-w-0 break-words">
      {attempt.status !== undefined && <span className="tabular font-medium">{attempt.status}</span>}{' '}
      {attempt.error !== undefined && <span className="text-bad">{attempt.error}</span>}{' '}
      <span className="tabular">in {attempt.duration_ms} ms</span>
    </span>
  );
}

/** When something is tried next; what is due already waits for the oldest, which alone is tried while a receiver fails. */
export function NextTry({ at }: { at: string }) {
  const isDue = useNow() > new Date(at).getTime();
  return isDue ? <>when the oldest has arrived</> : <RelativeTime at={at} />;
}
