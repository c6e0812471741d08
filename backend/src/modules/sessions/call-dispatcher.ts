import { Injectable } from '@nestjs/common';
import { DeadlineError, SessionNotReadyError, ShuttingDownError, TdlibError } from '../../common/errors/index.js';
import { AppConfig } from '../../config/index.js';
import {
  ClientClosedError,
  type Departure,
  inspectQuery,
  isChatNotLoaded,
  serializeQuery,
} from '../../telegram/index.js';
import { DOWN_CALL_MS, type Held } from './held-session.js';
import { HeldSessions } from './held-sessions.js';
import { currentContext } from '../../common/http/index.js';
import { requireMethodClass } from './method-access.js';
import { isReadMethod } from './sends/call-options.js';
import type { Dispatched, DispatchOptions } from './sends/tracked-calls.js';
import type { CallBody, SessionKind } from './session.dto.js';
import { SessionLookup } from './session-lookup.js';

/** TDLib itself sits out flood waits of up to 60 s. */
const CALL_TIMEOUT_MS = 70_000;
/** How long the reason of an end may come after the calls were dropped. */
const REASON_TIMEOUT_MS = 2_000;
const NO_SENDS: Dispatched['sends'] = [];

/** Runs td_api methods on open sessions: checks them, makes their chat known, and learns from what Telegram answers. */
@Injectable()
export class CallDispatcher {
  constructor(
    private readonly config: AppConfig,
    private readonly sessions: HeldSessions,
    private readonly lookup: SessionLookup,
  ) {}

  /** @throws SessionNotReadyError, MethodReservedError, PathDeniedError, ValidationFailedError, TooManyCallsError, TdlibError */
  async dispatch(
    kind: SessionKind,
    id: string,
    body: CallBody,
    caller: Departure | undefined,
    { timeoutMs = CALL_TIMEOUT_MS, keyId, onDispatch, onLateAnswer }: DispatchOptions,
  ): Promise<Dispatched> {
    const query = inspectQuery(body.method, body.params, this.config.uploads.dir, kind);
    requireMethodClass(query.method);
    const held = this.sessions.get(id);
    if (held?.session.kind !== kind) {
      throw await this.lookup.absence(id, kind);
    }
    if (this.sessions.isStopping) {
      throw new ShuttingDownError();
    }
    const client = held.session.readyClient();
    const { params } = query;
    const { sends } = held;
    if (sends.recovering !== undefined) {
      await sends.recovering;
    }
    const maySend = !isReadMethod(query.method);
    const began = performance.now();
    const limitMs = held.session.monitor.health.level === 'down' ? Math.min(timeoutMs, DOWN_CALL_MS) : timeoutMs;
    const options = {
      timeoutMs: limitMs,
      caller,
      onLateAnswer: maySend
        ? (answer: string) => {
            sends.answered(answer, keyId);
            onLateAnswer?.(answer);
          }
        : onLateAnswer,
    };
    let text: string;
    try {
      if (typeof params['chat_id'] === 'string') {
        await within(held.resolver.resolve(client, params), limitMs);
      }
      onDispatch?.(client.closed);
      text = await client.invoke(serializeQuery(query), options);
    } catch (error) {
      if (query.method === 'downloadFile' && (caller?.left === true || error instanceof DeadlineError)) {
        // Nobody waits for it any more. Only downloads are taken back; a send goes on whatever its caller does.
        void client.request({ '@type': 'cancelDownloadFile', file_id: params['file_id'] }).catch(() => undefined);
      }
      if (!(error instanceof TdlibError)) {
        throw await explain(held, error);
      }
      held.session.noteRefusal(error);
      if (!(await held.resolver.load(client, params, error))) {
        throw error;
      }
      const left = Math.max(1, limitMs - (performance.now() - began));
      text = await client
        .invoke(serializeQuery(query), { ...options, timeoutMs: left })
        .catch(async (again: unknown) => {
          if (again instanceof TdlibError) {
            held.session.noteRefusal(again);
          }
          throw isChatNotLoaded(again) ? error : await explain(held, again);
        });
    }
    return { text, sends: maySend ? sends.answered(text, keyId) : NO_SENDS };
  }
}

/** What a call that nobody answered is told: why, as far as it is known and the caller may know it. */
async function explain({ session }: Held, error: unknown): Promise<unknown> {
  if (error instanceof ClientClosedError && (session.isClosing || session.isUnauthorized)) {
    await session.waitFor(() => session.isUnauthorized, REASON_TIMEOUT_MS);
    return new SessionNotReadyError(session.status, `the session is ${session.status}: ${session.lastError ?? ''}`);
  }
  const { level, cause = '' } = session.monitor.health;
  if (error instanceof DeadlineError && level === 'down') {
    const maySeeNetwork = currentContext()?.caller?.kind !== 'token';
    return new DeadlineError('the call', DOWN_CALL_MS, maySeeNetwork ? cause : 'no connection to Telegram');
  }
  return error;
}

/** @throws DeadlineError */
async function within<T>(work: Promise<T>, timeoutMs: number): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const deadline = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new DeadlineError('the call', timeoutMs)), timeoutMs);
  });
  try {
    return await Promise.race([work, deadline]);
  } finally {
    clearTimeout(timer);
  }
}
