'use client';

import { Boxes, CirclePause, Pencil, Play, Plus, ShieldCheck, Trash2 } from 'lucide-react';
import Link from 'next/link';
import { useState } from 'react';
import { Button } from '@/components/ui/button';
import { Card } from '@/components/ui/card';
import { MenuItem, RowMenu } from '@/components/ui/menu';
import { Page } from '@/components/ui/page';
import { EmptyState, LoadFailed, LoadingRows } from '@/components/ui/states';
import { formatBytes } from '@/lib/bytes';
import { poolHref, useOverlays } from '@/lib/overlays';
import { usePools, usePoolStatus } from '@/lib/queries';
import type { Pool } from '@/lib/types';
import { PoolBadge } from './pool-badge';
import { DeletePoolDialog, EditPoolDialog } from './pool-dialogs';
import { usePoolActs } from './use-pool-acts';

/** The list asks each pool; a page of its own does it more often. */
const STATES_REFRESH_MS = 5_000;

type Act = 'edit' | 'delete';

/** Every pool of bots, and how it does. */
export function PoolsPage() {
  const pools = usePools();
  const { openCreate } = useOverlays();
  const [asked, setAsked] = useState<{ readonly what: Act; readonly pool: Pool }>();
  const close = (): void => setAsked(undefined);
  const make = (
    <Button tone="primary" onClick={() => openCreate('pool')}>
      <Plus aria-hidden />
      Make a pool
    </Button>
  );
  return (
    <Page
      title="Bot pools"
      description="Objects of any size in the messages of a chat, over many bots that send one at a time each."
      actions={make}
    >
      <Card flush>
        {pools.isPending ? (
          <LoadingRows what="pools" rows={2} />
        ) : pools.isLoadingError ? (
          <LoadFailed what="pools" error={pools.error} onRetry={pools.refetch} />
        ) : pools.data.length === 0 ? (
          <EmptyState icon={Boxes} title="No pools yet" action={make}>
            A pool keeps files of any size in a channel. Uploads go over all of its bots at once, and none of them sends
            faster than Telegram allows.
          </EmptyState>
        ) : (
          <ul className="divide-y divide-line">
            {pools.data.map((pool) => (
              <PoolRow key={pool.id} pool={pool} onAsk={(what) => setAsked({ what, pool })} />
            ))}
          </ul>
        )}
      </Card>
      {asked?.what === 'edit' && <EditPoolDialog pool={asked.pool} onClose={close} />}
      {asked?.what === 'delete' && <DeletePoolDialog pool={asked.pool} onClose={close} />}
    </Page>
  );
}

function PoolRow({ pool, onAsk }: { pool: Pool; onAsk: (what: Act) => void }) {
  const { togglePause, verify } = usePoolActs(pool);
  const status = usePoolStatus(pool.id, STATES_REFRESH_MS);
  const able = pool.bots.filter(({ state }) => state === 'active').length;
  return (
    <li className="flex items-center gap-4 px-4 py-3.5 sm:px-5">
      <span className="hidden size-8 shrink-0 place-items-center rounded-lg border border-line bg-sunken text-ink-2 sm:grid">
        <Boxes aria-hidden className="size-4" strokeWidth={1.75} />
      </span>
      <div className="min-w-0 flex-1">
        <p className="flex flex-wrap items-center gap-x-2.5 gap-y-1 text-sm font-semibold">
          <Link href={poolHref(pool)} className="min-w-0 truncate hover:text-accent-ink">
            {pool.name}
          </Link>
          <PoolBadge pool={pool} status={status.data} error={status.error} />
        </p>
        <p className="tabular mt-0.5 flex flex-wrap gap-x-3 text-xs text-ink-2">
          <span>
            {able === pool.bots.length ? able : `${able} of ${pool.bots.length}`}{' '}
            {pool.bots.length === 1 ? 'bot' : 'bots'}
          </span>
          <Link href={poolHref(pool, 'objects')} className="underline-offset-2 hover:underline">
            {pool.objects} {pool.objects === 1 ? 'object' : 'objects'}, {formatBytes(pool.bytes)}
          </Link>
          {status.data !== undefined && status.data.backlog.parts > 0 && (
            <span>
              {status.data.backlog.parts} {status.data.backlog.parts === 1 ? 'part waits' : 'parts wait'}
            </span>
          )}
        </p>
      </div>
      <RowMenu label={`Actions for ${pool.name}`}>
        <MenuItem icon={pool.paused ? Play : CirclePause} onSelect={togglePause}>
          {pool.paused ? 'Resume' : 'Pause'}
        </MenuItem>
        <MenuItem icon={ShieldCheck} onSelect={verify}>
          Verify the bots
        </MenuItem>
        <MenuItem icon={Pencil} onSelect={() => onAsk('edit')}>
          Edit
        </MenuItem>
        <MenuItem icon={Trash2} danger onSelect={() => onAsk('delete')}>
          Delete
        </MenuItem>
      </RowMenu>
    </li>
  );
}
