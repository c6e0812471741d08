'use client';

import { Webhook } from 'lucide-react';
import Link from 'next/link';
import { sessionName } from '@/components/session/name';
import { Button } from '@/components/ui/button';
import { Card } from '@/components/ui/card';
import { Page } from '@/components/ui/page';
import { EmptyState, LoadFailed, LoadingRows } from '@/components/ui/states';
import { useAllSubscriptions, useSessions } from '@/lib/queries';
import type { SessionSummary, Subscription } from '@/lib/types';
import { SubscriptionRow } from './subscription-row';

/** The webhooks and streams of all sessions, what is wrong first. */
export function WebhooksPage() {
  const sessions = useSessions();
  return (
    <Page title="Webhooks" description="Who gets the updates of your sessions, and how that goes.">
      <Card flush>
        {sessions.isPending ? (
          <LoadingRows what="webhooks" rows={3} />
        ) : sessions.isLoadingError ? (
          <LoadFailed what="webhooks" error={sessions.error} onRetry={sessions.refetch} />
        ) : (
          <All sessions={sessions.data} />
        )}
      </Card>
    </Page>
  );
}

const RANK: Record<Subscription['state'], number> = { failing: 0, token_disabled: 1, disabled: 2, active: 3 };

function All({ sessions }: { sessions: readonly SessionSummary[] }) {
  const subscriptions = useAllSubscriptions();
  const byId = new Map(sessions.map((session) => [session.id, session]));
  if (subscriptions.isPending) return <LoadingRows what="webhooks" rows={3} />;
  if (subscriptions.isLoadingError) {
    return <LoadFailed what="webhooks" error={subscriptions.error} onRetry={subscriptions.refetch} />;
  }
  // A session that was made since the sessions were asked for has its row a moment later.
  const rows = subscriptions.data
    .flatMap((subscription) => {
      const session = byId.get(subscription.session_id);
      return session === undefined ? [] : [{ session, subscription }];
    })
    .sort((a, b) => RANK[a.subscription.state] - RANK[b.subscription.state]);
  return rows.length === 0 ? (
    <EmptyState
      icon={Webhook}
      title="No webhooks yet"
      action={
        <Button asChild tone="primary">
          <Link href="/sessions/">Choose a session</Link>
        </Button>
      }
    >
      A webhook belongs to a session: open one, and add it there.
    </EmptyState>
  ) : (
    <ul aria-label="Webhooks and streams" className="divide-y divide-line">
      {rows.map(({ session, subscription }) => (
        <SubscriptionRow
          key={subscription.id}
          session={session}
          subscription={subscription}
          sessionName={sessionName(session)}
        />
      ))}
    </ul>
  );
}
