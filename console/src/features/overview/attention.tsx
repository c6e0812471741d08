import { ArrowRight, KeyRound, ServerOff, ShieldCheck } from 'lucide-react';
import Link from 'next/link';
import { HealthBadge, StatusBadge } from '@/components/session/badges';
import { KindMark, sessionName } from '@/components/session/name';
import { HEALTH, STATUS, isLoggingIn, needsAttention } from '@/components/session/status';
import { Badge } from '@/components/ui/badge';
import { Button } from '@/components/ui/button';
import { Card } from '@/components/ui/card';
import { RelativeTime } from '@/components/ui/relative-time';
import { LoadFailed, LoadingRows } from '@/components/ui/states';
import { sessionHref, useOverlays } from '@/lib/overlays';
import { useSessions, useWorkers } from '@/lib/queries';
import type { SessionSummary } from '@/lib/types';

const SHOWN = 8;

/** Why this session is listed, in the words of whoever knows best. */
export function causeOf(session: SessionSummary): string {
  const told = (text: string | null | undefined): text is string => text !== undefined && text !== null && text !== '';
  if (session.status === 'authorized') {
    if (session.health !== 'ok')
      return told(session.health_cause) ? session.health_cause : HEALTH[session.health].explain;
    if (session.frozen) return 'Telegram has frozen this account: it can read, but not act.';
  }
  const explained = STATUS[session.status].explain;
  return told(session.last_error) ? `${explained} Last error: ${session.last_error}` : explained;
}

/** The list that an operator opens the console for. */
export function Attention() {
  const sessions = useSessions();
  const workers = useWorkers();
  if (sessions.isPending) {
    return (
      <Card title="Needs you" flush>
        <LoadingRows what="what needs you" rows={2} />
      </Card>
    );
  }
  if (sessions.isLoadingError) {
    return (
      <Card title="Needs you" flush>
        <LoadFailed what="sessions" error={sessions.error} onRetry={sessions.refetch} />
      </Card>
    );
  }
  const waiting = sessions.data.filter(needsAttention);
  // A worker that left for good is listed for an hour; it matters only while nobody else could take its sessions.
  const deadWorkers = (workers.data ?? []).filter((worker) => !worker.alive);
  const noWorker = workers.data !== undefined && !workers.data.some((worker) => worker.alive);
  if (waiting.length === 0 && deadWorkers.length === 0 && !noWorker) {
    if (sessions.data.length === 0) return null;
    return (
      <Card title="Needs you">
        <p className="flex items-center gap-2.5 text-sm text-ink-2">
          <ShieldCheck aria-hidden className="size-5 text-ok" />
          Nothing. Every session is ready or stopped on purpose.
        </p>
      </Card>
    );
  }
  return (
    <Card
      title="Needs you"
      flush
      aside={<span className="tabular text-sm text-ink-2">{waiting.length + deadWorkers.length}</span>}
    >
      <ul className="divide-y divide-line border-t border-line">
        {noWorker && (
          <li className="flex items-center gap-3 px-4 py-3 text-sm sm:px-5">
            <Badge tone="bad" icon={ServerOff}>
              No worker
            </Badge>
            <p className="text-ink-2">No worker is alive, so no session can run or sign in. Start a worker process.</p>
          </li>
        )}
        {waiting.slice(0, SHOWN).map((session) => (
          <WaitingSession key={session.id} session={session} />
        ))}
        {deadWorkers.map((worker) => (
          <li key={worker.id} className="flex flex-wrap items-center gap-x-3 gap-y-2 px-4 py-3 text-sm sm:px-5">
            <Badge tone="bad" icon={ServerOff}>
              Worker down
            </Badge>
            <span className="font-mono text-xs">{worker.id}</span>
            <span className="text-ink-2">
              last seen <RelativeTime at={worker.last_seen_at} />
            </span>
            <Button asChild size="sm" tone="quiet" className="ml-auto">
              <Link href="/workers/">Workers</Link>
            </Button>
          </li>
        ))}
      </ul>
      {waiting.length > SHOWN && (
        <div className="border-t border-line px-4 py-2 sm:px-5">
          <Button asChild size="sm" tone="quiet">
            <Link href="/sessions/?state=attention">
              All {waiting.length} of them
              <ArrowRight aria-hidden />
            </Link>
          </Button>
        </div>
      )}
    </Card>
  );
}

function WaitingSession({ session }: { session: SessionSummary }) {
  const { openLogin } = useOverlays();
  const loggingIn = isLoggingIn(session.kind, session.status);
  return (
    <li className="flex flex-wrap items-center gap-x-3 gap-y-2 px-4 py-3 sm:flex-nowrap sm:px-5">
      <KindMark kind={session.kind} />
      <div className="min-w-0 flex-1 basis-48">
        <Link href={sessionHref(session)} className="text-sm font-semibold hover:text-accent-ink">
          {sessionName(session)}
        </Link>
        <p className="text-xs text-ink-2">
          {causeOf(session)} · <RelativeTime at={session.since} />
        </p>
      </div>
      {session.status === 'authorized' ? <HealthBadge session={session} /> : <StatusBadge status={session.status} />}
      {loggingIn ? (
        <Button size="sm" tone="primary" onClick={() => openLogin(session.id)}>
          <KeyRound aria-hidden />
          Resume login
        </Button>
      ) : (
        <Button asChild size="sm">
          <Link href={sessionHref(session)}>See why</Link>
        </Button>
      )}
    </li>
  );
}
