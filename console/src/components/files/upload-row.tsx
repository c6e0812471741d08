import {
  CircleCheck,
  CirclePause,
  CircleX,
  Clock,
  Pause,
  Play,
  RotateCw,
  ShieldCheck,
  ShieldOff,
  Upload,
  WifiOff,
  X,
  type LucideIcon,
} from 'lucide-react';
import type { ReactNode } from 'react';
import { toast } from 'sonner';
import { Badge } from '@/components/ui/badge';
import { Button } from '@/components/ui/button';
import { Progress } from '@/components/ui/progress';
import type { Tone } from '@/components/ui/tone';
import { ApiError } from '@/lib/api-error';
import { formatBytes } from '@/lib/bytes';
import { useNow } from '@/lib/clock';
import { useRefresh } from '@/lib/queries';
import { formatCountdown } from '@/lib/time';
import { uploadQueue, type UploadItem, type UploadState } from '@/lib/uploads';

const STATES: Record<UploadState, { readonly word: string; readonly tone: Tone; readonly icon: LucideIcon }> = {
  waiting: { word: 'Waiting', tone: 'idle', icon: Clock },
  sending: { word: 'Uploading', tone: 'info', icon: Upload },
  paused: { word: 'Paused', tone: 'wait', icon: CirclePause },
  cut: { word: 'Cut off', tone: 'wait', icon: WifiOff },
  done: { word: 'Uploaded', tone: 'ok', icon: CircleCheck },
  failed: { word: 'Failed', tone: 'bad', icon: CircleX },
};

/** One upload of this page: how far it is, what keeps it, and what can be done about it. */
export function UploadRow({ item, children }: { item: UploadItem; children?: ReactNode }) {
  const { word, tone, icon } = STATES[item.state];
  const { file, state } = item;
  const refresh = useRefresh();
  const cancel = (): void => {
    uploadQueue
      .cancel(item.key)
      .then(() => refresh.uploads())
      .catch((thrown: unknown) => toast.error(`The server still has it. ${ApiError.from(thrown).message}`));
  };
  return (
    <li className="px-4 py-3.5 sm:px-5">
      <div className="flex flex-wrap items-center gap-x-4 gap-y-2">
        <div className="min-w-0 flex-1 basis-56">
          <p className="truncate text-sm font-semibold" title={file.name}>
            {file.name}
          </p>
          <p className="tabular flex flex-wrap gap-x-3 text-xs text-ink-2">
            <span>
              {state === 'done' ? formatBytes(file.size) : `${formatBytes(item.sent)} of ${formatBytes(file.size)}`}
            </span>
            {state === 'sending' && <Speed item={item} />}
            {state === 'cut' && item.retryAt !== undefined && <NextTry at={item.retryAt} />}
            <Checked item={item} />
          </p>
        </div>
        <Badge tone={tone} icon={icon}>
          {word}
        </Badge>
        <div className="flex items-center gap-1.5">
          {(state === 'sending' || state === 'waiting') && (
            <Button size="sm" aria-label={`Pause ${file.name}`} onClick={() => uploadQueue.pause(item.key)}>
              <Pause aria-hidden />
              Pause
            </Button>
          )}
          {state === 'paused' && (
            <Button size="sm" aria-label={`Resume ${file.name}`} onClick={() => uploadQueue.resume(item.key)}>
              <Play aria-hidden />
              Resume
            </Button>
          )}
          {(state === 'cut' || (state === 'failed' && file.size > 0)) && (
            <Button size="sm" aria-label={`Try ${file.name} again`} onClick={() => uploadQueue.resume(item.key)}>
              <RotateCw aria-hidden />
              Try now
            </Button>
          )}
          {children}
          <Button
            size="icon-sm"
            tone="quiet"
            aria-label={state === 'done' ? `Take ${file.name} off the list` : `Cancel ${file.name}`}
            title={
              state === 'done' ? 'Take it off the list; the server keeps it' : 'Cancel, and remove what has arrived'
            }
            onClick={cancel}
          >
            <X aria-hidden />
          </Button>
        </div>
      </div>
      {state !== 'done' && state !== 'failed' && (
        <div className="mt-2.5">
          <Progress
            label={`Upload of ${file.name}`}
            value={item.sent}
            max={file.size}
            tone={state === 'cut' || state === 'paused' ? 'wait' : 'info'}
          />
        </div>
      )}
      {item.problem !== undefined && (
        <p role="status" className={state === 'failed' ? 'mt-2 text-xs text-bad' : 'mt-2 text-xs text-ink-2'}>
          {item.problem}
          {state === 'cut' && ' What has arrived is kept; the upload goes on by itself.'}
        </p>
      )}
    </li>
  );
}

function Speed({ item: { bytesPerSecond, file, sent } }: { item: UploadItem }) {
  if (bytesPerSecond === undefined || bytesPerSecond <= 0) return null;
  return (
    <span>
      {formatBytes(bytesPerSecond)}/s, {formatCountdown((file.size - sent) / bytesPerSecond)} left
    </span>
  );
}

function NextTry({ at }: { at: number }) {
  const now = useNow();
  const seconds = Math.ceil((at - now) / 1_000);
  return <span>next try {seconds > 0 ? `in ${seconds} s` : 'now'}</span>;
}

/** What is known about the bytes that arrived. */
function Checked({ item: { isChecked, sent } }: { item: UploadItem }) {
  if (sent === 0) return null;
  const Icon = isChecked ? ShieldCheck : ShieldOff;
  return (
    <span
      className="inline-flex items-center gap-1"
      title={
        isChecked
          ? 'Each part goes with its SHA-256, and the server takes none that does not match.'
          : 'Browsers make checksums only on pages that came over HTTPS or from this machine.'
      }
    >
      <Icon aria-hidden className="size-3.5" />
      {isChecked ? 'SHA-256 checked' : 'no checksum over plain HTTP'}
    </span>
  );
}
