import { type BeforeApplicationShutdown, Injectable } from '@nestjs/common';
import type { Page } from '../../../common/http/index.js';
import { SessionsRepository } from '../sessions.repository.js';
import {
  type CallSend,
  type MessageName,
  type SendDto,
  type SendListItemDto,
  type SendsRequest,
  toCallSend,
  toSendDto,
} from './send.dto.js';
import { SendTracker } from './send-tracker.js';
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
import { type SendState, type TrackedSend, untilDecided } from './tracked-send.js';

/** The sends of a process that holds sessions: of those from memory, of all others from the database. */
@Injectable()
export class LocalSends extends Sends implements BeforeApplicationShutdown {
  private readonly stopping = new AbortController();
  private readonly stored: StoredSends;

  constructor(
    private readonly tracker: SendTracker,
    private readonly repository: SendsRepository,
    private readonly sessions: SessionsRepository,
  ) {
    super();
    this.stored = new StoredSends(repository);
  }

  override async find(session: SessionName, message: MessageName, waitMs: number): Promise<SendDto> {
    const isExpected = await this.expect(session);
    const { send, isAway } = await pollUntil(
      async (leftMs) => {
        // Asked before looking: a session that is opened meanwhile may know what was looked for in the database only.
        const away = isExpected && this.tracker.of(session.id)?.isLoaded !== true;
        return { send: await this.look(session.id, message, leftMs), isAway: away };
      },
      (found) => isDecidedSend(found.send) || (found.send === undefined && !found.isAway),
      waitMs,
      this.stopping.signal,
    );
    return expectSend(send, message, isAway);
  }

  override async list(session: SessionName, page: SendsRequest, waitMs: number): Promise<Page<SendListItemDto>> {
    await this.expect(session);
    return pollUntil(
      async (leftMs) => {
        const found = await this.read(session.id, page);
        await this.wait(session.id, found, leftMs);
        return leftMs > 0 && !isDecidedPage(found) ? this.read(session.id, page) : found;
      },
      isDecidedPage,
      waitMs,
      this.stopping.signal,
    );
  }

  /** What was sent for a request with an Idempotency-Key. */
  async ofKey(keyId: string, waitMs: number): Promise<readonly SendState[]> {
    return pollUntil(
      async (leftMs) => {
        await this.tracker.flush();
        const states = await this.repository.ofKey(keyId);
        const tracked = states.flatMap(({ sessionId, id }) => this.tracker.of(sessionId)?.findById(id) ?? []);
        await untilDecided(tracked, leftMs);
        return states.map((state) => tracked.find(({ id }) => id === state.id) ?? state);
      },
      (states) => states.every(({ status }) => status !== 'pending'),
      waitMs,
      this.stopping.signal,
    );
  }

  beforeApplicationShutdown(): void {
    this.stopping.abort();
  }

  /**
   * Looks at the registry only for sessions that are not open here: what is pending is told with the database away too.
   * @returns whether the session is to be open somewhere
   * @throws NotFoundError, KindMismatchError
   */
  private async expect(session: SessionName): Promise<boolean> {
    const open = this.tracker.of(session.id);
    if (open?.isLoaded === true) {
      expectSession(open, session);
      return true;
    }
    return expectSession(await this.sessions.route(session.id), session).status === 'authorized';
  }

  private async look(sessionId: string, message: MessageName, waitMs: number): Promise<SendDto | undefined> {
    const sends = this.tracker.of(sessionId);
    const send = sends?.find(message.chatId, message.messageId);
    if (send !== undefined) {
      await untilDecided([send], waitMs);
      return toSendDto(send);
    }
    if (sends?.isBusy === true) {
      // A final id is looked up in the database alone.
      await this.tracker.flush();
    }
    const stored = await this.stored.find(sessionId, message);
    const current = stored === undefined ? sends?.findCurrent(message.chatId, message.messageId) : undefined;
    return current === undefined ? stored : toSendDto(current);
  }

  private async read(sessionId: string, page: SendsRequest): Promise<Page<SendListItemDto>> {
    await this.tracker.flush();
    return this.stored.list(sessionId, page);
  }

  private async wait(sessionId: string, { items }: Page<SendListItemDto>, waitMs: number): Promise<void> {
    const sends = this.tracker.of(sessionId);
    const pending = items
      .filter(({ status }) => status === 'pending')
      .map(({ chat_id, temporary_id }) => sends?.find(chat_id, temporary_id))
      .filter((send): send is TrackedSend => send !== undefined);
    await untilDecided(pending, waitMs);
  }
}

/** Beside a call's result. */
export function besideResult(sends: readonly SendState[]): { readonly sends: readonly CallSend[] } {
  return { sends: sends.map(toCallSend) };
}
