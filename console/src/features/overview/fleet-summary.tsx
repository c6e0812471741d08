import { Blocks, Bot, Server, UserRound, Waypoints, type LucideIcon } from 'lucide-react';
import Link from 'next/link';
import { STATUS } from '@/components/session/status';
import { Card } from '@/components/ui/card';
import { TONE_FILL, TONE_TEXT } from '@/components/ui/tone';
import { cn } from '@/lib/cn';
import { useApps, useProxies, useSessions, useWorkers } from '@/lib/queries';
import type { SessionStatus, SessionSummary } from '@/lib/types';

/** The whole fleet in a bar and five numbers. */
export function FleetSummary() {
  const sessions = useSessions();
  const apps = useApps();
  const proxies = useProxies();
  const workers = useWorkers();
  const alive = workers.data?.filter((worker) => worker.alive).length;
  return (
    <div className="grid gap-5 lg:grid-cols-[3fr_2fr]">
      <Card title="Sessions by state">
        {sessions.data ? <StateBar sessions={sessions.data} /> : <p className="text-sm text-ink-2">Counting…</p>}
      </Card>
      <Card title="In use" flush>
        <ul className="divide-y divide-line border-t border-line">
          <Count icon={Bot} name="Bots" href="/sessions/?kind=bot" value={countKind(sessions.data, 'bot')} />
          <Count
            icon={UserRound}
            name="User accounts"
            href="/sessions/?kind=user"
            value={countKind(sessions.data, 'user')}
          />
          <Count icon={Blocks} name="Telegram apps" href="/apps/" value={apps.data?.length} />
          <Count icon={Waypoints} name="Proxies" href="/proxies/" value={proxies.data?.length} />
          <Count icon={Server} name="Workers alive" href="/workers/" value={alive} />
        </ul>
      </Card>
    </div>
  );
}

const countKind = (sessions: readonly SessionSummary[] | undefined, kind: SessionSummary['kind']): number | undefined =>
  sessions?.filter((session) => session.kind === kind).length;

interface CountProps {
  icon: LucideIcon;
  name: string;
  href: string;
  value: number | undefined;
}

function Count({ icon: Icon, name, href, value }: CountProps) {
  return (
    <li>
      <Link href={href} className="flex h-11 items-center gap-3 px-4 text-sm hover:bg-sunken/60 sm:px-5">
        <Icon aria-hidden className="size-4 text-ink-3" />
        {name}
        <span className="tabular ml-auto text-base font-semibold">{value ?? '–'}</span>
      </Link>
    </li>
  );
}

function StateBar({ sessions }: { sessions: readonly SessionSummary[] }) {
  if (sessions.length === 0) return <p className="text-sm text-ink-2">No sessions yet.</p>;
  const counts = new Map<SessionStatus, number>();
  for (const { status } of sessions) counts.set(status, (counts.get(status) ?? 0) + 1);
  const parts = [...counts].sort(([, a], [, b]) => b - a);
  return (
    <>
      <div aria-hidden className="flex h-3 gap-0.5 overflow-hidden rounded-full">
        {parts.map(([status, count]) => (
          <span key={status} className={cn('min-w-1.5', TONE_FILL[STATUS[status].tone])} style={{ flexGrow: count }} />
        ))}
      </div>
      <ul className="mt-4 grid gap-x-6 gap-y-2 sm:grid-cols-2">
        {parts.map(([status, count]) => {
          const { icon: Icon, word, tone } = STATUS[status];
          return (
            <li key={status} className="flex items-center gap-2 text-sm">
              <Icon aria-hidden className={cn('size-4', TONE_TEXT[tone])} />
              {word}
              <span className="tabular ml-auto font-semibold">{count}</span>
            </li>
          );
        })}
      </ul>
      <p className="tabular mt-4 border-t border-line pt-3 text-sm text-ink-2">
        {sessions.length} {sessions.length === 1 ? 'session' : 'sessions'} in all
      </p>
    </>
  );
}
