import { KeyRound } from 'lucide-react';
import Link from 'next/link';
import { HealthBadge, StatusBadge } from '@/components/session/badges';
import { KindMark, sessionName, telegramName } from '@/components/session/name';
import { isLoggingIn, showsHealth } from '@/components/session/status';
import { Button } from '@/components/ui/button';
import { CopyableId } from '@/components/ui/copy';
import { RelativeTime } from '@/components/ui/relative-time';
import { sessionHref, useOverlays } from '@/lib/overlays';
import type { SessionSummary } from '@/lib/types';

const HEAD = 'label-caps px-4 py-2.5 text-left whitespace-nowrap';

/** Rows on a wide screen, cards on a narrow one; the whole row leads to the session. */
export function SessionsTable({ sessions }: { sessions: readonly SessionSummary[] }) {
  return (
    <table className="block w-full md:table">
      <caption className="sr-only">Sessions</caption>
      <thead className="hidden border-b border-line md:table-header-group">
        <tr>
          <th scope="col" className={HEAD}>
            Session
          </th>
          <th scope="col" className={HEAD}>
            State
          </th>
          <th scope="col" className={HEAD}>
            Health
          </th>
          <th scope="col" className={`${HEAD} hidden lg:table-cell`}>
            App and proxy
          </th>
          <th scope="col" className={`${HEAD} hidden xl:table-cell`}>
            Worker
          </th>
          <th scope="col" className={HEAD}>
            Since
          </th>
          <th scope="col" className={HEAD}>
            <span className="sr-only">Actions</span>
          </th>
        </tr>
      </thead>
      <tbody className="block divide-y divide-line md:table-row-group">
        {sessions.map((session) => (
          <SessionRow key={session.id} session={session} />
        ))}
      </tbody>
    </table>
  );
}

function SessionRow({ session }: { session: SessionSummary }) {
  const { openLogin } = useOverlays();
  const name = sessionName(session);
  const account = telegramName(session);
  const cell = 'px-4 py-0.5 md:py-3 md:align-middle';
  return (
    <tr className="relative flex flex-wrap items-center gap-y-1.5 py-3 hover:bg-sunken/60 md:table-row md:py-0">
      <td className={`${cell} w-full max-w-0 min-w-full md:min-w-52`}>
        <div className="flex items-center gap-3">
          <KindMark kind={session.kind} />
          <div className="min-w-0">
            <Link
              href={sessionHref(session)}
              className="block truncate text-sm font-semibold after:absolute after:inset-0 hover:text-accent-ink"
            >
              {name}
            </Link>
            <div className="flex items-center gap-2 text-xs text-ink-2">
              {account !== undefined && account !== name && <span className="truncate">{account}</span>}
              <CopyableId id={session.id} what="session id" />
            </div>
          </div>
        </div>
      </td>
      <td className={`${cell} pr-0 pl-15 md:px-4`}>
        <StatusBadge status={session.status} />
      </td>
      <td className={showsHealth(session) ? cell : `${cell} hidden md:table-cell`}>
        {showsHealth(session) ? (
          <>
            <HealthBadge session={session} />
            <HealthCause session={session} />
          </>
        ) : (
          <span className="text-ink-3">
            <span aria-hidden>–</span>
            <span className="sr-only">not signed in</span>
          </span>
        )}
      </td>
      <td className={`${cell} hidden max-w-44 text-xs text-ink-2 lg:table-cell`}>
        <p className="truncate">{session.app_label ?? 'app without a label'}</p>
        {session.proxy !== undefined && <p className="truncate font-mono">{session.proxy}</p>}
      </td>
      <td className={`${cell} hidden max-w-36 truncate font-mono text-xs text-ink-2 xl:table-cell`}>
        {session.worker_id ?? '–'}
        {session.moving_to !== undefined && ` → ${session.moving_to}`}
      </td>
      <td className={`${cell} hidden text-xs text-ink-2 md:table-cell`}>
        <RelativeTime at={session.since} />
      </td>
      <td className={`${cell} ml-auto text-right`}>
        {isLoggingIn(session.kind, session.status) && session.status !== 'connecting' && (
          <Button size="sm" tone="primary" className="relative z-10" onClick={() => openLogin(session.id)}>
            <KeyRound aria-hidden />
            Resume login
          </Button>
        )}
      </td>
    </tr>
  );
}

/** Why a session is not well, on one line; all of it on hover, and on its page. */
function HealthCause({ session: { health, health_cause: cause } }: { session: SessionSummary }) {
  if (health === 'ok' || cause === undefined || cause === '') return null;
  return (
    <p className="mt-0.5 max-w-64 truncate text-xs text-ink-2" title={cause}>
      {cause}
    </p>
  );
}
