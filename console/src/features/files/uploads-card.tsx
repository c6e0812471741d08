import { Upload } from 'lucide-react';
import { useEffect, useState, type DragEvent } from 'react';
import { UploadRow } from '@/components/files/upload-row';
import { Button } from '@/components/ui/button';
import { Card } from '@/components/ui/card';
import { CopyTextButton } from '@/components/ui/copy';
import { cn } from '@/lib/cn';
import { useRefresh } from '@/lib/queries';
import { inputFileLocal, uploadQueue, useUploads } from '@/lib/uploads';

/** What this page uploads; files can be dropped on it. */
export function UploadsCard() {
  const uploads = useUploads();
  const refresh = useRefresh();
  const [over, setOver] = useState(false);
  const done = uploads.filter(({ state }) => state === 'done').length;
  useEffect(() => {
    if (done > 0) void refresh.uploads();
    // The server's list is out of date once, when one is whole.
    // oxlint-disable-next-line react/exhaustive-deps
  }, [done]);
  const drop = (event: DragEvent): void => {
    event.preventDefault();
    setOver(false);
    uploadQueue.add([...event.dataTransfer.files]);
  };
  return (
    <Card
      title="Uploads of this page"
      description="They go on while you walk through the console. After a reload, choose the file again and the rest is sent."
      flush
      aside={
        done > 0 ? (
          <Button size="sm" tone="quiet" onClick={() => uploadQueue.clearDone()}>
            Take the finished off the list
          </Button>
        ) : undefined
      }
    >
      {uploads.length > 0 && (
        <ul aria-label="Uploads of this page" className="divide-y divide-line border-t border-line">
          {uploads.map((item) => (
            <UploadRow key={item.key} item={item}>
              {item.path !== undefined && (
                <CopyTextButton size="sm" text={() => inputFileLocal(item.path ?? '')}>
                  Copy for a call
                </CopyTextButton>
              )}
            </UploadRow>
          ))}
        </ul>
      )}
      <div
        onDragOver={(event) => {
          event.preventDefault();
          setOver(true);
        }}
        onDragLeave={() => setOver(false)}
        onDrop={drop}
        className="border-t border-line p-4 sm:p-5"
      >
        <p
          className={cn(
            'flex items-center justify-center gap-2.5 rounded-lg border border-dashed border-line-strong px-4 py-6 text-sm text-ink-2',
            over && 'bg-accent-soft text-accent-ink',
          )}
        >
          <Upload aria-hidden className="size-4" />
          Drop files here.
        </p>
      </div>
    </Card>
  );
}
