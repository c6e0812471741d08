import { useEffect, useState, useSyncExternalStore } from 'react';
import { fetchClient } from '@/lib/api';
import { isRecord, objectsOf, textOf, type SessionRef } from '@/lib/td';
import { EventLog, type LoggedEvent } from './event-log';
import { EventStream, type StreamState } from './event-stream';
import { toEvent } from './explain';

/** Where the page begins: with what comes, or with what is kept. */
export type Beginning = 'now' | 'kept';

const POLL_MS = 1_500;
const PORTION = 200;

interface Portion {
  readonly events: readonly LoggedEvent[];
  readonly cursor: string;
}

/** A portion of the events of a subscription, without waiting for any. */
async function readPortion(
  session: SessionRef,
  sub: string,
  after: string | undefined,
  signal: AbortSignal,
): Promise<Portion> {
  const { data } = await fetchClient.GET('/v1/{kind}/{id}/updates/subscriptions/{sub}/events', {
    params: {
      path: { kind: session.kind, id: session.id, sub },
      query: { limit: PORTION, ...(after === undefined ? {} : { after }) },
    },
    signal,
  });
  // The other form of the answer, server-sent events, is not what fetch asks for.
  const answer: unknown = data;
  const rows = isRecord(answer) ? objectsOf(answer, 'result') : [];
  return {
    events: rows.flatMap((row) => {
      const event = toEvent(row);
      return event ? [{ ...event, session }] : [];
    }),
    cursor: (isRecord(answer) ? textOf(answer, 'next_cursor') : undefined) ?? after ?? '0',
  };
}

interface Events {
  readonly events: readonly LoggedEvent[];
  readonly state: StreamState;
  readonly clear: () => void;
}

function useLog(): EventLog {
  const [log] = useState(() => new EventLog());
  return log;
}

const NONE: readonly LoggedEvent[] = [];

/** The events of one subscription, live. */
export function useEventStream({ kind, id }: SessionRef, sub: string, beginning: Beginning): Events {
  const log = useLog();
  const [state, setState] = useState<StreamState>('connecting');
  useEffect(() => {
    const controller = new AbortController();
    const session = { kind, id };
    let stream: EventStream | undefined;
    let timer: ReturnType<typeof setTimeout> | undefined;
    const begin = async (): Promise<void> => {
      try {
        // A cursor first: a stream that breaks before its first event then goes on from here all the same.
        const { cursor } =
          beginning === 'kept' ? { cursor: '0' } : await readPortion(session, sub, 'now', controller.signal);
        if (controller.signal.aborted) return;
        stream = new EventStream(`/v1/${kind}/${id}/updates/subscriptions/${sub}/events`, cursor, {
          onEvent: (event) => log.add({ ...event, session }),
          onState: setState,
        });
      } catch {
        if (controller.signal.aborted) return;
        setState('cut');
        timer = setTimeout(() => void begin(), POLL_MS);
      }
    };
    void begin();
    return () => {
      controller.abort();
      clearTimeout(timer);
      stream?.close();
    };
  }, [log, kind, id, sub, beginning]);
  const events = useSyncExternalStore(log.subscribe, log.read, () => NONE);
  return { events, state, clear: () => log.clear() };
}

/** A subscription to read. */
export interface Source {
  readonly session: SessionRef;
  readonly sub: string;
}

/**
 * The events of many subscriptions, asked for in turn: a browser opens six connections to a server, and a stream for each session
 * would leave none for the rest of the page.
 */
export function usePolledEvents(sources: readonly Source[]): Events {
  const log = useLog();
  const [state, setState] = useState<StreamState>('connecting');
  const text = JSON.stringify(sources);
  useEffect(() => {
    const controller = new AbortController();
    const all = JSON.parse(text) as readonly Source[];
    const cursors = new Map<string, string>();
    let timer: ReturnType<typeof setTimeout> | undefined;
    const round = async (): Promise<void> => {
      let failed = 0;
      for (const { session, sub } of all) {
        try {
          const { events, cursor } = await readPortion(session, sub, cursors.get(sub) ?? 'now', controller.signal);
          cursors.set(sub, cursor);
          for (const event of events) log.add(event);
        } catch {
          if (controller.signal.aborted) return;
          failed += 1;
        }
      }
      // Live is what has a place to go on from.
      if (all.length > 0) setState(failed === all.length ? 'cut' : 'live');
      timer = setTimeout(() => void round(), POLL_MS);
    };
    void round();
    return () => {
      controller.abort();
      clearTimeout(timer);
    };
  }, [log, text]);
  const events = useSyncExternalStore(log.subscribe, log.read, () => NONE);
  return { events, state, clear: () => log.clear() };
}
