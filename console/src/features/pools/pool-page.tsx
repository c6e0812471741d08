'use client';

import {
  ArrowLeft,
  Bot,
  Boxes,
  CirclePause,
  Files,
  FolderOpen,
  Hammer,
  Pencil,
  Play,
  SearchX,
  Trash2,
  WandSparkles,
} from 'lucide-react';
import Link from 'next/link';
import { useRouter } from 'next/navigation';
import { Suspense, useState } from 'react';
import { Button } from '@/components/ui/button';
import { Card } from '@/components/ui/card';
import { CopyButton } from '@/components/ui/copy';
import { LinkTabs } from '@/components/ui/link-tabs';
import { MenuItem, RowMenu } from '@/components/ui/menu';
import { EmptyState, ErrorNote, LoadFailed, LoadingRows } from '@/components/ui/states';
import { poolHref, type PoolTab } from '@/lib/overlays';
import { usePools, usePoolStatus } from '@/lib/queries';
import type { Pool } from '@/lib/types';
import { useUrlState } from '@/lib/url-state';
import { BotsCard } from './bots-card';
import { FactsCard } from './facts-card';
import { JobsTab } from './jobs-tab';
import { ObjectsTab } from './objects-tab';
import { PoolBadge } from './pool-badge';
import { AddChatDialog, DeletePoolDialog, EditPoolDialog } from './pool-dialogs';
import { ThroughputCard } from './throughput-card';
import { useFlows } from './use-flows';
import { usePoolActs } from './use-pool-acts';

/** One pool, found by the id in the address. */
export function PoolPage() {
  return (
    <Suspense>
      <FoundPool />
    </Suspense>
  );
}

function FoundPool() {
  const id = useUrlState().get('id');
  const pools = usePools();
  const pool = pools.data?.find((candidate) => candidate.id === id);
  if (pool) return <PoolView key={pool.id} pool={pool} />;
  return (
    <Card flush>
      {pools.isPending ? (
        <LoadingRows what="pool" rows={3} />
      ) : pools.isLoadingError ? (
        <LoadFailed what="pool" error={pools.error} onRetry={pools.refetch} />
      ) : (
        <EmptyState
          icon={SearchX}
          title="There is no such pool"
          action={
            <Button asChild tone="primary">
              <Link href="/pools/">All pools</Link>
            </Button>
          }
        >
          It was removed, or the address is not complete.
        </EmptyState>
      )}
    </Card>
  );
}

function tabOf(given: string | null): PoolTab {
  return given === 'objects' || given === 'jobs' ? given : 'bots';
}

type Act = 'edit' | 'chat' | 'delete';

function PoolView({ pool }: { pool: Pool }) {
  const router = useRouter();
  const status = usePoolStatus(pool.id);
  const flows = useFlows(status.data, status.dataUpdatedAt);
  const acts = usePoolActs(pool);
  const tab = tabOf(useUrlState().get('tab'));
  const [asked, setAsked] = useState<Act>();
  const close = (): void => setAsked(undefined);
  const live = status.isError ? undefined : status.data;
  return (
    <div className="mx-auto flex w-full max-w-6xl flex-col gap-5">
      <header>
        <Link
          href="/pools/"
          className="inline-flex items-center gap-1.5 rounded text-xs font-medium text-ink-2 hover:text-ink"
        >
          <ArrowLeft aria-hidden className="size-3.5" />
          Bot pools
        </Link>
        <div className="mt-3 flex flex-wrap items-center gap-x-4 gap-y-3">
          <span className="grid size-11 shrink-0 place-items-center rounded-lg border border-line bg-sunken text-ink-2">
            <Boxes aria-hidden className="size-5" strokeWidth={1.75} />
          </span>
          <div className="min-w-0 flex-1 basis-52">
            <h1 className="truncate text-xl font-semibold tracking-[-0.015em]">{pool.name}</h1>
            <p className="flex items-center gap-0.5 text-xs">
              <code className="min-w-0 truncate font-mono text-ink-3">{pool.id}</code>
              <CopyButton text={pool.id} what="pool id" />
            </p>
          </div>
          <PoolBadge pool={pool} status={live} error={status.error} />
          <Button pending={acts.isPausing} onClick={acts.togglePause}>
            {!acts.isPausing && (pool.paused ? <Play aria-hidden /> : <CirclePause aria-hidden />)}
            {pool.paused ? 'Resume' : 'Pause'}
          </Button>
          <RowMenu label={`Actions for ${pool.name}`}>
            <MenuItem icon={Pencil} onSelect={() => setAsked('edit')}>
              Edit
            </MenuItem>
            <MenuItem icon={FolderOpen} onSelect={() => setAsked('chat')}>
              Store in another chat
            </MenuItem>
            <MenuItem icon={WandSparkles} onSelect={acts.collect}>
              Collect what is left over
            </MenuItem>
            <MenuItem icon={Trash2} danger onSelect={() => setAsked('delete')}>
              Delete
            </MenuItem>
          </RowMenu>
        </div>
      </header>
      {status.isError && (
        <ErrorNote
          error={status.error}
          lead="The worker that runs the pool could not be asked; what you see is the registry’s last word."
        />
      )}
      <LinkTabs
        label="Parts of the pool"
        tabs={[
          { href: poolHref(pool), name: 'Bots', icon: Bot, isCurrent: tab === 'bots' },
          { href: poolHref(pool, 'objects'), name: 'Objects', icon: Files, isCurrent: tab === 'objects' },
          { href: poolHref(pool, 'jobs'), name: 'Jobs', icon: Hammer, isCurrent: tab === 'jobs' },
        ]}
      />
      {tab === 'objects' ? (
        <ObjectsTab pool={pool} />
      ) : tab === 'jobs' ? (
        <JobsTab pool={pool} />
      ) : (
        <div className="grid grid-cols-[minmax(0,1fr)] items-start gap-5 lg:grid-cols-[minmax(0,5fr)_minmax(0,3fr)]">
          <BotsCard pool={pool} live={live?.bots} isVerifying={acts.isVerifying} onVerify={acts.verify} />
          <div className="flex min-w-0 flex-col gap-5">
            <ThroughputCard flows={flows} />
            <FactsCard pool={pool} backlog={live?.backlog} />
          </div>
        </div>
      )}
      {asked === 'edit' && <EditPoolDialog pool={pool} onClose={close} />}
      {asked === 'chat' && <AddChatDialog pool={pool} onClose={close} />}
      {asked === 'delete' && <DeletePoolDialog pool={pool} onClose={close} onDeleted={() => router.push('/pools/')} />}
    </div>
  );
}
