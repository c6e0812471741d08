'use client';

import { Radio } from 'lucide-react';
import { useState } from 'react';
import { Button } from '@/components/ui/button';
import { Card } from '@/components/ui/card';
import { Select } from '@/components/ui/field';
import { Segmented } from '@/components/ui/segmented';
import { EmptyState, ErrorNote, LoadFailed, LoadingRows } from '@/components/ui/states';
import { useSubscriptions } from '@/lib/queries';
import type { SessionSummary, Subscription } from '@/lib/types';
import { useUrlState } from '@/lib/url-state';
import { EventList } from './event-list';
import { subscriptionName } from './subscription-row';
import { describeFilters } from './subscription-numbers';
import { useEventStream, type Beginning } from './use-events';
import { isWatch, useWatch } from './watch';

const SUB = 'sub';

/** The updates of a session, live. */
export function EventsTab({ session }: { session: SessionSummary }) {
  const url = useUrlState();
  const subscriptions = useSubscriptions(session);
  const watch = useWatch();
  if (subscriptions.isPending) {
    return (
      <Card flush>
        <LoadingRows what="streams" rows={2} />
      </Card>
    );
  }
  if (subscriptions.isLoadingError) {
    return (
      <Card flush>
        <LoadFailed what="streams" error={subscriptions.error} onRetry={subscriptions.refetch} />
      </Card>
    );
  }
  const all = subscriptions.data;
  const watching = all.find(isWatch);
  const chosen = all.find(({ id }) => id === url.get(SUB)) ?? watching ?? all[0];
  return (
    <>
      <ErrorNote error={watch.error} lead="That did not work." />
      {chosen ? (
        <>
          <div className="flex flex-wrap items-center gap-3">
            <Select
              aria-label="What is watched"
              className="w-80 max-w-full"
              value={chosen.id}
              onChange={(event) => url.replace({ [SUB]: event.target.value })}
            >
              {all.map((subscription) => (
                <option key={subscription.id} value={subscription.id}>
                  {optionName(subscription)}
                </option>
              ))}
            </Select>
            {watching ? (
              <Button
                tone="quiet"
                pending={watch.isPending}
                onClick={() => void watch.end(session, watching.id)}
                title="Removes the stream, and the events that are kept for it"
              >
                Stop keeping every update
              </Button>
            ) : (
              <Button pending={watch.isPending} onClick={() => void watch.begin(session)}>
                <Radio aria-hidden />
                Watch every update
              </Button>
            )}
          </div>
          <Watched key={chosen.id} session={session} subscription={chosen} />
        </>
      ) : (
        <Card flush>
          <EmptyState
            icon={Radio}
            title="Nobody asks for the updates of this session"
            action={
              <Button tone="primary" pending={watch.isPending} onClick={() => void watch.begin(session)}>
                <Radio aria-hidden />
                Watch every update
              </Button>
            }
          >
            tgcontrol keeps only updates that somebody wants. Watching makes a stream that keeps all of this session for
            24 hours; programs can read it as well, by polling or as server-sent events.
          </EmptyState>
        </Card>
      )}
    </>
  );
}

function optionName(subscription: Subscription): string {
  if (isWatch(subscription)) return 'Every update';
  return `${subscriptionName(subscription)}: ${describeFilters(subscription.filters)}`;
}

function Watched({ session, subscription }: { session: SessionSummary; subscription: Subscription }) {
  const [beginning, setBeginning] = useState<Beginning>('now');
  const { events, state, clear } = useEventStream(session, subscription.id, beginning);
  return (
    <>
      <Segmented
        label="Begin with"
        value={beginning}
        onChange={(next) => {
          clear();
          setBeginning(next);
        }}
        options={[
          { value: 'now', label: 'What comes from now on' },
          { value: 'kept', label: 'The last 24 hours' },
        ]}
        className="self-start"
      />
      <EventList
        title="Live events"
        description="As TDLib made them, newest first. Open one to see which webhook got it, and why another did not."
        events={events}
        state={state}
        onClear={clear}
      />
    </>
  );
}
