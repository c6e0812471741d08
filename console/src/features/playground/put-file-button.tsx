import { FileUp, Paperclip, Upload } from 'lucide-react';
import { useState } from 'react';
import { ChooseFiles } from '@/components/files/choose-files';
import { UploadRow } from '@/components/files/upload-row';
import { Button } from '@/components/ui/button';
import { Dialog } from '@/components/ui/dialog';
import { RelativeTime } from '@/components/ui/relative-time';
import { LoadFailed, LoadingRows } from '@/components/ui/states';
import { formatBytes } from '@/lib/bytes';
import { useServerUploads } from '@/lib/queries';
import { uploadQueue, useUploads } from '@/lib/uploads';
import type { PutFile } from './td/put-file';

/** Lets somebody upload a file, or take one that is there, and puts it into the params. */
export function PutFileButton({ onPut }: { onPut: (file: PutFile) => void }) {
  const [open, setOpen] = useState(false);
  return (
    <>
      <Button onClick={() => setOpen(true)}>
        <Paperclip aria-hidden />
        Put in a file…
      </Button>
      {open && (
        <PutFileDialog
          onPut={(file) => {
            setOpen(false);
            onPut(file);
          }}
          onClose={() => setOpen(false)}
        />
      )}
    </>
  );
}

function PutFileDialog({ onPut, onClose }: { onPut: (file: PutFile) => void; onClose: () => void }) {
  const [keys, setKeys] = useState<readonly string[]>([]);
  const here = useUploads().filter(({ key }) => keys.includes(key));
  const server = useServerUploads();
  const ready = (server.data ?? []).flatMap((upload) =>
    upload.status === 'complete' && upload.path !== undefined ? [{ ...upload, path: upload.path }] : [],
  );
  return (
    <Dialog
      title="Put in a file"
      description="The call names the upload by its path. An upload serves for one call."
      onClose={onClose}
    >
      <div className="flex flex-col gap-4">
        <div>
          <ChooseFiles icon={Upload} tone="primary" onChoose={(files) => setKeys([...keys, ...uploadQueue.add(files)])}>
            Upload a file
          </ChooseFiles>
        </div>
        {here.length > 0 && (
          <ul aria-label="Uploading" className="divide-y divide-line rounded-lg border border-line">
            {here.map((item) => (
              <UploadRow key={item.key} item={item}>
                {item.path !== undefined && (
                  <Use name={item.file.name} onUse={() => onPut({ name: item.file.name, path: item.path ?? '' })} />
                )}
              </UploadRow>
            ))}
          </ul>
        )}
        <section aria-label="Ready to send">
          <h3 className="mb-2 text-sm font-medium">Ready to send</h3>
          {server.isPending ? (
            <LoadingRows what="uploads" rows={1} />
          ) : server.isLoadingError ? (
            <LoadFailed what="uploads" error={server.error} onRetry={server.refetch} />
          ) : ready.length === 0 ? (
            <p className="text-sm text-ink-2">No upload is whole and unused.</p>
          ) : (
            <ul className="divide-y divide-line rounded-lg border border-line">
              {ready.map((upload) => (
                <li key={upload.upload_id} className="flex items-center gap-3 px-3.5 py-2.5">
                  <div className="min-w-0 flex-1">
                    <p className="truncate text-sm font-medium" title={upload.name}>
                      {upload.name}
                    </p>
                    <p className="tabular text-xs text-ink-2">
                      {formatBytes(upload.offset)}, <RelativeTime at={upload.created_at} />
                    </p>
                  </div>
                  <Use name={upload.name} onUse={() => onPut(upload)} />
                </li>
              ))}
            </ul>
          )}
        </section>
      </div>
    </Dialog>
  );
}

function Use({ name, onUse }: { name: string; onUse: () => void }) {
  return (
    <Button size="sm" tone="primary" aria-label={`Use ${name}`} onClick={onUse}>
      <FileUp aria-hidden />
      Use it
    </Button>
  );
}
