'use client';

import { CircleCheck, Server, ServerOff } from 'lucide-react';
import { Badge } from '@/components/ui/badge';
import { Card } from '@/components/ui/card';
import { CopyButton } from '@/components/ui/copy';
import { Page } from '@/components/ui/page';
import { RelativeTime } from '@/components/ui/relative-time';
import { EmptyState, LoadFailed, LoadingRows } from '@/components/ui/states';
import { useWorkers } from '@/lib/queries';
import type { Worker } from '@/lib/types';

/** The processes that hold the sessions: which are alive, and how full they are. */
export function WorkersPage() {
  const workers = useWorkers();
  return (
    <Page
      title="Workers"
      description="Processes that hold sessions. When one dies, the others take its sessions over within seconds."
    >
      <Card flush>
        {workers.isPending ? (
          <LoadingRows what="workers" rows={2} />
        ) : workers.isLoadingError ? (
          <LoadFailed what="workers" error={workers.error} onRetry={workers.refetch} />
        ) : workers.data.length === 0 ? (
          <EmptyState icon={ServerOff} title="No worker has reported">
            Sessions run in worker processes. Start one with <code className="font-mono">ROLE=worker</code>, or the
            whole product in one process with <code className="font-mono">ROLE=all</code>.
          </EmptyState>
        ) : (
          <ul className="divide-y divide-line">
            {workers.data.map((worker) => (
              <WorkerRow key={worker.id} worker={worker} />
            ))}
          </ul>
        )}
      </Card>
    </Page>
  );
}

function WorkerRow({ worker }: { worker: Worker }) {
  return (
    <li className="grid items-center gap-x-6 gap-y-3 px-4 py-4 sm:px-5 md:grid-cols-[minmax(0,2fr)_7rem_minmax(0,2fr)_9rem]">
      <div className="flex min-w-0 items-center gap-3">
        <span className="grid size-8 shrink-0 place-items-center rounded-lg border border-line bg-sunken text-ink-2">
          <Server aria-hidden className="size-4" strokeWidth={1.75} />
        </span>
        <div className="min-w-0">
          <p className="flex items-center gap-1 text-sm font-semibold">
            <span className="truncate">{worker.id}</span>
            <CopyButton text={worker.id} what="worker id" />
          </p>
          <p className="truncate font-mono text-xs text-ink-2">{worker.addr}</p>
        </div>
      </div>
      <div>
        {worker.alive ? (
          <Badge tone="ok" icon={CircleCheck}>
            Alive
          </Badge>
        ) : (
          <Badge tone="bad" icon={ServerOff}>
            Dead
          </Badge>
        )}
      </div>
      <Load sessions={worker.sessions} capacity={worker.capacity} />
      <p className="text-xs text-ink-2 md:text-right">
        {worker.alive ? 'heard' : 'last heard'} <RelativeTime at={worker.last_seen_at} />
        <br />
        started <RelativeTime at={worker.started_at} />
      </p>
    </li>
  );
}

function Load({ sessions, capacity }: { sessions: number; capacity: number }) {
  const text = `${sessions} ${sessions === 1 ? 'session' : 'sessions'}`;
  if (capacity === 0) return <p className="tabular text-sm">{text}</p>;
  const share = Math.min(1, sessions / capacity);
  return (
    <div>
      <p className="tabular text-sm">
        {text} <span className="text-ink-2">of {capacity}</span>
      </p>
      <div
        role="meter"
        aria-label="Load"
        aria-valuemin={0}
        aria-valuemax={capacity}
        aria-valuenow={sessions}
        className="mt-1.5 h-1.5 overflow-hidden rounded-full bg-sunken"
      >
        <div
          className={share > 0.9 ? 'h-full bg-bad-fill' : share > 0.75 ? 'h-full bg-wait-fill' : 'h-full bg-accent'}
          style={{ width: `${share * 100}%` }}
        />
      </div>
    </div>
  );
}
