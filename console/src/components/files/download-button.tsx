import { Download, RotateCw, X } from 'lucide-react';
import { Button } from '@/components/ui/button';
import { Progress } from '@/components/ui/progress';
import { ErrorNote } from '@/components/ui/states';
import { formatBytes } from '@/lib/bytes';
import { COLLECTED_BYTES, useDownload } from '@/lib/download';

interface DownloadButtonProps {
  href: string;
  name: string;
  /** In bytes; 0 when it is not known. */
  size: number;
}

/** Downloads a file with its progress in sight; a very large one is left to the browser, which writes it to the disk as it comes. */
export function DownloadButton({ href, name, size }: DownloadButtonProps) {
  const { state, start, cancel } = useDownload(href, name);
  if (size > COLLECTED_BYTES) {
    return (
      <Button asChild tone="primary">
        <a href={href} download={name} title="It goes straight to the downloads of the browser">
          <Download aria-hidden />
          Download
        </a>
      </Button>
    );
  }
  switch (state.is) {
    case 'running':
      return (
        <div className="flex flex-col gap-2">
          <Progress label={`Download of ${name}`} value={state.received} max={state.total ?? size} />
          <div className="flex items-center justify-between gap-3">
            <p role="status" className="tabular text-xs text-ink-2">
              {formatBytes(state.received)} {state.total !== undefined && `of ${formatBytes(state.total)}`}
            </p>
            <Button size="sm" onClick={cancel}>
              <X aria-hidden />
              Cancel
            </Button>
          </div>
        </div>
      );
    case 'failed':
      return (
        <div className="flex flex-col gap-3">
          <ErrorNote error={state.error} lead="It was not downloaded." />
          <Button onClick={start} className="self-start">
            <RotateCw aria-hidden />
            Try again
          </Button>
        </div>
      );
    case 'idle':
    case 'done':
      return (
        <div className="flex flex-wrap items-center gap-3">
          <Button tone="primary" onClick={start}>
            <Download aria-hidden />
            Download
          </Button>
          {state.is === 'done' && (
            <p role="status" className="text-xs text-ink-2">
              Downloaded.
            </p>
          )}
        </div>
      );
  }
}
