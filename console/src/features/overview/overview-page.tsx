'use client';

import { Bot, UserRound } from 'lucide-react';
import { Button } from '@/components/ui/button';
import { Page } from '@/components/ui/page';
import { useOverlays } from '@/lib/overlays';
import { Attention } from './attention';
import { FirstSteps } from './first-steps';
import { FleetSummary } from './fleet-summary';

/** What needs somebody now, then how the whole fleet does; on a new installation, the way to the first call. */
export function OverviewPage() {
  const { openCreate } = useOverlays();
  return (
    <Page
      title="Overview"
      description="What needs you now, and how everything else is doing."
      actions={
        <>
          <Button onClick={() => openCreate('user')}>
            <UserRound aria-hidden />
            Log in a user
          </Button>
          <Button onClick={() => openCreate('bot')}>
            <Bot aria-hidden />
            Add a bot
          </Button>
        </>
      }
    >
      <FirstSteps />
      <Attention />
      <FleetSummary />
    </Page>
  );
}
