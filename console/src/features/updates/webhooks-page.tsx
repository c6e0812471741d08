'use client';

import { useQueries } from '@tanstack/react-query';
import { Webhook } from 'lucide-react';
import Link from 'next/link';
import { sessionName } from '@/components/session/name';
import { Button } from '@/components/ui/button';
import { Card } from '@/components/ui/card';
import { Page } from '@/components/ui/page';
import { EmptyState, ErrorNote, LoadFailed, LoadingRows } from '@/components/ui/states';
import { useSessions } from '@/lib/queries';
import type { SessionSummary, Subscription } from '@/lib/types';
import { subscriptionsQuery, WATCHED } from './session-subscriptions';
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
  const looked = sessions.slice(0, WATCHED);
  const lists = useQueries({ queries: looked.map((session) => subscriptionsQuery(session)) });
  const failure = lists.find(({ error }) => error !== null)?.error;
  const rows = looked
    .flatMap((session, index) => (lists[index]?.data ?? []).map((subscription) => ({ session, subscription })))
    .sort((a, b) => RANK[a.subscription.state] - RANK[b.subscription.state]);
  if (rows.length === 0 && lists.some(({ isPending }) => isPending)) return <LoadingRows what="webhooks" rows={3} />;
  return (
    <>
      <ErrorNote className="m-4" error={failure} lead="Some sessions did not tell their webhooks." />
      {rows.length === 0 && failure === undefined && (
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
      )}
      {rows.length > 0 && (
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
      )}
      {sessions.length > looked.length && (
        <p className="border-t border-line px-4 py-3 text-xs text-ink-2 sm:px-5">
          Of the first {looked.length} sessions; those of the others are on their pages.
        </p>
      )}
    </>
  );
}
