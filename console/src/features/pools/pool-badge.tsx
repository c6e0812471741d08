import { CirclePause, CircleQuestionMark, LoaderCircle } from 'lucide-react';
import { Badge } from '@/components/ui/badge';
import { ApiError } from '@/lib/api-error';
import type { Pool, PoolStatus } from '@/lib/types';
import { POOL_STATE } from './pool-states';

interface PoolBadgeProps {
  pool: Pool;
  status: PoolStatus | undefined;
  /** Why the newest status is not there. */
  error: unknown;
}

/** How a pool does, by the worker that runs it; without one, that nobody runs it. */
export function PoolBadge({ pool, status, error }: PoolBadgeProps) {
  if (error !== null) {
    const { code, message } = ApiError.from(error);
    return (
      <Badge tone="bad" icon={CircleQuestionMark} title={message}>
        {code === 'pool_unavailable' ? 'Nobody runs it' : 'Not known'}
      </Badge>
    );
  }
  if (status === undefined) {
    return pool.paused ? (
      <Badge tone="idle" icon={CirclePause}>
        Paused
      </Badge>
    ) : (
      <Badge tone="idle" icon={LoaderCircle} spin>
        Asking
      </Badge>
    );
  }
  const { word, tone, icon, explain } = POOL_STATE[status.state];
  return (
    <Badge tone={tone} icon={icon} title={explain}>
      {word}
    </Badge>
  );
}
