'use client';

import { Bot, MessagesSquare, Search, SearchX, UserRound } from 'lucide-react';
import { useState } from 'react';
import { Button } from '@/components/ui/button';
import { Card } from '@/components/ui/card';
import { Page } from '@/components/ui/page';
import { Segmented } from '@/components/ui/segmented';
import { EmptyState, LoadFailed, LoadingRows } from '@/components/ui/states';
import { useOverlays } from '@/lib/overlays';
import { useSessions } from '@/lib/queries';
import type { SessionSummary } from '@/lib/types';
import { useUrlState } from '@/lib/url-state';
import { STATE_FILTERS, countByState, filterSessions, type SessionFilter } from './filter-sessions';
import { SessionsTable } from './sessions-table';

/** Rows that are drawn at once; thousands of rows would make every poll slow. */
const STEP = 100;

/** Every session, searchable, with what waits for somebody on top. */
export function SessionsPage() {
  const sessions = useSessions();
  const { openCreate } = useOverlays();
  return (
    <Page
      title="Sessions"
      description="Bots and user accounts that are signed in, or on their way."
      actions={
        <>
          <Button onClick={() => openCreate('user')}>
            <UserRound aria-hidden />
            Log in a user
          </Button>
          <Button tone="primary" onClick={() => openCreate('bot')}>
            <Bot aria-hidden />
            Add a bot
          </Button>
        </>
      }
    >
      {sessions.isPending ? (
        <Card flush>
          <LoadingRows what="sessions" rows={6} />
        </Card>
      ) : sessions.isLoadingError ? (
        <Card flush>
          <LoadFailed what="sessions" error={sessions.error} onRetry={sessions.refetch} />
        </Card>
      ) : sessions.data.length === 0 ? (
        <Card flush>
          <EmptyState
            icon={MessagesSquare}
            title="No sessions yet"
            action={
              <>
                <Button tone="primary" onClick={() => openCreate('bot')}>
                  Add a bot
                </Button>
                <Button onClick={() => openCreate('user')}>Log in a user</Button>
              </>
            }
          >
            A session is one bot or one user account that tgcontrol keeps signed in to Telegram. A bot is the quickest
            start: it needs only its token from @BotFather.
          </EmptyState>
        </Card>
      ) : (
        <FilteredSessions sessions={sessions.data} />
      )}
    </Page>
  );
}

const STATE_NAMES: Record<SessionFilter['state'], string> = {
  all: 'All',
  ready: 'Ready',
  waiting: 'Logging in',
  attention: 'Needs you',
  stopped: 'Stopped',
};

function useFilter(): SessionFilter {
  const { get } = useUrlState();
  const kind = get('kind');
  return {
    query: get('q') ?? '',
    state: STATE_FILTERS.find((state) => state === get('state')) ?? 'all',
    kind: kind === 'bot' || kind === 'user' ? kind : 'all',
  };
}

function FilteredSessions({ sessions }: { sessions: readonly SessionSummary[] }) {
  const filter = useFilter();
  const { replace } = useUrlState();
  const [limit, setLimit] = useState(STEP);
  const counts = countByState(sessions, filter.kind);
  const found = filterSessions(sessions, filter);
  const shown = found.slice(0, limit);
  return (
    <>
      <div className="flex flex-col gap-3 lg:flex-row lg:items-center">
        <label className="relative flex-1">
          <span className="sr-only">Search sessions</span>
          <Search aria-hidden className="pointer-events-none absolute top-2.5 left-3 size-4 text-ink-3" />
          <input
            type="search"
            data-page-search
            value={filter.query}
            onChange={(event) => replace({ q: event.target.value })}
            placeholder="Search by name, number, id, app or worker"
            className="h-9 w-full rounded-md border border-line-strong/70 bg-surface pr-3 pl-9 text-base placeholder:text-ink-3 hover:border-line-strong focus-visible:outline-offset-0 sm:text-sm"
          />
        </label>
        <div className="flex flex-wrap gap-2">
          <Segmented
            label="State"
            value={filter.state}
            onChange={(state) => replace({ state: state === 'all' ? null : state })}
            options={STATE_FILTERS.map((value) => ({ value, label: STATE_NAMES[value], count: counts[value] }))}
          />
          <Segmented
            label="Kind"
            value={filter.kind}
            onChange={(kind) => replace({ kind: kind === 'all' ? null : kind })}
            options={[
              { value: 'all', label: 'All kinds' },
              { value: 'bot', label: 'Bots' },
              { value: 'user', label: 'Users' },
            ]}
          />
        </div>
      </div>
      <Card flush>
        {found.length === 0 ? (
          <EmptyState
            icon={SearchX}
            title="No session fits"
            action={<Button onClick={() => replace({ q: null, state: null, kind: null })}>Show all sessions</Button>}
          >
            None of the {sessions.length} sessions passes the search and the filters.
          </EmptyState>
        ) : (
          <SessionsTable sessions={shown} />
        )}
      </Card>
      {found.length > shown.length && (
        <div className="flex flex-col items-center gap-2">
          <p className="tabular text-xs text-ink-2">
            {shown.length} of {found.length} shown
          </p>
          <Button onClick={() => setLimit(limit + STEP)}>Show more</Button>
        </div>
      )}
    </>
  );
}
