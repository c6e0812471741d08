import {
  CircleCheck,
  CircleX,
  Clock,
  CloudUpload,
  FileWarning,
  RotateCw,
  Upload,
  X,
  type LucideIcon,
} from 'lucide-react';
import { useEffect } from 'react';
import { Badge } from '@/components/ui/badge';
import { Button } from '@/components/ui/button';
import { Card } from '@/components/ui/card';
import { Progress } from '@/components/ui/progress';
import { ErrorNote } from '@/components/ui/states';
import type { Tone } from '@/components/ui/tone';
import { formatBytes } from '@/lib/bytes';
import { objectQueue, useObjectUploads, type ObjectUpload, type ObjectUploadState } from '@/lib/object-uploads';
import { useRefresh } from '@/lib/queries';
import type { Pool } from '@/lib/types';
import { visible } from './object-name';

const STATES: Record<ObjectUploadState, { readonly word: string; readonly tone: Tone; readonly icon: LucideIcon }> = {
  waiting: { word: 'Waiting', tone: 'idle', icon: Clock },
  sending: { word: 'Uploading', tone: 'info', icon: Upload },
  storing: { word: 'Storing in Telegram', tone: 'info', icon: CloudUpload },
  done: { word: 'Stored', tone: 'ok', icon: CircleCheck },
  taken: { word: 'There is one already', tone: 'wait', icon: FileWarning },
  failed: { word: 'Failed', tone: 'bad', icon: CircleX },
};

/** What this page uploads into a pool; nothing while it does not. */
export function ObjectUploads({ pool }: { pool: Pool }) {
  const uploads = useObjectUploads().filter(({ poolId }) => poolId === pool.id);
  const refresh = useRefresh();
  const done = uploads.filter(({ state }) => state === 'done').length;
  useEffect(() => {
    if (done > 0) void refresh.objects();
    // The list is out of date once, when one is stored.
    // oxlint-disable-next-line react/exhaustive-deps
  }, [done]);
  if (uploads.length === 0) return null;
  return (
    <Card
      title="Uploads of this page"
      description="They go on while you walk through the console, but not after a reload."
      flush
    >
      <ul aria-label="Uploads of this page" className="divide-y divide-line border-t border-line">
        {uploads.map((upload) => (
          <UploadRow key={upload.id} upload={upload} />
        ))}
      </ul>
    </Card>
  );
}

function UploadRow({ upload: { id, key, file, state, sent, error } }: { upload: ObjectUpload }) {
  const { word, tone, icon } = STATES[state];
  const isOnItsWay = state === 'sending' || state === 'storing';
  return (
    <li className="px-4 py-3 sm:px-5">
      <div className="flex flex-wrap items-center gap-x-4 gap-y-2">
        <div className="min-w-0 flex-1 basis-56">
          <p className="text-sm font-semibold break-all">{visible(key)}</p>
          <p className="tabular text-xs text-ink-2">
            {state === 'sending' ? `${formatBytes(sent)} of ${formatBytes(file.size)}` : formatBytes(file.size)}
          </p>
        </div>
        <Badge tone={tone} icon={icon}>
          {word}
        </Badge>
        <div className="flex items-center gap-1.5">
          {state === 'taken' && (
            <Button size="sm" aria-label={`Replace ${key}`} onClick={() => objectQueue.retry(id, true)}>
              Replace it
            </Button>
          )}
          {state === 'failed' && (
            <Button size="sm" aria-label={`Send ${key} again`} onClick={() => objectQueue.retry(id)}>
              <RotateCw aria-hidden />
              Try again
            </Button>
          )}
          <Button
            size="icon-sm"
            tone="quiet"
            aria-label={isOnItsWay ? `Cancel ${key}` : `Take ${key} off the list`}
            onClick={() => objectQueue.remove(id)}
          >
            <X aria-hidden />
          </Button>
        </div>
      </div>
      {isOnItsWay && (
        <div className="mt-2.5">
          <Progress label={`Upload of ${key}`} value={sent} max={file.size} />
        </div>
      )}
      <ErrorNote className="mt-2.5" error={error} lead="It was not stored." />
    </li>
  );
}
