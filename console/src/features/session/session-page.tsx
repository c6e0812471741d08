'use client';

import { ArrowLeft, SearchX, TriangleAlert } from 'lucide-react';
import Link from 'next/link';
import { Suspense } from 'react';
import { HealthBadge, StatusBadge } from '@/components/session/badges';
import { KindMark, sessionName, telegramName } from '@/components/session/name';
import { Button } from '@/components/ui/button';
import { Card } from '@/components/ui/card';
import { CopyButton } from '@/components/ui/copy';
import { RelativeTime } from '@/components/ui/relative-time';
import { EmptyState, ErrorNote, LoadFailed, LoadingRows } from '@/components/ui/states';
import { LimitsTab } from '@/features/limits';
import { EventsTab, WebhooksTab } from '@/features/updates';
import { ApiError } from '@/lib/api-error';
import { useSession, useSessions } from '@/lib/queries';
import type { SessionSummary } from '@/lib/types';
import { useUrlState } from '@/lib/url-state';
import { readAccount } from './account';
import { AccountCard } from './account-card';
import { CallBox } from './call-box';
import { FilesTab } from './files/files-tab';
import { NextStep } from './next-step';
import { Removal } from './removal';
import { SendsCard } from './sends-card';
import { SessionTabs, useSessionTab } from './session-tabs';
import { SettingsCard } from './settings-card';

/** One session, found by the id in the address. */
export function SessionPage() {
  return (
    <Suspense>
      <FoundSession />
    </Suspense>
  );
}

function FoundSession() {
  const id = useUrlState().get('id');
  const sessions = useSessions();
  if (sessions.isPending) {
    return (
      <Card flush>
        <LoadingRows what="session" rows={3} />
      </Card>
    );
  }
  if (sessions.isLoadingError) {
    return (
      <Card flush>
        <LoadFailed what="session" error={sessions.error} onRetry={sessions.refetch} />
      </Card>
    );
  }
  const session = sessions.data.find((candidate) => candidate.id === id);
  if (!session) {
    return (
      <Card flush>
        <EmptyState
          icon={SearchX}
          title="There is no such session"
          action={
            <Button asChild tone="primary">
              <Link href="/sessions/">All sessions</Link>
            </Button>
          }
        >
          It was removed, or the address is not complete.
        </EmptyState>
      </Card>
    );
  }
  return <SessionView key={session.id} summary={session} />;
}

function SessionView({ summary }: { summary: SessionSummary }) {
  const live = useSession(summary.kind, summary.id);
  // The owner knows more and knows it first; while it cannot be asked, the registry's last word stands.
  const session = { ...summary, ...live.data };
  const name = sessionName(session);
  const account = telegramName(session);
  const tab = useSessionTab();
  const unreachable = live.isError ? ApiError.from(live.error) : undefined;
  return (
    <div className="mx-auto flex w-full max-w-6xl flex-col gap-5">
      <header>
        <Link
          href="/sessions/"
          className="inline-flex items-center gap-1.5 rounded text-xs font-medium text-ink-2 hover:text-ink"
        >
          <ArrowLeft aria-hidden className="size-3.5" />
          Sessions
        </Link>
        <div className="mt-3 flex flex-wrap items-center gap-x-4 gap-y-3">
          <KindMark kind={session.kind} large />
          <div className="min-w-0 flex-1 basis-52">
            <h1 className="truncate text-xl font-semibold tracking-[-0.015em]">{name}</h1>
            <p className="flex flex-wrap items-center gap-x-2 text-xs text-ink-2">
              {account !== undefined && account !== name && <span>{account}</span>}
              <span className="inline-flex min-w-0 items-center gap-0.5">
                <code className="truncate font-mono text-ink-3">{session.id}</code>
                <CopyButton text={session.id} what="session id" />
              </span>
            </p>
          </div>
          <div className="flex flex-wrap items-center gap-x-4 gap-y-2">
            <StatusBadge status={session.status} />
            <HealthBadge session={session} />
            <span className="text-xs text-ink-2">
              since <RelativeTime at={session.since} />
            </span>
          </div>
        </div>
      </header>
      {unreachable && unreachable.status !== 404 && (
        <ErrorNote
          error={unreachable}
          lead="The session’s worker could not be asked; what you see is the registry’s last word."
        />
      )}
      <NextStep session={session} />
      <Warnings warnings={live.data?.warnings ?? []} />
      <SessionTabs session={session} current={tab} />
      {tab === 'files' && <FilesTab session={session} />}
      {tab === 'events' && <EventsTab session={session} />}
      {tab === 'webhooks' && <WebhooksTab session={session} />}
      {tab === 'limits' && <LimitsTab session={session} />}
      {tab === 'summary' && (
        <div className="grid grid-cols-[minmax(0,1fr)] items-start gap-5 lg:grid-cols-[minmax(0,5fr)_minmax(0,3fr)]">
          <div className="flex min-w-0 flex-col gap-5">
            <CallBox session={session} accountId={readAccount(live.data?.me)?.id} />
            <SendsCard session={session} />
          </div>
          <div className="flex min-w-0 flex-col gap-5">
            <AccountCard session={session} me={live.data?.me} />
            <SettingsCard session={session} />
            <Removal session={session} name={name} />
          </div>
        </div>
      )}
    </div>
  );
}

/** What is allowed but may not be meant, as the server words it: a proxy that TDLib could pass by, say. */
function Warnings({ warnings }: { warnings: readonly string[] }) {
  if (warnings.length === 0) return null;
  return (
    <ul
      aria-label="Warnings"
      className="flex flex-col gap-1.5 rounded-xl bg-wait-soft px-4 py-3 text-sm text-wait sm:px-5"
    >
      {warnings.map((warning) => (
        <li key={warning} className="flex gap-2.5">
          <TriangleAlert aria-hidden className="mt-0.5 size-4 shrink-0" />
          {warning}
        </li>
      ))}
    </ul>
  );
}
