import { sessionName } from '@/components/session/name';
import { STATUS, needsAttention } from '@/components/session/status';
import type { SessionKind, SessionSummary } from '@/lib/types';

/** What the list can be narrowed to. */
export const STATE_FILTERS = ['all', 'ready', 'waiting', 'attention', 'stopped'] as const;
export type StateFilter = (typeof STATE_FILTERS)[number];

/** The three narrowings of the list, as the address holds them. */
export interface SessionFilter {
  readonly query: string;
  readonly state: StateFilter;
  readonly kind: SessionKind | 'all';
}

function inState(session: SessionSummary, state: StateFilter): boolean {
  switch (state) {
    case 'all':
      return true;
    case 'attention':
      return needsAttention(session);
    case 'ready':
    case 'waiting':
    case 'stopped':
      return STATUS[session.status].group === state;
  }
}

function contains(session: SessionSummary, query: string): boolean {
  const words = query.toLowerCase().split(/\s+/).filter(Boolean);
  const haystack = [
    sessionName(session),
    session.username,
    session.phone,
    session.id,
    session.app_label,
    session.proxy,
    session.worker_id,
    STATUS[session.status].word,
  ]
    .join(' ')
    .toLowerCase();
  return words.every((word) => haystack.includes(word.replace(/^[@+](?=.)/, '')));
}

/** The sessions that pass, those that need somebody first, then the most recently changed. */
export function filterSessions(sessions: readonly SessionSummary[], filter: SessionFilter): SessionSummary[] {
  return sessions
    .filter(
      (session) =>
        (filter.kind === 'all' || session.kind === filter.kind) &&
        inState(session, filter.state) &&
        contains(session, filter.query),
    )
    .sort(
      (a, b) =>
        Number(needsAttention(b)) - Number(needsAttention(a)) ||
        sessionName(a).localeCompare(sessionName(b), undefined, { numeric: true }),
    );
}

/** How many sessions of a kind each state filter would show. */
export function countByState(
  sessions: readonly SessionSummary[],
  kind: SessionFilter['kind'],
): Record<StateFilter, number> {
  const counts: Record<StateFilter, number> = { all: 0, ready: 0, waiting: 0, attention: 0, stopped: 0 };
  for (const session of sessions) {
    if (kind !== 'all' && session.kind !== kind) continue;
    for (const state of STATE_FILTERS) if (inState(session, state)) counts[state] += 1;
  }
  return counts;
}
