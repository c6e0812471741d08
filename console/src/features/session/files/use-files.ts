import { useInfiniteQuery, useQuery } from '@tanstack/react-query';
import { fetchClient } from '@/lib/api';
import { fileOfMessage, type MessageFile } from '@/lib/message-file';
import { callTd, isRecord, numberOf, objectsOf, textOf, type SessionRef } from '@/lib/td';

/** Kinds of files that Telegram can search a chat for. */
export const FILE_FILTERS = {
  photos: { name: 'Photos', filter: 'searchMessagesFilterPhoto' },
  videos: { name: 'Videos', filter: 'searchMessagesFilterVideo' },
  documents: { name: 'Documents', filter: 'searchMessagesFilterDocument' },
  audio: { name: 'Audio', filter: 'searchMessagesFilterAudio' },
  voice: { name: 'Voice', filter: 'searchMessagesFilterVoiceNote' },
} as const;
export type FileFilter = keyof typeof FILE_FILTERS;

/** A chat to choose. */
export interface Chat {
  readonly id: number;
  readonly title: string;
}

const CHATS = 40;
const PAGE = 30;
const SENDS = 100;

/** The newest chats of a user account; bots cannot ask for theirs. */
export function useChats(session: SessionRef, isEnabled: boolean) {
  return useQuery({
    queryKey: ['td', session.id, 'chats'],
    enabled: isEnabled && session.kind === 'user',
    staleTime: 60_000,
    queryFn: async ({ signal }): Promise<readonly Chat[]> => {
      const list = await callTd(session, 'getChats', { limit: CHATS }, signal);
      const ids = Array.isArray(list['chat_ids']) ? list['chat_ids'].filter((id) => typeof id === 'number') : [];
      const chats: Chat[] = [];
      // One after the other: TDLib has them at hand, and the browser's few connections are for the files.
      for (const id of ids) {
        const chat = await callTd(session, 'getChat', { chat_id: id }, signal);
        chats.push({ id, title: textOf(chat, 'title') ?? `Chat ${id}` });
      }
      return chats;
    },
  });
}

interface FilesPage {
  readonly files: readonly MessageFile[];
  /** Where the next page begins; absent at the end. */
  readonly next: number | undefined;
}

const filesIn = (messages: readonly unknown[]): readonly MessageFile[] =>
  messages.map(fileOfMessage).filter((file) => file !== undefined);

/** The files of one kind in a chat of a user account, newest first. `chat` is what chat_id takes: an id, @name or a link. */
export function useChatFiles(session: SessionRef, chat: string, filter: FileFilter, isEnabled: boolean) {
  return useInfiniteQuery({
    queryKey: ['td', session.id, 'chat-files', chat, filter],
    enabled: isEnabled && chat !== '',
    staleTime: 30_000,
    initialPageParam: 0,
    queryFn: async ({ pageParam, signal }): Promise<FilesPage> => {
      const found = await callTd(
        session,
        'searchChatMessages',
        {
          chat_id: /^-?\d+$/.test(chat) ? Number(chat) : chat,
          from_message_id: pageParam,
          limit: PAGE,
          filter: { '@type': FILE_FILTERS[filter].filter },
        },
        signal,
      );
      const next = numberOf(found, 'next_from_message_id');
      return { files: filesIn(objectsOf(found, 'messages')), next: next === 0 ? undefined : next };
    },
    getNextPageParam: ({ next }) => next,
  });
}

/** The files among the newest messages that calls of the session have sent; for bots, which cannot search, the only list there is. */
export function useSentFiles(session: SessionRef, isEnabled: boolean) {
  const { kind, id } = session;
  return useQuery({
    queryKey: ['td', id, 'sent-files'],
    enabled: isEnabled,
    staleTime: 10_000,
    queryFn: async ({ signal }): Promise<readonly MessageFile[]> => {
      const { data } = await fetchClient.GET('/v1/{kind}/{id}/sends', {
        params: { path: { kind, id }, query: { limit: SENDS } },
        signal,
      });
      const sends: readonly unknown[] = Array.isArray(data?.result) ? data.result : [];
      const byChat = new Map<number, number[]>();
      for (const send of sends.filter(isRecord)) {
        const chat = numberOf(send, 'chat_id');
        const message = numberOf(send, 'message_id');
        if (chat !== undefined && message !== undefined) byChat.set(chat, [...(byChat.get(chat) ?? []), message]);
      }
      const files: MessageFile[] = [];
      for (const [chat, messages] of byChat) {
        const found = await callTd(session, 'getMessages', { chat_id: chat, message_ids: messages }, signal);
        files.push(...filesIn(objectsOf(found, 'messages')));
      }
      return files.sort((a, b) => b.date.getTime() - a.date.getTime());
    },
  });
}
