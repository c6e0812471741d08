'use client';

import { Plus, Webhook } from 'lucide-react';
import { useState } from 'react';
import { Button } from '@/components/ui/button';
import { Card } from '@/components/ui/card';
import { EmptyState, LoadFailed, LoadingRows } from '@/components/ui/states';
import { useSubscriptions } from '@/lib/queries';
import type { SessionSummary } from '@/lib/types';
import { useUrlState } from '@/lib/url-state';
import { CreateWebhookDialog } from './create-subscription';
import { SubscriptionRow } from './subscription-row';
import { SubscriptionView } from './subscription-view';

const SUB = 'sub';

/** Who gets the updates of a session; one of them in full when the address names it. */
export function WebhooksTab({ session }: { session: SessionSummary }) {
  const url = useUrlState();
  const subscriptions = useSubscriptions(session);
  const [isCreating, setIsCreating] = useState(false);
  const chosen = subscriptions.data?.find(({ id }) => id === url.get(SUB));
  const add = (
    <Button tone="primary" onClick={() => setIsCreating(true)}>
      <Plus aria-hidden />
      Add a webhook
    </Button>
  );
  return (
    <>
      {chosen ? (
        <SubscriptionView session={session} subscription={chosen} onLeave={() => url.push({ [SUB]: null })} />
      ) : (
        <Card
          title="Webhooks and streams"
          description="Each gets the updates that pass its filter, with a queue of its own: a slow receiver holds up nobody else."
          aside={subscriptions.data && subscriptions.data.length > 0 ? add : undefined}
          flush
        >
          {subscriptions.isPending ? (
            <LoadingRows what="webhooks" rows={2} />
          ) : subscriptions.isLoadingError ? (
            <LoadFailed what="webhooks" error={subscriptions.error} onRetry={subscriptions.refetch} />
          ) : subscriptions.data.length === 0 ? (
            <EmptyState icon={Webhook} title="No webhooks yet" action={add}>
              Have the updates of this session posted to your server: new messages, edits, presses of buttons. Each is
              stored before it is sent, and tried again while your server is away.
            </EmptyState>
          ) : (
            <ul aria-label="Webhooks and streams" className="divide-y divide-line border-t border-line">
              {subscriptions.data.map((subscription) => (
                <SubscriptionRow key={subscription.id} session={session} subscription={subscription} />
              ))}
            </ul>
          )}
        </Card>
      )}
      {isCreating && (
        <CreateWebhookDialog
          session={session}
          onClose={() => setIsCreating(false)}
          onCreated={(id) => {
            setIsCreating(false);
            url.push({ [SUB]: id });
          }}
        />
      )}
    </>
  );
}
