'use client';

import { Card } from '@/components/ui/card';
import { LoadFailed, LoadingRows } from '@/components/ui/states';
import { useSessionLimits } from '@/lib/queries';
import type { SessionRef } from '@/lib/td';
import { CooldownsCard } from './cooldowns-card';
import { FloodsCard } from './floods-card';
import { PaceCard } from './pace-card';
import { SessionRulesCard } from './session-rules-card';

/** What keeps a session back now, and what has. */
export function LimitsTab({ session }: { session: SessionRef }) {
  const limits = useSessionLimits(session);
  return (
    <div className="flex min-w-0 flex-col gap-5">
      {limits.isPending ? (
        <Card flush>
          <LoadingRows what="limits" rows={2} />
        </Card>
      ) : limits.isLoadingError ? (
        <Card flush>
          <LoadFailed what="limits" error={limits.error} onRetry={limits.refetch} />
        </Card>
      ) : (
        <>
          <CooldownsCard
            session={session}
            cooldowns={limits.data.cooldowns}
            lifts={limits.data.lifts ?? []}
            toldAt={limits.dataUpdatedAt}
          />
          {limits.data.pace && <PaceCard pace={limits.data.pace} toldAt={limits.dataUpdatedAt} />}
          <SessionRulesCard rules={limits.data.rules} />
        </>
      )}
      <FloodsCard session={session} />
    </div>
  );
}
