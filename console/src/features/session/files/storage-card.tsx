import { Eraser } from 'lucide-react';
import { useState } from 'react';
import { toast } from 'sonner';
import { Button } from '@/components/ui/button';
import { Card } from '@/components/ui/card';
import { ConfirmCancel, ConfirmDialog } from '@/components/ui/dialog';
import { ErrorNote } from '@/components/ui/states';
import { $api } from '@/lib/api';
import { formatBytes } from '@/lib/bytes';
import { useRefresh, useSessionStorage } from '@/lib/queries';
import type { SessionSummary } from '@/lib/types';

/** What the session takes on the disk of its worker, and the way to make it less. */
export function StorageCard({ session }: { session: SessionSummary }) {
  const ready = session.status === 'authorized';
  const [byType, setByType] = useState(false);
  const [asked, setAsked] = useState(false);
  const storage = useSessionStorage(session, { byType, isEnabled: ready });
  const { data } = storage;
  return (
    <Card title="Disk use" description="Of this session, at its worker.">
      {!ready ? (
        <p className="text-sm text-ink-2">It is told once the session is ready.</p>
      ) : storage.isPending ? (
        <p role="status" className="text-sm text-ink-2">
          Counting…
        </p>
      ) : storage.isLoadingError ? (
        <ErrorNote error={storage.error} lead="It could not be told." />
      ) : (
        data && (
          <>
            <dl className="flex flex-col gap-2.5 text-sm">
              <Line name="Files from Telegram" bytes={data.files.bytes} detail={filesText(data.files.count)} />
              <Line name="Databases" bytes={data.database_bytes} />
              <Line name="Uploads in use" bytes={data.uploads.bytes} detail={filesText(data.uploads.count)} />
            </dl>
            {data.by_type && data.by_type.length > 0 && (
              <table className="mt-3 w-full border-t border-line text-xs">
                <caption className="sr-only">Files from Telegram by kind</caption>
                <thead className="sr-only">
                  <tr>
                    <th>Kind</th>
                    <th>Files</th>
                    <th>Size</th>
                  </tr>
                </thead>
                <tbody>
                  {data.by_type.map(({ type, count, bytes }) => (
                    <tr key={type}>
                      <th scope="row" className="py-1.5 text-left font-medium">
                        {type}
                      </th>
                      <td className="tabular py-1.5 text-right text-ink-2">{filesText(count)}</td>
                      <td className="tabular w-24 py-1.5 text-right">{formatBytes(bytes)}</td>
                    </tr>
                  ))}
                </tbody>
              </table>
            )}
            <div className="mt-4 flex flex-wrap gap-2">
              {!byType && (
                <Button size="sm" onClick={() => setByType(true)}>
                  Count by kind
                </Button>
              )}
              <Button size="sm" disabled={data.files.count === 0} onClick={() => setAsked(true)}>
                <Eraser aria-hidden />
                Free space…
              </Button>
            </div>
          </>
        )
      )}
      {asked && <FreeDialog session={session} onClose={() => setAsked(false)} />}
    </Card>
  );
}

const filesText = (count: number): string => (count === 1 ? '1 file' : `${count} files`);

function Line({ name, bytes, detail }: { name: string; bytes: number; detail?: string }) {
  return (
    <div className="flex items-baseline justify-between gap-4">
      <dt className="text-ink-2">{name}</dt>
      <dd className="tabular text-right font-medium">
        {detail !== undefined && <span className="mr-2.5 text-xs font-normal text-ink-2">{detail}</span>}
        {formatBytes(bytes)}
      </dd>
    </div>
  );
}

function FreeDialog({ session, onClose }: { session: SessionSummary; onClose: () => void }) {
  const refresh = useRefresh();
  const optimize = $api.useMutation('post', '/v1/{kind}/{id}/storage/optimize');
  return (
    <ConfirmDialog
      title="Remove this session’s files from the disk?"
      onClose={onClose}
      actions={
        <>
          <ConfirmCancel asChild>
            <Button>Keep them</Button>
          </ConfirmCancel>
          <Button
            tone="danger"
            pending={optimize.isPending}
            onClick={() =>
              optimize.mutate(
                { params: { path: { kind: session.kind, id: session.id } }, body: { size: 0, ttl: 0, count: 0 } },
                {
                  onSuccess: ({ result }) => {
                    void refresh.storage();
                    toast.success(
                      `${filesText(result.removed.count)} removed, ${formatBytes(result.removed.bytes)} freed.`,
                    );
                    onClose();
                  },
                },
              )
            }
          >
            Remove files
          </Button>
        </>
      }
    >
      <p>
        Only the copies on this disk go. Telegram keeps the files, and they are fetched again when somebody asks for
        them. What is being downloaded, and what was used in the last minute, stays.
      </p>
      <ErrorNote error={optimize.error} lead="Nothing was removed." />
    </ConfirmDialog>
  );
}
