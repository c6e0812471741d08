import { Injectable } from '@nestjs/common';
import { CallAbandonedError, type Departure, toTdlibError } from '../../../telegram/index.js';
import { DeadlineError, messageOf, RemoteError, TdlibError } from '../../../common/errors/index.js';
import { currentContext, describe, type ErrorBody, RawJson } from '../../../common/http/index.js';
import { Idempotency, IdempotencyOutcomeUnknownError, type StoredAnswer } from '../../../common/idempotency/index.js';
import { AppLogger } from '../../../common/log/app-logger.js';
import { currentView, visibleAnswer } from '../method-access.js';
import type { CallBody, SessionKind } from '../session.dto.js';
import type { CallOptions } from './call-options.js';
import { besideResult, LocalSends } from './local-sends.js';
import { toCallSend } from './send.dto.js';
import { SendTracker } from './send-tracker.js';
import { type SendState, type TrackedSend, untilDecided } from './tracked-send.js';

/** What a call was answered with. */
export interface Dispatched {
  /** td_api JSON. */
  readonly text: string;
  /** The messages that it has sent. */
  readonly sends: readonly TrackedSend[];
}

/** What a call needs beside its query. */
export interface DispatchOptions {
  readonly timeoutMs?: number;
  readonly keyId?: string;
  /** To be called right before TDLib gets the query. @param closed settles when the client is closed and answers nothing more */
  readonly onDispatch?: (closed: Promise<void>) => void;
  /** To be called when TDLib has refused the query, and may get it once more. */
  readonly onRefused?: () => void;
  /** TDLib's answer, or its error, when it came after the call was given up; its sends are tracked. */
  readonly onLateAnswer?: (answer: string) => void;
}

/** A call as it is made. */
export interface Call {
  readonly kind: SessionKind;
  readonly id: string;
  readonly body: CallBody;
  readonly caller: Departure | undefined;
  /** Rejects with what its caller may not do by now, before anything is told of what was answered when it could. */
  readonly permit: () => Promise<void>;
  readonly dispatch: (options: DispatchOptions) => Promise<Dispatched>;
}

const NOTHING_STORED: ReadonlySet<number> = new Set([400, 401, 403, 429]);
/** TDLib's words for a request that it dropped when it was closed. */
const DROPPED = /aborted|lost promise/i;
const ERROR_PREFIX = '{"@type":"error"';

/** Calls that ask for more than their answer: to wait for what they sent, or to be made only once. */
@Injectable()
export class TrackedCalls {
  private readonly logger: AppLogger;

  constructor(
    private readonly idempotency: Idempotency,
    private readonly tracker: SendTracker,
    private readonly sends: LocalSends,
    logger: AppLogger,
  ) {
    this.logger = logger.for(TrackedCalls.name);
  }

  async run(call: Call, options: CallOptions): Promise<RawJson> {
    const { key } = options;
    return key === undefined ? this.wait(call, options) : this.once(call, options, key);
  }

  private async wait({ dispatch, caller }: Call, { waitMs, timeoutMs }: CallOptions): Promise<RawJson> {
    const { text, sends } = await dispatch(timeoutMs === undefined ? {} : { timeoutMs });
    if (waitMs === undefined) {
      return new RawJson(text);
    }
    await untilDecided(sends, waitMs, caller);
    return new RawJson(text, besideResult(sends));
  }

  private async once(call: Call, options: CallOptions, key: string): Promise<RawJson> {
    const { kind, id, body, permit, dispatch, caller } = call;
    await permit();
    const claim = await this.idempotency.claim({
      caller: currentContext()?.caller,
      method: 'POST',
      path: `/v1/${kind}/${id.toLowerCase()}/call`,
      key,
      body,
    });
    if (claim.kind === 'died') {
      const sends = await this.sends.ofKey(claim.id, 0);
      throw new IdempotencyOutcomeUnknownError(sends.map(toNamedSend));
    }
    if (claim.kind === 'answered') {
      options.onReplayed();
      return this.replay(claim.id, claim.answer, options);
    }
    const attempt = new Attempt(claim.id, this.idempotency);
    try {
      const { timeoutMs, waitMs } = options;
      const { text, sends } = await dispatch({
        ...(timeoutMs !== undefined && { timeoutMs }),
        keyId: claim.id,
        onDispatch: (closed) => attempt.dispatched(closed),
        onRefused: () => attempt.refused(),
        onLateAnswer: (answer) => void attempt.answeredLate(answer),
      });
      attempt.answered();
      if (sends.length > 0) {
        // Whoever repeats the request has to find them, whatever happens from here on.
        await this.tracker.flush().catch((error: unknown) => {
          this.logger.warn(`sends with an Idempotency-Key are not stored yet: ${messageOf(error)}`, { sessionId: id });
        });
        await untilDecided(sends, waitMs ?? 0, caller);
      }
      await attempt.finish({ status: 200, text });
      return new RawJson(text, waitMs === undefined ? undefined : besideResult(sends));
    } catch (error) {
      await attempt.failed(error);
      throw error;
    }
  }

  private async replay(keyId: string, { status, text }: StoredAnswer, { waitMs }: CallOptions): Promise<RawJson> {
    if (status >= 400) {
      const { source, code, message, retry_after, details, session_id } = JSON.parse(text) as ErrorBody;
      throw new RemoteError(status, source, code, message, {
        ...(retry_after !== undefined && { retryAfterSeconds: retry_after }),
        ...(details !== undefined && { details }),
        ...(session_id !== undefined && { sessionId: session_id }),
      });
    }
    // It was stored as the caller's rights were then.
    const visible = visibleAnswer(currentView(), text);
    return new RawJson(visible, waitMs === undefined ? undefined : besideResult(await this.sends.ofKey(keyId, waitMs)));
  }
}

/** The one time that a request with a key is served: concludes its key exactly once. */
class Attempt {
  private wasDispatched = false;
  /** TDLib has the query, and has not answered it. */
  private isWithTdlib = false;
  private isAnswered = false;
  private isConcluded = false;

  constructor(
    private readonly id: string,
    private readonly idempotency: Idempotency,
  ) {}

  dispatched(closed: Promise<void>): void {
    this.isWithTdlib = true;
    if (this.wasDispatched) return;
    this.wasDispatched = true;
    void closed.then(() => {
      if (!this.isAnswered) {
        void this.conclude(() => this.idempotency.giveUp(this.id));
      }
    });
  }

  refused(): void {
    this.isWithTdlib = false;
  }

  /** In time: what is left to do is ours. */
  answered(): void {
    this.isAnswered = true;
  }

  finish(answer: StoredAnswer): Promise<void> {
    return this.conclude(() => this.idempotency.finish(this.id, answer));
  }

  /** An answer that nobody has waited for any more; a repeat gets it. */
  async answeredLate(answer: string): Promise<void> {
    await (answer.startsWith(ERROR_PREFIX)
      ? this.failed(toTdlibError(answer))
      : this.finish({ status: 200, text: answer }));
  }

  async failed(error: unknown): Promise<void> {
    const isRefusal = error instanceof TdlibError && !DROPPED.test(error.message);
    if (this.wasDispatched && isRefusal) {
      const { status, body } = describe(error);
      await this.conclude(() =>
        NOTHING_STORED.has(status)
          ? this.idempotency.release(this.id)
          : this.idempotency.finish(this.id, { status, text: JSON.stringify(body.error) }),
      );
      return;
    }
    if (!this.isWithTdlib) {
      await this.conclude(() => this.idempotency.release(this.id));
      return;
    }
    // TDLib goes on with what nobody waits for any more, and what it answers late is kept.
    if (error instanceof CallAbandonedError || error instanceof DeadlineError) return;
    await this.conclude(() => this.idempotency.giveUp(this.id));
  }

  private async conclude(how: () => Promise<void>): Promise<void> {
    if (!this.isConcluded) {
      this.isConcluded = true;
      await how();
    }
  }
}

function toNamedSend(send: SendState): object {
  return { chat_id: send.chatId, ...toCallSend(send) };
}
