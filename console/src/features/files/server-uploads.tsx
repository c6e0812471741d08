import { CircleCheck, CircleDashed, CloudUpload, FileUp, Send, type LucideIcon } from 'lucide-react';
import { useState } from 'react';
import { toast } from 'sonner';
import { ChooseFiles } from '@/components/files/choose-files';
import { Badge } from '@/components/ui/badge';
import { Button } from '@/components/ui/button';
import { Card } from '@/components/ui/card';
import { CopyTextButton } from '@/components/ui/copy';
import { Progress } from '@/components/ui/progress';
import { RelativeTime } from '@/components/ui/relative-time';
import { EmptyState, LoadFailed, LoadingRows } from '@/components/ui/states';
import type { Tone } from '@/components/ui/tone';
import { DeleteDialog } from '@/components/delete-dialog';
import { $api } from '@/lib/api';
import { formatBytes } from '@/lib/bytes';
import { useRefresh, useServerUploads, useTokens } from '@/lib/queries';
import type { ServerUpload } from '@/lib/types';
import { inputFileLocal, uploadQueue, useUploads } from '@/lib/uploads';

const STATES: Record<
  ServerUpload['status'],
  { readonly word: string; readonly tone: Tone; readonly icon: LucideIcon; readonly explain: string }
> = {
  partial: { word: 'Not whole', tone: 'wait', icon: CircleDashed, explain: 'Some of its bytes are still missing.' },
  complete: { word: 'Ready to send', tone: 'ok', icon: CircleCheck, explain: 'A call can name it.' },
  in_use: { word: 'Being sent', tone: 'info', icon: Send, explain: 'It goes when the messages with it have arrived.' },
};

/** What the server has, also of programs and of this page before a reload. */
export function ServerUploads() {
  const uploads = useServerUploads();
  const here = new Set(useUploads().flatMap(({ id, state }) => (id === undefined || state === 'done' ? [] : [id])));
  const [asked, setAsked] = useState<ServerUpload>();
  const rows = uploads.data?.filter(({ upload_id }) => !here.has(upload_id)) ?? [];
  return (
    <Card
      title="On the server"
      description="Each serves for one call, and goes when its messages have arrived, or when nobody has touched it for a while."
      flush
    >
      {uploads.isPending ? (
        <LoadingRows what="uploads" rows={2} />
      ) : uploads.isLoadingError ? (
        <LoadFailed what="uploads" error={uploads.error} onRetry={uploads.refetch} />
      ) : rows.length === 0 ? (
        <EmptyState icon={CloudUpload} title="Nothing is kept at the moment">
          What you or a program upload waits here until a call sends it.
        </EmptyState>
      ) : (
        <ul aria-label="Uploads on the server" className="divide-y divide-line border-t border-line">
          {rows.map((upload) => (
            <ServerUploadRow key={upload.upload_id} upload={upload} onDelete={() => setAsked(upload)} />
          ))}
        </ul>
      )}
      {asked && <DeleteUploadDialog upload={asked} onClose={() => setAsked(undefined)} />}
    </Card>
  );
}

function ServerUploadRow({ upload, onDelete }: { upload: ServerUpload; onDelete: () => void }) {
  const { name, offset, length, path, status } = upload;
  const { word, tone, icon, explain } = STATES[status];
  const goOn = (file: File): void => {
    uploadQueue
      .goOnWith(upload.upload_id, file, name)
      .catch((thrown: unknown) => toast.error(thrown instanceof Error ? thrown.message : 'It cannot go on.'));
  };
  return (
    <li className="px-4 py-3.5 sm:px-5">
      <div className="flex flex-wrap items-center gap-x-4 gap-y-2">
        <div className="min-w-0 flex-1 basis-56">
          <p className="truncate text-sm font-semibold" title={name}>
            {name}
          </p>
          <p className="tabular flex flex-wrap gap-x-3 text-xs text-ink-2">
            <span>
              {status === 'partial' && length !== undefined
                ? `${formatBytes(offset)} of ${formatBytes(length)}`
                : formatBytes(offset)}
            </span>
            <Owner id={upload.owner} />
            <span>
              begun <RelativeTime at={upload.created_at} />
            </span>
            {upload.expires_at !== undefined && (
              <span>
                removed <RelativeTime at={upload.expires_at} />
              </span>
            )}
          </p>
        </div>
        <Badge tone={tone} icon={icon} title={explain}>
          {word}
        </Badge>
        <div className="flex items-center gap-1.5">
          {status === 'partial' && length !== undefined && (
            <ChooseFiles
              icon={FileUp}
              size="sm"
              label={`Choose ${name} and go on`}
              onChoose={([file]) => file && goOn(file)}
            >
              Choose it and go on
            </ChooseFiles>
          )}
          {status === 'complete' && path !== undefined && (
            <CopyTextButton size="sm" text={() => inputFileLocal(path)}>
              Copy for a call
            </CopyTextButton>
          )}
          <Button size="sm" aria-label={`Delete ${name}`} disabled={status === 'in_use'} onClick={onDelete}>
            Delete
          </Button>
        </div>
      </div>
      {status === 'partial' && length !== undefined && (
        <div className="mt-2.5">
          <Progress label={`Upload of ${name}`} value={offset} max={length} tone="wait" />
        </div>
      )}
    </li>
  );
}

function Owner({ id }: { id: string }) {
  const tokens = useTokens();
  if (id === 'master') return null;
  const token = tokens.data?.find((candidate) => candidate.id === id);
  return <span>of token {token?.name ?? token?.prefix ?? id.slice(0, 8)}</span>;
}

function DeleteUploadDialog({ upload, onClose }: { upload: ServerUpload; onClose: () => void }) {
  const refresh = useRefresh();
  const remove = $api.useMutation('delete', '/v1/files/{id}');
  return (
    <DeleteDialog
      thing="upload"
      name={upload.name}
      pending={remove.isPending}
      error={remove.error}
      onDelete={(onSuccess) => remove.mutate({ params: { path: { id: upload.upload_id } } }, { onSuccess })}
      onDeleted={() => void refresh.uploads()}
      onClose={onClose}
    >
      <p>What has arrived of it is removed from the server. Messages that were sent with it keep their file.</p>
    </DeleteDialog>
  );
}
