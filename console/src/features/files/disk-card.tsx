import Link from 'next/link';
import { KindMark, sessionName } from '@/components/session/name';
import { Card } from '@/components/ui/card';
import { LoadFailed, LoadingRows } from '@/components/ui/states';
import { formatBytes } from '@/lib/bytes';
import { cn } from '@/lib/cn';
import { sessionHref } from '@/lib/overlays';
import { useSessions, useStorage } from '@/lib/queries';
import type { Storage } from '@/lib/types';

/** So many sessions are listed at once; the largest come first. */
const SHOWN = 10;

/** What uploads and sessions take, and what is left of the disks. */
export function DiskCard() {
  const storage = useStorage();
  return (
    <Card title="Disk use" description="Of uploads, and of the sessions on each worker." flush>
      {storage.isPending ? (
        <LoadingRows what="disk use" rows={2} />
      ) : storage.isLoadingError ? (
        <LoadFailed what="disk use" error={storage.error} onRetry={storage.refetch} />
      ) : (
        <>
          <Uploads uploads={storage.data.uploads} />
          {storage.data.workers.map((worker) => (
            <WorkerDisk key={worker.worker_id} worker={worker} />
          ))}
        </>
      )}
    </Card>
  );
}

function Uploads({ uploads }: { uploads: Storage['uploads'] }) {
  return (
    <section
      aria-label="Uploads"
      className="grid gap-x-8 gap-y-4 border-t border-line px-4 py-4 sm:grid-cols-2 sm:px-5"
    >
      <Meter
        name="Uploads"
        value={uploads.bytes}
        max={uploads.quota_bytes}
        text={`${formatBytes(uploads.bytes)} of ${formatBytes(uploads.quota_bytes)} allowed`}
        detail={`${uploads.count === 1 ? '1 upload' : `${uploads.count} uploads`}; what is still to come counts as well`}
      />
      <Disk
        name="Disk of the uploads"
        free={uploads.free_bytes}
        total={uploads.total_bytes}
        detail={`uploads are refused below ${formatBytes(uploads.min_free_bytes)}`}
      />
    </section>
  );
}

function WorkerDisk({ worker }: { worker: Storage['workers'][number] }) {
  const known = useSessions();
  const sessions = worker.sessions ?? [];
  const rest = sessions.length - SHOWN;
  return (
    <section aria-label={`Worker ${worker.worker_id}`} className="border-t border-line px-4 py-4 sm:px-5">
      <h3 className="text-sm font-semibold">Worker {worker.worker_id}</h3>
      {worker.error !== undefined && <p className="mt-1 text-sm text-bad">It did not tell: {worker.error}</p>}
      {worker.free_bytes !== undefined && worker.total_bytes !== undefined && (
        <div className="mt-3 max-w-xl">
          <Disk name={`Disk of ${worker.worker_id}`} free={worker.free_bytes} total={worker.total_bytes} />
        </div>
      )}
      {sessions.length > 0 && (
        <ul aria-label={`Sessions of ${worker.worker_id} by disk use`} className="mt-3 divide-y divide-line">
          {sessions.slice(0, SHOWN).map((session) => {
            const summary = known.data?.find(({ id }) => id === session.session_id);
            return (
              <li key={session.session_id} className="flex items-center gap-3 py-2.5">
                <KindMark kind={session.kind} />
                <Link
                  href={sessionHref({ id: session.session_id }, 'files')}
                  className="min-w-0 flex-1 truncate text-sm font-medium hover:underline"
                >
                  {summary ? sessionName(summary) : session.session_id.slice(0, 8)}
                </Link>
                <p className="tabular text-right text-xs text-ink-2">
                  <span className="block text-sm font-medium text-ink">
                    {formatBytes(session.files.bytes + session.database_bytes)}
                  </span>
                  {session.files.count === 1 ? '1 file' : `${session.files.count} files`}, database{' '}
                  {formatBytes(session.database_bytes)}
                </p>
              </li>
            );
          })}
        </ul>
      )}
      {rest > 0 && <p className="mt-2 text-xs text-ink-2">and {rest} smaller ones</p>}
    </section>
  );
}

function Disk({ name, free, total, detail }: { name: string; free: number; total: number; detail?: string }) {
  return (
    <Meter
      name={name}
      value={total - free}
      max={total}
      text={`${formatBytes(free)} of ${formatBytes(total)} free`}
      detail={detail}
    />
  );
}

interface MeterProps {
  name: string;
  value: number;
  max: number;
  text: string;
  detail?: string | undefined;
}

function Meter({ name, value, max, text, detail }: MeterProps) {
  const share = max === 0 ? 0 : Math.min(1, value / max);
  return (
    <div>
      <p className="flex flex-wrap justify-between gap-x-3 text-sm">
        <span className="text-ink-2">{name}</span>
        <span className="tabular">{text}</span>
      </p>
      <div
        role="meter"
        aria-label={name}
        aria-valuemin={0}
        aria-valuemax={100}
        aria-valuenow={Math.round(share * 100)}
        className="mt-1.5 h-1.5 overflow-hidden rounded-full bg-sunken"
      >
        <div
          className={cn('h-full', share > 0.95 ? 'bg-bad-fill' : share > 0.85 ? 'bg-wait-fill' : 'bg-accent')}
          style={{ width: `${share * 100}%` }}
        />
      </div>
      {detail !== undefined && <p className="mt-1 text-xs text-ink-2">{detail}</p>}
    </div>
  );
}
