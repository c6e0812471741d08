import { useInfiniteQuery } from '@tanstack/react-query';
import { Send } from 'lucide-react';
import { useState } from 'react';
import { NumberId, SendBadge, SendErrorWords } from '@/components/sends/send-parts';
import { SEND_STATUS } from '@/components/sends/status';
import { Button } from '@/components/ui/button';
import { Card } from '@/components/ui/card';
import { RelativeTime } from '@/components/ui/relative-time';
import { Segmented } from '@/components/ui/segmented';
import { ErrorNote, LoadFailed, LoadingRows } from '@/components/ui/states';
import { fetchClient } from '@/lib/api';
import type { SendListItem, SendStatus, SessionSummary } from '@/lib/types';

const PAGE = 20;
/** While a message is on its way its end is worth a look every second or so; else new ones come from elsewhere. */
const PENDING_MS = 1_500;
const QUIET_MS = 10_000;

const STATES: readonly { value: SendStatus | 'all'; label: string }[] = [
  { value: 'all', label: 'All' },
  ...(['pending', 'sent', 'failed', 'unknown'] as const).map((value) => ({ value, label: SEND_STATUS[value].word })),
];

interface SendsPage {
  readonly sends: readonly SendListItem[];
  readonly next: string | undefined;
}

function useSends({ kind, id }: Pick<SessionSummary, 'kind' | 'id'>, state: SendStatus | undefined) {
  return useInfiniteQuery({
    // The second part is the path, by which everything that was loaded is found again after a change.
    queryKey: ['get', '/v1/{kind}/{id}/sends', { kind, id, state }, 'pages'],
    initialPageParam: undefined as string | undefined,
    queryFn: async ({ pageParam, signal }): Promise<SendsPage> => {
      const { data } = await fetchClient.GET('/v1/{kind}/{id}/sends', {
        params: {
          path: { kind, id },
          query: {
            limit: PAGE,
            ...(pageParam === undefined ? {} : { cursor: pageParam }),
            ...(state === undefined ? {} : { state }),
          },
        },
        signal,
      });
      return { sends: Array.isArray(data?.result) ? data.result : [], next: data?.next_cursor };
    },
    getNextPageParam: ({ next }) => next,
    refetchInterval: ({ state: { data } }) =>
      data?.pages.some(({ sends }) => sends.some(({ status }) => status === 'pending')) === true
        ? PENDING_MS
        : QUIET_MS,
  });
}

/** The messages that calls of this session have sent, newest first, and what became of each. */
export function SendsCard({ session }: { session: SessionSummary }) {
  const [state, setState] = useState<SendStatus | 'all'>('all');
  const found = useSends(session, state === 'all' ? undefined : state);
  const sends = found.data?.pages.flatMap((page) => page.sends) ?? [];
  return (
    <Card title="Sends" description="Messages that calls have sent, newest first." flush>
      <div className="px-4 pb-3 sm:px-5">
        <Segmented label="Which sends" value={state} options={STATES} onChange={setState} />
      </div>
      {found.isPending ? (
        <LoadingRows what="sends" rows={2} />
      ) : found.isLoadingError ? (
        <LoadFailed what="sends" error={found.error} onRetry={found.refetch} />
      ) : sends.length === 0 ? (
        <p className="flex items-center gap-2.5 border-t border-line px-4 py-4 text-sm text-ink-2 sm:px-5">
          <Send aria-hidden className="size-4 shrink-0 text-ink-3" />
          {state === 'all'
            ? 'Nothing was sent yet. Each message of a call appears here, with its final id once Telegram has it.'
            : 'No send is in this state.'}
        </p>
      ) : (
        <ul aria-label="Sends" className="divide-y divide-line border-t border-line">
          {sends.map((send) => (
            <SendRow key={`${send.chat_id} ${send.temporary_id} ${send.created_at}`} send={send} />
          ))}
        </ul>
      )}
      {found.isFetchNextPageError && <ErrorNote className="m-4" error={found.error} lead="More could not be loaded." />}
      {found.hasNextPage && (
        <div className="border-t border-line px-4 py-2 sm:px-5">
          <Button size="sm" tone="quiet" pending={found.isFetchingNextPage} onClick={() => void found.fetchNextPage()}>
            Show older ones
          </Button>
        </div>
      )}
    </Card>
  );
}

function SendRow({ send }: { send: SendListItem }) {
  return (
    <li className="px-4 py-3 sm:px-5">
      <div className="flex flex-wrap items-center gap-x-4 gap-y-1">
        <span className="w-24">
          <SendBadge status={send.status} />
        </span>
        <span className="inline-flex items-center gap-1.5 text-xs text-ink-2">
          chat <NumberId id={send.chat_id} what="chat id" />
        </span>
        <span className="ml-auto text-xs text-ink-2">
          <RelativeTime at={send.created_at} />
        </span>
      </div>
      <p className="mt-1 flex flex-wrap items-center gap-x-1.5 text-xs text-ink-2 sm:pl-28">
        temporary id <NumberId id={send.temporary_id} what="temporary id" />
        {send.message_id !== undefined && (
          <>
            <span aria-hidden>→</span> final id <NumberId id={send.message_id} what="final id" />
          </>
        )}
      </p>
      {send.status === 'unknown' && <p className="mt-1 text-xs text-ink-2 sm:pl-28">{SEND_STATUS.unknown.explain}</p>}
      {send.error && (
        <div className="mt-1 sm:pl-28">
          <SendErrorWords error={send.error} />
        </div>
      )}
    </li>
  );
}
