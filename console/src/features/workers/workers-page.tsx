'use client';

import { CircleCheck, LogOut, Server, ServerOff } from 'lucide-react';
import { toast } from 'sonner';
import { Badge } from '@/components/ui/badge';
import { Button } from '@/components/ui/button';
import { Card } from '@/components/ui/card';
import { CopyButton } from '@/components/ui/copy';
import { Page } from '@/components/ui/page';
import { RelativeTime } from '@/components/ui/relative-time';
import { EmptyState, LoadFailed, LoadingRows } from '@/components/ui/states';
import { $api } from '@/lib/api';
import { ApiError } from '@/lib/api-error';
import { formatBytes } from '@/lib/bytes';
import { useRefresh, useSessions, useWorkers } from '@/lib/queries';
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
    <li className="grid items-center gap-x-6 gap-y-3 px-4 py-4 sm:px-5 md:grid-cols-[minmax(0,2fr)_7rem_minmax(0,2fr)_10rem_7rem]">
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
        <WorkerBadge worker={worker} />
      </div>
      <div>
        <Load sessions={worker.sessions} capacity={worker.capacity} />
        <Moves worker={worker} />
      </div>
      <p className="text-xs text-ink-2 md:text-right">
        {worker.alive ? 'heard' : 'last heard'} <RelativeTime at={worker.last_seen_at} />
        <br />
        started <RelativeTime at={worker.started_at} />
        {worker.version !== '' && `, ${worker.version}`}
        {worker.alive && (
          <>
            <br />
            <span className="tabular">
              {formatBytes(worker.memory_bytes)}
              {worker.memory_limit > 0 && ` of ${formatBytes(worker.memory_limit)}`}, {Math.round(worker.load * 100)} %
              of a processor
            </span>
          </>
        )}
      </p>
      <div className="md:text-right">{worker.alive && <DrainButton worker={worker} />}</div>
    </li>
  );
}

function WorkerBadge({ worker: { alive, draining } }: { worker: Worker }) {
  if (!alive) {
    return (
      <Badge tone="bad" icon={ServerOff}>
        Dead
      </Badge>
    );
  }
  return draining ? (
    <Badge tone="wait" icon={LogOut} title="It hands its sessions over and takes no new ones">
      Draining
    </Badge>
  ) : (
    <Badge tone="ok" icon={CircleCheck}>
      Alive
    </Badge>
  );
}

/** What is on its way from or to the worker right now. */
function Moves({ worker: { id } }: { worker: Worker }) {
  const moving = (useSessions().data ?? []).filter(({ moving_to }) => moving_to !== undefined);
  const leaving = moving.filter(({ worker_id }) => worker_id === id).length;
  const coming = moving.filter(({ moving_to }) => moving_to === id).length;
  if (leaving === 0 && coming === 0) return null;
  const words = [leaving > 0 && `${leaving} leaving`, coming > 0 && `${coming} coming`].filter(
    (word) => word !== false,
  );
  return <p className="tabular mt-1 text-xs text-ink-2">{words.join(', ')}</p>;
}

function DrainButton({ worker: { id, draining } }: { worker: Worker }) {
  const refresh = useRefresh();
  const drain = $api.useMutation('post', '/v1/workers/{id}/drain');
  const undrain = $api.useMutation('post', '/v1/workers/{id}/undrain');
  const isPending = drain.isPending || undrain.isPending;
  const toggle = (): void =>
    (draining ? undrain : drain).mutate(
      { params: { path: { id } } },
      {
        onSuccess: () => {
          void refresh.workers();
          toast.success(draining ? `${id} takes sessions again.` : `${id} hands its sessions over.`);
        },
        onError: (thrown) => toast.error(`${id} was not changed. ${ApiError.from(thrown).message}`),
      },
    );
  return (
    <Button
      size="sm"
      tone="quiet"
      disabled={isPending}
      onClick={toggle}
      aria-label={draining ? `Undrain ${id}` : `Drain ${id}`}
      title={
        draining ? 'It takes sessions again' : 'It hands its sessions over to the others, so that it can be stopped'
      }
    >
      {draining ? 'Undrain' : 'Drain'}
    </Button>
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
