'use client';

import { Radio } from 'lucide-react';
import { useState } from 'react';
import { KindMark, sessionName } from '@/components/session/name';
import { Button } from '@/components/ui/button';
import { Card } from '@/components/ui/card';
import { Page } from '@/components/ui/page';
import { EmptyState, ErrorNote, LoadFailed, LoadingRows } from '@/components/ui/states';
import { useAllSubscriptions, useSessions } from '@/lib/queries';
import type { SessionSummary } from '@/lib/types';
import { EventList } from './event-list';
import { usePolledEvents, type Source } from './use-events';
import { isWatch, useWatch } from './watch';

/** So many sessions are shown; each that is watched is asked for its events in turn. */
const SHOWN = 50;

/** The updates of every watched session in one list. */
export function EventsPage() {
  const sessions = useSessions();
  return (
    <Page
      title="Events"
      description="Updates of all watched sessions as they come. A session’s own page has its stream alone."
    >
      {sessions.isPending ? (
        <Card flush>
          <LoadingRows what="sessions" rows={3} />
        </Card>
      ) : sessions.isLoadingError ? (
        <Card flush>
          <LoadFailed what="sessions" error={sessions.error} onRetry={sessions.refetch} />
        </Card>
      ) : sessions.data.length === 0 ? (
        <Card flush>
          <EmptyState icon={Radio} title="No sessions yet">
            Events come from bots and user accounts that are signed in.
          </EmptyState>
        </Card>
      ) : (
        <Watched sessions={sessions.data} />
      )}
    </Page>
  );
}

function Watched({ sessions }: { sessions: readonly SessionSummary[] }) {
  const looked = sessions.filter(({ status }) => status === 'authorized').slice(0, SHOWN);
  const { data: subscriptions } = useAllSubscriptions();
  const watch = useWatch();
  const [hidden, setHidden] = useState<ReadonlySet<string>>(new Set());
  const rows = looked.map((session) => ({
    session,
    watching: subscriptions?.find((each) => each.session_id === session.id && isWatch(each)),
  }));
  const sources: readonly Source[] = rows.flatMap(({ session, watching }) =>
    watching && !hidden.has(session.id) ? [{ session: { kind: session.kind, id: session.id }, sub: watching.id }] : [],
  );
  const { events, state, clear } = usePolledEvents(sources);
  const names = new Map(sessions.map((session) => [session.id, sessionName(session)]));
  return (
    <>
      <Card
        title="Watched sessions"
        description="Watching keeps every update of a session for 24 hours. It goes on until it is stopped on the session’s page."
        flush
      >
        <ErrorNote className="m-4" error={watch.error} lead="That did not work." />
        <ul aria-label="Watched sessions" className="grid border-t border-line sm:grid-cols-2">
          {rows.map(({ session, watching }) => (
            <li key={session.id} className="flex items-center gap-3 px-4 py-2.5 sm:px-5">
              <KindMark kind={session.kind} />
              <span className="min-w-0 flex-1 truncate text-sm font-medium">{sessionName(session)}</span>
              {watching ? (
                <label className="flex items-center gap-2 text-xs text-ink-2">
                  <input
                    type="checkbox"
                    checked={!hidden.has(session.id)}
                    onChange={(event) => {
                      const next = new Set(hidden);
                      if (event.target.checked) next.delete(session.id);
                      else next.add(session.id);
                      setHidden(next);
                    }}
                    aria-label={`Show events of ${sessionName(session)}`}
                    className="size-4 accent-accent"
                  />
                  shown
                </label>
              ) : (
                <Button
                  size="sm"
                  aria-label={`Watch ${sessionName(session)}`}
                  disabled={watch.isPending || subscriptions === undefined}
                  onClick={() => void watch.begin(session)}
                >
                  Watch
                </Button>
              )}
            </li>
          ))}
        </ul>
        {looked.length === 0 && (
          <p className="border-t border-line px-4 py-4 text-sm text-ink-2 sm:px-5">No session is ready.</p>
        )}
      </Card>
      {sources.length > 0 && (
        <EventList
          title="Live events"
          description={`Of ${sources.length === 1 ? 'one session' : `${sources.length} sessions`}, newest first.`}
          events={events}
          state={state}
          onClear={clear}
          nameOf={(id) => names.get(id) ?? id.slice(0, 8)}
        />
      )}
    </>
  );
}
