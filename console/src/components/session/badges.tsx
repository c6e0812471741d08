import { Activity, HeartCrack, HeartPulse, type LucideIcon } from 'lucide-react';
import { Badge } from '@/components/ui/badge';
import type { Health, SessionStatus } from '@/lib/types';
import { HEALTH, STATUS } from './status';

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

/** Whether a signed-in session is well; the cause is on hover here and in words on the session's page. */
export function HealthBadge({ health, cause }: { health: Health; cause?: string | undefined }) {
  const meaning = HEALTH[health];
  return (
    <Badge bare tone={meaning.tone} icon={HEALTH_ICON[health]} title={cause ?? meaning.explain}>
      {meaning.word}
    </Badge>
  );
}
