import { useEffect } from 'react';
import { NumberId, SendBadge, SendErrorWords } from '@/components/sends/send-parts';
import { SEND_STATUS } from '@/components/sends/status';
import { $api } from '@/lib/api';
import { ApiError } from '@/lib/api-error';
import type { CallAnswer } from '@/lib/call';
import { useRefresh } from '@/lib/queries';
import type { CallSend, Send, SessionKind } from '@/lib/types';

const isRecord = (value: unknown): value is Record<string, unknown> => typeof value === 'object' && value !== null;

/** A message that a call has sent, by the id that its answer told. */
export interface SentMessage {
  readonly chatId: number;
  readonly temporaryId: number;
  /** Known already, because the call waited. */
  readonly decided?: CallSend;
}

function readPending(message: unknown): SentMessage | undefined {
  if (!isRecord(message) || message['@type'] !== 'message') return undefined;
  const state = message['sending_state'];
  if (!isRecord(state) || state['@type'] !== 'messageSendingStatePending') return undefined;
  const { id, chat_id } = message;
  return typeof id === 'number' && typeof chat_id === 'number' ? { chatId: chat_id, temporaryId: id } : undefined;
}

/** The messages of an answer that Telegram has yet to decide about: td_api's `message`, or the list in its `messages`. */
export function sentMessages({ ok, json, sends }: CallAnswer): readonly SentMessage[] {
  if (!ok || !isRecord(json)) return [];
  const list: readonly unknown[] =
    json['@type'] === 'messages' && Array.isArray(json['messages']) ? json['messages'] : [json];
  return list.flatMap((message) => {
    const found = readPending(message);
    if (!found) return [];
    const decided = sends?.find((send) => send.temporary_id === found.temporaryId && send.status !== 'pending');
    return [decided ? { ...found, decided } : found];
  });
}

/** Browsers open six connections to a server; waiting requests for more messages than this would block the page. */
const MAX_WAITING = 2;
const WAIT_SECONDS = 20;
const POLL_MS = 1_000;

/** What becomes of the messages of a call, followed until Telegram has decided about each. */
export function FollowedSends({ answer }: { answer: CallAnswer }) {
  const messages = sentMessages(answer);
  if (messages.length === 0) return null;
  const { kind, id } = answer.request;
  return (
    <ul aria-label="Messages sent" className="mb-3 divide-y divide-line rounded-lg border border-line">
      {messages.map((message) => (
        <FollowedSend
          key={message.temporaryId}
          kind={kind}
          id={id}
          message={message}
          waits={messages.length <= MAX_WAITING}
        />
      ))}
    </ul>
  );
}

interface FollowedSendProps {
  kind: SessionKind;
  id: string;
  message: SentMessage;
  waits: boolean;
}

const isDecided = (send: Send | undefined): boolean => send !== undefined && send.status !== 'pending';

function FollowedSend({ kind, id, message, waits }: FollowedSendProps) {
  const refresh = useRefresh();
  const { chatId, temporaryId } = message;
  const found = $api.useQuery(
    'get',
    '/v1/{kind}/{id}/sends',
    {
      params: {
        path: { kind, id },
        query: { chat_id: chatId, message_id: temporaryId, ...(waits ? { wait: WAIT_SECONDS } : {}) },
      },
    },
    {
      enabled: message.decided === undefined,
      select: ({ result }) => (Array.isArray(result) ? undefined : result),
      refetchInterval: ({ state }) => {
        if (state.error !== null) return ApiError.from(state.error).status === 404 ? false : POLL_MS;
        const result = state.data?.result;
        return result !== undefined && !Array.isArray(result) && isDecided(result) ? false : POLL_MS;
      },
    },
  );
  const send: Send = message.decided ?? found.data ?? { status: 'pending' };
  const failure = found.isError ? ApiError.from(found.error) : undefined;
  const { status } = send;
  useEffect(() => {
    if (status !== 'pending') void refresh.sends();
    // The list is out of date once, when the decision comes.
    // oxlint-disable-next-line react/exhaustive-deps
  }, [status]);
  return (
    <li className="px-3.5 py-2.5 text-xs">
      <div role="status" className="flex flex-col gap-1">
        <div className="flex flex-wrap items-center gap-x-4 gap-y-1.5">
          {failure?.code === 'not_tracked' ? (
            <span className="text-ink-2">
              Scheduled messages are not followed: they get their id when their time has come.
            </span>
          ) : (
            <SendBadge status={status} />
          )}
          <span className="flex flex-wrap items-center gap-x-1.5 text-ink-2">
            temporary id <NumberId id={temporaryId} what="temporary id" />
            {send.message_id !== undefined && (
              <>
                <span aria-hidden>→</span> final id <NumberId id={send.message_id} what="final id" />
              </>
            )}
          </span>
        </div>
        {status === 'unknown' && <p className="text-ink-2">{SEND_STATUS.unknown.explain}</p>}
        {send.error && <SendErrorWords error={send.error} />}
        {failure && failure.code !== 'not_tracked' && (
          <p className="text-bad">It cannot be followed: {failure.message}</p>
        )}
      </div>
    </li>
  );
}
