import { type BeforeApplicationShutdown, Injectable } from '@nestjs/common';
import { type WorkerAddress, WorkerClient } from '../../../common/cluster/index.js';
import { DeadlineError, RemoteError, WorkerUnreachableError } from '../../../common/errors/index.js';
import { encodeCursor, Page, RawEnvelope } from '../../../common/http/index.js';
import { SessionRoutes } from '../session-routes.js';
import type { MessageName, SendDto, SendListItemDto, SendsRequest } from './send.dto.js';
import {
  expectSend,
  expectSession,
  isDecidedPage,
  isDecidedSend,
  pollUntil,
  Sends,
  type SessionName,
  StoredSends,
} from './sends.js';
import { SendsRepository } from './sends.repository.js';

/** What the way to a worker and back, and its work, may take beyond the wait. */
const MARGIN_MS = 10_000;
/** In a worker's answer: it may have been stopped before the time was over. */
const PENDING = '"status":"pending"';

/** The sends of a gateway: the session's worker knows best; while there is none, the database answers. */
@Injectable()
export class RemoteSends extends Sends implements BeforeApplicationShutdown {
  private readonly stopping = new AbortController();
  private readonly stored: StoredSends;

  constructor(
    private readonly workers: WorkerClient,
    private readonly routes: SessionRoutes,
    repository: SendsRepository,
  ) {
    super();
    this.stored = new StoredSends(repository);
  }

  override async find(session: SessionName, message: MessageName, waitMs: number): Promise<SendDto | RawEnvelope> {
    const query = { chat_id: String(message.chatId), message_id: String(message.messageId) };
    const { answer, isAway } = await pollUntil(
      (leftMs) => this.ask(session, query, leftMs, () => this.stored.find(session.id, message)),
      (asked) => isDecided(asked.answer, isDecidedSend) || (asked.answer === undefined && !asked.isAway),
      waitMs,
      this.stopping.signal,
    );
    return answer instanceof RawEnvelope ? answer : expectSend(answer, message, isAway);
  }

  override async list(
    session: SessionName,
    page: SendsRequest,
    waitMs: number,
  ): Promise<Page<SendListItemDto> | RawEnvelope> {
    const query = {
      ...(page.limit !== undefined && { limit: String(page.limit) }),
      ...(page.after !== undefined && { cursor: encodeCursor(page.after) }),
      ...(page.status !== undefined && { state: page.status }),
    };
    const { answer } = await pollUntil(
      (leftMs) => this.ask(session, query, leftMs, () => this.stored.list(session.id, page)),
      (asked) => isDecided(asked.answer, isDecidedPage),
      waitMs,
      this.stopping.signal,
    );
    return answer;
  }

  beforeApplicationShutdown(): void {
    this.stopping.abort();
  }

  /** Asks the session's worker; while there is none, the database. */
  private async ask<Answer>(
    session: SessionName,
    query: Readonly<Record<string, string>>,
    waitMs: number,
    look: () => Promise<Answer>,
  ): Promise<{ readonly answer: Answer | RawEnvelope; readonly isAway: boolean }> {
    const route = expectSession(await this.routes.find(session.id), session);
    const told = route.owner && (await this.forward(route.owner, session, query, waitMs));
    return { answer: told ?? (await look()), isAway: route.status === 'authorized' };
  }

  /** @returns undefined when the worker does not answer */
  private async forward(
    owner: WorkerAddress,
    { kind, id }: SessionName,
    query: Readonly<Record<string, string>>,
    waitMs: number,
  ): Promise<RawEnvelope | undefined> {
    const seconds = Math.floor(waitMs / 1_000);
    const parameters = new URLSearchParams({ ...query, ...(seconds > 0 && { wait: String(seconds) }) });
    try {
      return await this.workers.forward(owner, {
        method: 'GET',
        path: `/internal/sessions/${kind}/${id}/sends?${parameters.toString()}`,
        timeoutMs: waitMs + MARGIN_MS,
      });
    } catch (error) {
      if (error instanceof WorkerUnreachableError || error instanceof DeadlineError || isAwayThere(error)) {
        this.routes.forget(id);
        return undefined;
      }
      throw error;
    }
  }
}

/** The worker has the session, but has not opened it yet. */
function isAwayThere(error: unknown): boolean {
  return error instanceof RemoteError && error.code === 'no_live_worker';
}

function isDecided<Answer>(answer: Answer | RawEnvelope, isSo: (answer: Answer) => boolean): boolean {
  return answer instanceof RawEnvelope ? !answer.text.includes(PENDING) : isSo(answer);
}
