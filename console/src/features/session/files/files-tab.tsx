import { FolderOpen } from 'lucide-react';
import { useState } from 'react';
import { FileTile } from '@/components/files/file-tile';
import { FileViewer, type ViewedFile } from '@/components/files/file-viewer';
import { Button } from '@/components/ui/button';
import { Card } from '@/components/ui/card';
import { Field, Select, VerbatimInput } from '@/components/ui/field';
import { Segmented } from '@/components/ui/segmented';
import { EmptyState, ErrorNote, LoadFailed, LoadingRows } from '@/components/ui/states';
import { fileHref, type MessageFile } from '@/lib/message-file';
import type { SessionSummary } from '@/lib/types';
import { useUrlState } from '@/lib/url-state';
import { OpenFile } from './open-file';
import { StorageCard } from './storage-card';
import { FILE_FILTERS, useChatFiles, useChats, useSentFiles, type FileFilter } from './use-files';

const SENT = 'sent';
const CHAT = 'chat';
const WHAT = 'what';

/** The files of a session: in its chats, by their ids, and on the disk. */
export function FilesTab({ session }: { session: SessionSummary }) {
  const [viewed, setViewed] = useState<ViewedFile>();
  return (
    <div className="grid grid-cols-[minmax(0,1fr)] items-start gap-5 lg:grid-cols-[minmax(0,5fr)_minmax(0,3fr)]">
      <FilesCard session={session} onOpen={setViewed} />
      <div className="flex min-w-0 flex-col gap-5">
        <StorageCard session={session} />
        <OpenFile session={session} onOpen={setViewed} />
      </div>
      {viewed && <FileViewer key={viewed.href} file={viewed} onClose={() => setViewed(undefined)} />}
    </div>
  );
}

interface FilesCardProps {
  session: SessionSummary;
  onOpen: (file: ViewedFile) => void;
}

function FilesCard({ session, onOpen }: FilesCardProps) {
  const url = useUrlState();
  const ready = session.status === 'authorized';
  const chats = useChats(session, ready);
  const chat = (session.kind === 'user' ? url.get(CHAT) : null) ?? SENT;
  const asked = url.get(WHAT);
  const filter: FileFilter = asked !== null && asked in FILE_FILTERS ? (asked as FileFilter) : 'photos';
  const isKnown = chat === SENT || chats.data?.some(({ id }) => String(id) === chat) === true;
  const open = (file: MessageFile): void => onOpen({ ...file, href: fileHref(session, file.fileId, file) });
  return (
    <Card
      title="Files"
      description={
        session.kind === 'user'
          ? 'In the chats of this account, newest first.'
          : 'Telegram does not let bots search chats: these are the files among the last messages that calls have sent.'
      }
      flush
    >
      {session.kind === 'user' && (
        <div className="flex flex-col gap-4 border-t border-line px-4 py-4 sm:px-5">
          <div className="grid gap-4 sm:grid-cols-2">
            <Field label="Where">
              {(wiring) => (
                <Select
                  {...wiring}
                  value={isKnown ? chat : ''}
                  onChange={(event) => url.replace({ [CHAT]: event.target.value })}
                >
                  <option value={SENT}>Sent through the API</option>
                  {!isKnown && <option value="">{chat}</option>}
                  {chats.data && chats.data.length > 0 && (
                    <optgroup label="Chats">
                      {chats.data.map(({ id, title }) => (
                        <option key={id} value={id}>
                          {title}
                        </option>
                      ))}
                    </optgroup>
                  )}
                </Select>
              )}
            </Field>
            <OtherChat onChoose={(other) => url.replace({ [CHAT]: other })} />
          </div>
          {chats.isError && <ErrorNote error={chats.error} lead="The chats could not be listed." />}
          {chat !== SENT && (
            <Segmented
              label="Kind of file"
              value={filter}
              onChange={(what) => url.replace({ [WHAT]: what })}
              options={Object.entries(FILE_FILTERS).map(([value, { name }]) => ({
                value: value as FileFilter,
                label: name,
              }))}
            />
          )}
        </div>
      )}
      {!ready ? (
        <p className="border-t border-line px-4 py-4 text-sm text-ink-2 sm:px-5">
          Files are shown once the session is ready.
        </p>
      ) : chat === SENT ? (
        <SentFiles session={session} onOpen={open} />
      ) : (
        <ChatFiles key={`${chat} ${filter}`} session={session} chat={chat} filter={filter} onOpen={open} />
      )}
    </Card>
  );
}

function OtherChat({ onChoose }: { onChoose: (chat: string) => void }) {
  const [text, setText] = useState('');
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        if (text.trim() !== '') onChoose(text.trim());
      }}
      className="flex items-end gap-2"
    >
      <Field label="Another chat" optional className="min-w-0 flex-1">
        {(wiring) => (
          <VerbatimInput
            {...wiring}
            value={text}
            onChange={(event) => setText(event.target.value)}
            placeholder="@name, link or id"
          />
        )}
      </Field>
      <Button type="submit">Show</Button>
    </form>
  );
}

interface FoundProps {
  session: SessionSummary;
  onOpen: (file: MessageFile) => void;
}

function ChatFiles({ session, chat, filter, onOpen }: FoundProps & { chat: string; filter: FileFilter }) {
  const found = useChatFiles(session, chat, filter, true);
  if (found.isPending) return <LoadingRows what="files" rows={3} />;
  if (found.isLoadingError) return <LoadFailed what="files" error={found.error} onRetry={found.refetch} />;
  const files = found.data.pages.flatMap((page) => page.files);
  return (
    <>
      <Tiles
        session={session}
        files={files}
        onOpen={onOpen}
        empty={`There are no ${FILE_FILTERS[filter].name.toLowerCase()} in this chat.`}
      />
      {found.isFetchNextPageError && <ErrorNote className="m-4" error={found.error} lead="More could not be loaded." />}
      {found.hasNextPage && (
        <div className="border-t border-line px-4 py-2 sm:px-5">
          <Button size="sm" tone="quiet" pending={found.isFetchingNextPage} onClick={() => void found.fetchNextPage()}>
            Show older ones
          </Button>
        </div>
      )}
    </>
  );
}

function SentFiles({ session, onOpen }: FoundProps) {
  const found = useSentFiles(session, true);
  if (found.isPending) return <LoadingRows what="files" rows={3} />;
  if (found.isLoadingError) return <LoadFailed what="files" error={found.error} onRetry={found.refetch} />;
  return (
    <Tiles
      session={session}
      files={found.data}
      onOpen={onOpen}
      empty="None of the last messages that calls of this session have sent has a file."
    />
  );
}

interface TilesProps {
  session: SessionSummary;
  files: readonly MessageFile[];
  onOpen: (file: MessageFile) => void;
  empty: string;
}

function Tiles({ session, files, onOpen, empty }: TilesProps) {
  if (files.length === 0) {
    return (
      <EmptyState icon={FolderOpen} title="No files here">
        {empty}
      </EmptyState>
    );
  }
  return (
    <ul
      aria-label="Files"
      className="grid grid-cols-2 gap-3 border-t border-line p-4 sm:grid-cols-3 sm:p-5 xl:grid-cols-4"
    >
      {files.map((file) => (
        <li key={`${file.chatId} ${file.messageId}`}>
          <FileTile session={session} file={file} onOpen={() => onOpen(file)} />
        </li>
      ))}
    </ul>
  );
}
