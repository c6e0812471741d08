import type { ReactNode } from 'react';
import { RelativeTime } from '@/components/ui/relative-time';
import { useNow } from '@/lib/clock';
import type { Subscription } from '@/lib/types';

/** "98.3 %"; all of them is told as such only when none failed. */
export function rateText(rate: number): string {
  const percent = rate * 100;
  return `${rate === 1 ? '100' : Math.min(99.9, percent).toFixed(1)} %`;
}

/** How a subscription goes, in numbers: success, what waits and since when, when the next repeat is due. */
export function SubscriptionNumbers({ subscription }: { subscription: Subscription }) {
  const { kind, success_rate: rate, pending, failed, dropped, delivered } = subscription;
  return (
    <dl className="grid grid-cols-2 gap-x-6 gap-y-2.5 text-xs sm:grid-cols-4">
      {kind === 'webhook' && (
        <>
          <Fact name="Succeeded">{rate === undefined ? 'nothing yet' : rateText(rate)}</Fact>
          <Fact name="Delivered">{delivered}</Fact>
          <Fact name="Waiting">
            {pending}
            {subscription.oldest_pending_at !== undefined && pending > 0 && (
              <span className="block font-normal text-ink-2">
                oldest <RelativeTime at={subscription.oldest_pending_at} />
              </span>
            )}
          </Fact>
          <Fact name="Next repeat">
            {subscription.next_retry_at === undefined ? 'none' : <NextRepeat at={subscription.next_retry_at} />}
          </Fact>
        </>
      )}
      {failed > 0 && (
        <Fact name="Given up" bad>
          {failed}
        </Fact>
      )}
      {dropped > 0 && (
        <Fact name="Lost" bad>
          {dropped}
        </Fact>
      )}
    </dl>
  );
}

function NextRepeat({ at }: { at: string }) {
  return useNow() > new Date(at).getTime() ? <>now</> : <RelativeTime at={at} />;
}

function Fact({ name, bad = false, children }: { name: string; bad?: boolean; children: ReactNode }) {
  return (
    <div>
      <dt className="text-ink-2">{name}</dt>
      <dd className={bad ? 'tabular text-sm font-medium text-bad' : 'tabular text-sm font-medium'}>{children}</dd>
    </div>
  );
}

/** What a subscription wants, in a line. */
export function describeFilters({ types, exclude_types: excluded, chats }: Subscription['filters']): string {
  const parts = [
    types === undefined || types.length === 0 ? 'every update' : types.join(', '),
    ...(excluded !== undefined && excluded.length > 0 ? [`not ${excluded.join(', ')}`] : []),
    ...(chats === undefined
      ? []
      : [
          chats.length === 0
            ? 'of no chat'
            : `of ${chats.length === 1 ? `chat ${chats.join('')}` : `${chats.length} chats`}`,
        ]),
  ];
  return parts.join('; ');
}
