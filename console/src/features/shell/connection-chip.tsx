import { RadioTower, TriangleAlert, WifiOff, type LucideIcon } from 'lucide-react';
import { cn } from '@/lib/cn';
import { TONE_TEXT, type Tone } from '@/components/ui/tone';
import type { Connection } from './connection';

const LOOK: Record<Connection['state'], { word: string; icon: LucideIcon; tone: Tone; explain: string }> = {
  live: { word: 'Live', icon: RadioTower, tone: 'ok', explain: 'What you see is at most a few seconds old.' },
  degraded: {
    word: 'Degraded',
    icon: TriangleAlert,
    tone: 'wait',
    explain: 'The gateway answers, but not everything it needs is there.',
  },
  offline: {
    word: 'Offline',
    icon: WifiOff,
    tone: 'bad',
    explain: 'The gateway does not answer. What you see may be old.',
  },
};

const clock = new Intl.DateTimeFormat(undefined, { timeStyle: 'short' });

/** Says whether the page is current. */
export function ConnectionChip({ connection }: { connection: Connection }) {
  const look = LOOK[connection.state];
  const Icon = look.icon;
  return (
    <span
      role="status"
      title={look.explain}
      className={cn(
        'inline-flex h-7 items-center gap-1.5 rounded-full border border-line bg-surface px-2.5 text-xs font-medium',
        TONE_TEXT[look.tone],
      )}
    >
      <Icon aria-hidden className="size-3.5" />
      {look.word}
      {connection.state === 'offline' && connection.since !== undefined && (
        <span className="font-normal text-ink-2">since {clock.format(connection.since)}</span>
      )}
    </span>
  );
}

/** One banner for a lost gateway or database, instead of a failure in every panel. It goes away by itself. */
export function ConnectionBanner({ connection }: { connection: Connection }) {
  if (connection.state === 'live') return null;
  const offline = connection.state === 'offline';
  return (
    <div
      role="alert"
      className={cn(
        'flex items-start gap-2.5 border-b px-4 py-2.5 text-sm sm:px-6',
        offline ? 'border-bad/30 bg-bad-soft text-bad' : 'border-wait/30 bg-wait-soft text-wait',
      )}
    >
      {offline ? (
        <WifiOff aria-hidden className="mt-0.5 size-4 shrink-0" />
      ) : (
        <TriangleAlert aria-hidden className="mt-0.5 size-4 shrink-0" />
      )}
      <p>
        <strong className="font-semibold">
          {offline ? 'The gateway does not answer.' : 'The gateway is not fully working.'}
        </strong>{' '}
        {offline
          ? 'What you see may be old. The console keeps trying and recovers by itself.'
          : `${connection.causes.join(' · ') || 'It did not say why.'} The console recovers by itself.`}
      </p>
    </div>
  );
}
