import { useState } from 'react';
import { DownloadButton } from '@/components/files/download-button';
import { NumberId } from '@/components/sends/send-parts';
import { CopyableId } from '@/components/ui/copy';
import { Dialog } from '@/components/ui/dialog';
import { formatBytes } from '@/lib/bytes';
import type { MediaKind } from '@/lib/message-file';
import { formatAbsolute, formatCountdown } from '@/lib/time';

/** What the viewer is told of a file. */
export interface ViewedFile {
  readonly href: string;
  readonly name: string;
  readonly media: MediaKind;
  readonly size: number;
  readonly mimeType?: string | undefined;
  readonly fileId?: number | undefined;
  readonly remoteId?: string | undefined;
  readonly chatId?: number | undefined;
  readonly messageId?: number | undefined;
  readonly date?: Date | undefined;
  readonly durationSeconds?: number | undefined;
}

/** A file, shown or played where the browser can, with what names it and its download. */
export function FileViewer({ file, onClose }: { file: ViewedFile; onClose: () => void }) {
  return (
    <Dialog
      title={file.name}
      description={[
        file.size > 0 ? formatBytes(file.size) : undefined,
        file.durationSeconds === undefined ? undefined : formatCountdown(file.durationSeconds),
        file.mimeType,
      ]
        .filter((part) => part !== undefined)
        .join(' · ')}
      onClose={onClose}
      keepOnOutsideClick={false}
      className="sm:max-w-2xl"
    >
      <div className="flex flex-col gap-4">
        <Shown file={file} />
        <dl className="grid grid-cols-[auto_minmax(0,1fr)] items-center gap-x-4 gap-y-1.5 text-xs">
          {file.date && (
            <>
              <dt className="text-ink-2">Sent</dt>
              <dd>{formatAbsolute(file.date)}</dd>
            </>
          )}
          {file.chatId !== undefined && file.messageId !== undefined && (
            <>
              <dt className="text-ink-2">Message</dt>
              <dd className="flex flex-wrap items-center gap-x-2">
                <NumberId id={file.messageId} what="message id" /> in chat <NumberId id={file.chatId} what="chat id" />
              </dd>
            </>
          )}
          {file.fileId !== undefined && (
            <>
              <dt className="text-ink-2">File id</dt>
              <dd>
                <NumberId id={file.fileId} what="file id" />
              </dd>
            </>
          )}
          {file.remoteId !== undefined && (
            <>
              <dt className="text-ink-2">Remote id</dt>
              <dd>
                <CopyableId id={file.remoteId} what="remote id" shown={24} />
              </dd>
            </>
          )}
        </dl>
        <DownloadButton href={file.href} name={file.name} size={file.size} />
      </div>
    </Dialog>
  );
}

/** The browser asks for the parts that it plays, by Range, so that nothing else leaves Telegram. */
function Shown({ file }: { file: ViewedFile }) {
  const [isBroken, setIsBroken] = useState(false);
  const fail = (): void => setIsBroken(true);
  if (file.media === 'other') return null;
  if (isBroken) {
    return (
      <p role="alert" className="rounded-lg bg-sunken px-3.5 py-3 text-sm text-ink-2">
        The browser cannot show this file. It can still be downloaded; that tells what is wrong, if something is.
      </p>
    );
  }
  switch (file.media) {
    case 'image':
      return (
        <img
          src={file.href}
          alt={file.name}
          onError={fail}
          className="max-h-[50dvh] w-full rounded-lg bg-sunken object-contain"
        />
      );
    case 'video':
      return (
        // What people send has no captions.
        <video
          controls
          preload="metadata"
          src={file.href}
          aria-label={file.name}
          onError={fail}
          className="max-h-[50dvh] w-full rounded-lg bg-sunken"
        />
      );
    case 'audio':
      return (
        <audio controls preload="metadata" src={file.href} aria-label={file.name} onError={fail} className="w-full" />
      );
  }
}
