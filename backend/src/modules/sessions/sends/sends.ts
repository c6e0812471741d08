import { setTimeout as sleep } from 'node:timers/promises';
import { KindMismatchError, NoLiveWorkerError, NotFoundError } from '../../../common/errors/index.js';
import { Page, type RawEnvelope } from '../../../common/http/index.js';
import type { SessionKind } from '../session.dto.js';
import {
  type MessageName,
  type SendDto,
  type SendListItemDto,
  type SendsRequest,
  toListItem,
  toSendDto,
} from './send.dto.js';
import { isScheduledId } from './send-reader.js';
import { NotTrackedError } from './sends.errors.js';
import type { SendsRepository } from './sends.repository.js';

/** The session whose sends are asked for. */
export interface SessionName {
  readonly kind: SessionKind;
  readonly id: string;
}

/** What became of messages, as the API tells it. In a gateway the worker that holds the session answers. */
export abstract class Sends {
  /**
   * One message, by its temporary or final id.
   * @param waitMs how long to wait while it is pending
   * @throws NotFoundError, KindMismatchError, NotTrackedError
   */
  abstract find(session: SessionName, message: MessageName, waitMs: number): Promise<SendDto | RawEnvelope>;

  /**
   * The newest first.
   * @param waitMs how long to wait while one of the page is pending
   * @throws NotFoundError, KindMismatchError
   */
  abstract list(session: SessionName, page: SendsRequest, waitMs: number): Promise<Page<SendListItemDto> | RawEnvelope>;
}

/** How often the database is asked for an outcome that another process will learn. */
const POLL_MS = 250;

/** Asks until what is asked for is decided, the time is over, or the process stops. */
export async function pollUntil<Answer>(
  ask: (leftMs: number) => Promise<Answer>,
  isDecided: (answer: Answer) => boolean,
  waitMs: number,
  stopping: AbortSignal,
): Promise<Answer> {
  const deadline = performance.now() + waitMs;
  for (;;) {
    const left = deadline - performance.now();
    const answer = await ask(Math.max(0, left));
    if (isDecided(answer) || performance.now() + POLL_MS > deadline || stopping.aborted) {
      return answer;
    }
    await sleep(POLL_MS, undefined, { signal: stopping }).catch(() => undefined);
  }
}

/**
 * @param isAway whether the session has to be opened before all of its sends are known: its journal may have more
 * @throws NoLiveWorkerError, NotTrackedError, NotFoundError for a message that nothing is known of, or not any more
 */
export function expectSend(send: SendDto | undefined, { messageId }: MessageName, isAway: boolean): SendDto {
  if (send !== undefined) {
    return send;
  }
  if (isScheduledId(messageId)) {
    throw new NotTrackedError();
  }
  throw isAway ? new NoLiveWorkerError('the session is being opened') : new NotFoundError('send', String(messageId));
}

/** @throws NotFoundError, KindMismatchError unless there is such a session */
export function expectSession<Session extends { readonly kind: SessionKind }>(
  session: Session | undefined,
  { kind, id }: SessionName,
): Session {
  if (session === undefined) {
    throw new NotFoundError('session', id);
  }
  if (session.kind !== kind) {
    throw new KindMismatchError(kind, session.kind);
  }
  return session;
}

/** What the database tells, where no process has more. */
export class StoredSends {
  constructor(private readonly repository: SendsRepository) {}

  async find(sessionId: string, { chatId, messageId }: MessageName): Promise<SendDto | undefined> {
    const send = await this.repository.find(sessionId, chatId, messageId);
    return send && toSendDto(send);
  }

  async list(sessionId: string, page: SendsRequest): Promise<Page<SendListItemDto>> {
    const { items, nextCursor } = await this.repository.newest(sessionId, page);
    return new Page(items.map(toListItem), nextCursor);
  }
}

export const isDecidedSend = (send: SendDto | undefined): boolean => send !== undefined && send.status !== 'pending';
export const isDecidedPage = ({ items }: Page<SendListItemDto>): boolean =>
  items.every(({ status }) => status !== 'pending');
