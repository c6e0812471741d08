import { Activity, HeartCrack, HeartPulse, Snowflake, type LucideIcon } from 'lucide-react';
import { Badge } from '@/components/ui/badge';
import type { Health, SessionStatus } from '@/lib/types';
import { HEALTH, STATUS, showsHealth } from './status';

/** Where the session's login and life stand. */
export function StatusBadge({ status }: { status: SessionStatus }) {
  const meaning = STATUS[status];
  return (
    <Badge tone={meaning.tone} icon={meaning.icon} title={meaning.explain} spin={meaning.spin === true}>
      {meaning.word}
    </Badge>
  );
}

const HEALTH_ICON: Record<Health, LucideIcon> = { ok: HeartPulse, degraded: Activity, down: HeartCrack };

interface HealthBadgeProps {
  session: {
    readonly status: SessionStatus;
    readonly health: Health;
    readonly health_cause?: string;
    readonly frozen: boolean;
  };
}

/** Whether a signed-in session is well; nothing while the status alone counts. The cause is on hover. */
export function HealthBadge({ session }: HealthBadgeProps) {
  if (!showsHealth(session)) return null;
  if (session.frozen && session.health === 'ok') {
    return (
      <Badge bare tone="bad" icon={Snowflake} title="Telegram has frozen this account: it can read, but not act.">
        Frozen
      </Badge>
    );
  }
  const meaning = HEALTH[session.health];
  return (
    <Badge bare tone={meaning.tone} icon={HEALTH_ICON[session.health]} title={session.health_cause ?? meaning.explain}>
      {meaning.word}
    </Badge>
  );
}
