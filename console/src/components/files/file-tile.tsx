import { File, FileAudio, FileVideo, Image as ImageIcon, Play, type LucideIcon } from 'lucide-react';
import { useState } from 'react';
import { RelativeTime } from '@/components/ui/relative-time';
import { formatBytes } from '@/lib/bytes';
import { fileHref, type MediaKind, type MessageFile } from '@/lib/message-file';
import type { SessionRef } from '@/lib/td';

const ICONS: Record<MediaKind, LucideIcon> = { image: ImageIcon, video: FileVideo, audio: FileAudio, other: File };

/** A file as a tile that opens it: its picture where there is one. */
export function FileTile({ session, file, onOpen }: { session: SessionRef; file: MessageFile; onOpen: () => void }) {
  const [isBroken, setIsBroken] = useState(false);
  const Icon = ICONS[file.media];
  const picture = file.previewId === undefined || isBroken ? undefined : fileHref(session, file.previewId, file);
  return (
    <button
      type="button"
      onClick={onOpen}
      className="group flex w-full flex-col overflow-hidden rounded-lg border border-line bg-surface text-left hover:border-line-strong"
    >
      <span
        className="relative grid aspect-[4/3] w-full place-items-center overflow-hidden bg-sunken bg-cover bg-center text-ink-3"
        style={file.blur === undefined ? undefined : { backgroundImage: `url("${file.blur}")` }}
      >
        {picture !== undefined ? (
          // A plain img: the address is an API route, which Next's loader has no business with.
          <img
            src={picture}
            alt=""
            loading="lazy"
            decoding="async"
            onError={() => setIsBroken(true)}
            className="absolute inset-0 size-full object-cover"
          />
        ) : (
          file.blur === undefined && <Icon aria-hidden className="size-7" strokeWidth={1.5} />
        )}
        {file.media === 'video' && (
          <span className="absolute grid size-9 place-items-center rounded-full bg-shade text-white">
            <Play aria-hidden className="size-4" fill="currentColor" />
          </span>
        )}
      </span>
      <span className="flex min-w-0 flex-col px-2.5 py-2 text-xs">
        <span className="truncate font-medium" title={file.name}>
          {file.name}
        </span>
        <span className="tabular flex flex-wrap gap-x-2 text-ink-2">
          {file.size > 0 && <span>{formatBytes(file.size)}</span>}
          <RelativeTime at={file.date.toISOString()} />
        </span>
      </span>
    </button>
  );
}
