import type { WorkerAddress } from '../../common/cluster/index.js';
import { NoLiveWorkerError, RemoteError, WorkerUnreachableError } from '../../common/errors/index.js';
import { CallAbandonedError, type Departure } from '../../telegram/index.js';
import type { SessionKind } from './session.dto.js';
import type { SessionRoutes } from './session-routes.js';
import { SessionMovingError } from './sessions.errors.js';

/** A call as the gateway makes it, as often as it has to. */
export interface MovingCall<Answer> {
  readonly kind: SessionKind;
  readonly sessionId: string;
  readonly caller: Departure | undefined;
  readonly send: (owner: WorkerAddress) => Promise<Answer>;
}

interface Absence {
  readonly since: number;
  readonly askedAt: number;
}

/** The lease of a worker that was killed, and the time in which another one opens its sessions. */
const PATIENCE_MS = 10_000;
/** Nobody tells when a session that has been claimed can be called. */
const LONGEST_PAUSE_MS = 75;
/** The database is not asked more often for one session, however many of its calls wait. */
const LOOK_AGAIN_MS = 300;
/** Who comes when a session has been away for longer than {@link PATIENCE_MS} is not held; nobody asking for so long ends that. */
const FORGOTTEN_AFTER_MS = 60_000;
const MAX_REMEMBERED = 10_000;
/** More would only fill this process; they are refused at once. */
const MAX_WAITING = 2_000;

/**
 * Calls to sessions that are between two workers: the former one ends or is gone, the next one has yet to open them. What has
 * certainly done nothing is made again as soon as somebody has the session.
 */
export class MovingCalls {
  private waiting = 0;
  /** Sessions that nobody can be asked about, the one that was asked for last at the end. */
  private readonly away = new Map<string, Absence>();

  constructor(
    private readonly routes: SessionRoutes,
    private readonly now: () => number = () => performance.now(),
  ) {}

  /**
   * The call's answer, wherever the session goes.
   * @throws SessionMovingError, NoLiveWorkerError, WorkerUnreachableError when it is nowhere for too long, whoever has waited for
   *   that, or too many wait; else as the call
   */
  async run<Answer>(call: MovingCall<Answer>): Promise<Answer> {
    const first = await this.attempt(call);
    if (!('answer' in first)) return this.runAgain(call, first.failure);
    this.away.delete(call.sessionId);
    return first.answer;
  }

  private async runAgain<Answer>(call: MovingCall<Answer>, first: Error): Promise<Answer> {
    if (this.waiting >= MAX_WAITING) throw refusalOf(first);
    this.waiting += 1;
    try {
      const deadline = this.awaySince(call.sessionId) + PATIENCE_MS;
      this.routes.forget(call.sessionId);
      let pauseMs = 25;
      for (;;) {
        const next = await this.attempt(call);
        if ('answer' in next) {
          this.away.delete(call.sessionId);
          return next.answer;
        }
        if (this.now() > deadline) throw refusalOf(next.failure);
        await this.routes.changed(call.sessionId, pauseMs);
        if (call.caller?.left === true) throw new CallAbandonedError();
        this.routes.forgetOlder(call.sessionId, LOOK_AGAIN_MS);
        // However many wait, they ask a thousand times a second at most.
        pauseMs = Math.max(Math.min(pauseMs * 2, LONGEST_PAUSE_MS), this.waiting);
      }
    } finally {
      this.waiting -= 1;
    }
  }

  /** Since when calls of the session are held or refused. */
  private awaySince(sessionId: string): number {
    const now = this.now();
    const known = this.away.get(sessionId);
    const since = known !== undefined && now - known.askedAt < FORGOTTEN_AFTER_MS ? known.since : now;
    this.away.delete(sessionId);
    const [oldest] = this.away.keys();
    if (this.away.size >= MAX_REMEMBERED && oldest !== undefined) this.away.delete(oldest);
    this.away.set(sessionId, { since, askedAt: now });
    return since;
  }

  /** @returns the failure of one that may be made again */
  private async attempt<Answer>({
    kind,
    sessionId,
    send,
  }: MovingCall<Answer>): Promise<{ readonly answer: Answer } | { readonly failure: Error }> {
    let owner: WorkerAddress;
    try {
      owner = await this.routes.ownerOf(sessionId, kind);
    } catch (error) {
      if (error instanceof NoLiveWorkerError) return { failure: error };
      throw error;
    }
    try {
      return { answer: await send(owner) };
    } catch (error) {
      if (certainlyDidNothing(error)) return { failure: error };
      throw error;
    }
  }
}

/** Whether a call has not reached TDLib, and may reach it later or elsewhere. */
function certainlyDidNothing(error: unknown): error is WorkerUnreachableError | RemoteError {
  if (error instanceof WorkerUnreachableError) return error.neverReached;
  if (!(error instanceof RemoteError)) return false;
  const { sent, status } = error.details ?? {};
  switch (error.code) {
    case 'shutting_down':
    case 'no_live_worker':
      return true;
    case 'session_moving':
      return sent === false;
    // The worker has only just taken it.
    case 'session_not_ready':
      return status === 'authorized';
    default:
      return false;
  }
}

function refusalOf(failure: Error): Error {
  return failure instanceof RemoteError ? new SessionMovingError(false) : failure;
}
