import Link from 'next/link';
import { subscriptionHref } from '@/lib/overlays';
import type { SessionRef } from '@/lib/td';
import type { Subscription } from '@/lib/types';
import { KindIcon } from './create-subscription';
import { SubscriptionBadge } from './delivery-parts';
import { describeFilters, SubscriptionNumbers } from './subscription-numbers';

/** How a subscription is called: its URL, else what it is. */
export function subscriptionName({ url, kind, id }: Pick<Subscription, 'url' | 'kind' | 'id'>): string {
  return url ?? (kind === 'stream' ? `Stream ${id.slice(0, 8)}` : `Webhook ${id.slice(0, 8)}`);
}

interface SubscriptionRowProps {
  session: SessionRef;
  subscription: Subscription;
  /** Named where the list has several sessions. */
  sessionName?: string;
}

/** A subscription in a list, as a link to its page. */
export function SubscriptionRow({ session, subscription, sessionName }: SubscriptionRowProps) {
  return (
    <li className="relative flex flex-col gap-3 px-4 py-4 hover:bg-sunken/40 sm:px-5">
      <div className="flex flex-wrap items-center gap-x-4 gap-y-2">
        <KindIcon kind={subscription.kind} />
        <div className="min-w-0 flex-1 basis-56">
          <Link
            href={subscriptionHref(session, subscription.id)}
            className="block truncate text-sm font-semibold after:absolute after:inset-0"
            title={subscriptionName(subscription)}
          >
            {subscriptionName(subscription)}
          </Link>
          <p className="truncate text-xs text-ink-2">
            {sessionName !== undefined && `${sessionName} · `}
            {describeFilters(subscription.filters)}
            {subscription.token_id !== undefined &&
              ` · by token ${subscription.token_name ?? subscription.token_id.slice(0, 8)}`}
          </p>
        </div>
        <SubscriptionBadge state={subscription.state} reason={subscription.disabled_reason} />
      </div>
      <SubscriptionNumbers subscription={subscription} />
      {subscription.last_error !== undefined && subscription.state !== 'active' && (
        <p className="text-xs break-words text-bad">{subscription.last_error}</p>
      )}
    </li>
  );
}
