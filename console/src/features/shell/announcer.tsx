import { useEffect, useRef, useState } from 'react';
import { sessionName } from '@/components/session/name';
import { STATUS } from '@/components/session/status';
import { useSessions } from '@/lib/queries';
import type { SessionSummary } from '@/lib/types';

/** What changed between two answers, as sentences for a screen reader. */
export function describeChanges(
  before: readonly SessionSummary[],
  after: readonly SessionSummary[],
): readonly string[] {
  const known = new Map(before.map((session) => [session.id, session]));
  return after.flatMap((session) => {
    const old = known.get(session.id);
    if (!old || old.status === session.status) return [];
    return [`${sessionName(session)}: ${STATUS[session.status].word}`];
  });
}

const AT_ONCE = 3;

/** Says politely when a session's state changes while the page is open; a wave of changes is summed up. */
export function Announcer() {
  const { data } = useSessions();
  const seen = useRef<readonly SessionSummary[]>(undefined);
  const [message, setMessage] = useState('');
  useEffect(() => {
    if (!data) return;
    const changes = seen.current ? describeChanges(seen.current, data) : [];
    seen.current = data;
    if (changes.length === 0) return;
    const rest = changes.length - AT_ONCE;
    setMessage([...changes.slice(0, AT_ONCE), ...(rest > 0 ? [`and ${rest} more changes`] : [])].join('. '));
  }, [data]);
  return (
    <div aria-live="polite" className="sr-only">
      {message}
    </div>
  );
}
