import { Injectable } from '@nestjs/common';
import { DeadlineError, SessionNotReadyError, TdlibError } from '../../common/errors/index.js';
import { currentContext } from '../../common/http/index.js';
import { AppConfig } from '../../config/index.js';
import {
  CallAbandonedError,
  ClientClosedError,
  type Departure,
  type InspectedQuery,
  inspectQuery,
  isChatNotLoaded,
  needsKnownSupergroup,
  serializeQuery,
  type TdClient,
  toTdlibError,
} from '../../telegram/index.js';
import { type Admission, PaceEndedError, RESOLVING_METHOD } from '../limits/index.js';
import { type UploadUse, UploadUses } from '../uploads/index.js';
import { DOWN_CALL_MS, type Held } from './held-session.js';
import { HeldSessions } from './held-sessions.js';
import { currentView, requireChats, requireMethod, requireNoName, visibleAnswer } from './method-access.js';
import { isReadMethod } from './sends/call-options.js';
import { whenDecided } from './sends/tracked-send.js';
import type { Dispatched, DispatchOptions } from './sends/tracked-calls.js';
import type { CallBody, SessionKind } from './session.dto.js';
import { SessionLookup } from './session-lookup.js';
import { SessionMovingError } from './sessions.errors.js';

/** TDLib itself sits out flood waits of up to 60 s. */
const CALL_TIMEOUT_MS = 70_000;
/** How long the reason of an end may come after the calls were dropped. */
const REASON_TIMEOUT_MS = 2_000;
const ERROR_PREFIX = '{"@type":"error"';
const NO_SENDS: Dispatched['sends'] = [];

/** A call that its caller may make, and where. */
interface Admitted {
  readonly query: InspectedQuery;
  readonly held: Held;
  readonly client: TdClient;
}

/** Runs td_api methods on open sessions: checks them, makes their chat known, and learns from what Telegram answers. */
@Injectable()
export class CallDispatcher {
  constructor(
    private readonly config: AppConfig,
    private readonly sessions: HeldSessions,
    private readonly lookup: SessionLookup,
    private readonly uploads: UploadUses,
  ) {}

  /** @throws SessionNotReadyError, MethodReservedError, PathDeniedError, ValidationFailedError, TooManyCallsError, TdlibError */
  async dispatch(
    kind: SessionKind,
    id: string,
    body: CallBody,
    caller: Departure | undefined,
    options: DispatchOptions,
  ): Promise<Dispatched> {
    const { query, held, client } = await this.admit(kind, id, body);
    const leave = client.enter();
    try {
      const dispatched = await this.run(held, client, query, caller, options);
      // The process may have stood still for so long that the session is another worker's by now.
      if (!this.sessions.mayServe) throw new SessionMovingError(true);
      return dispatched;
    } finally {
      leave();
    }
  }

  /**
   * Whether a call of the caller's would be let through to TDLib now. A name in its `chat_id` is resolved, nothing else is done and
   * nothing counted; what uploads it names is found out only by a call.
   * @throws as {@link dispatch}
   */
  async check(kind: SessionKind, id: string, body: CallBody): Promise<void> {
    const { query, held, client } = await this.admit(kind, id, body);
    const { method, params } = query;
    const resolves = held.resolver.asks(params);
    await held.limits.check({ method, params, tokenId: tokenOf(), resolves });
    const began = performance.now();
    const leftMs = (): number => Math.max(1, CALL_TIMEOUT_MS - (performance.now() - began));
    const wait: Waiting = { caller: undefined, limitMs: CALL_TIMEOUT_MS, leftMs };
    await within(held.resolver.resolve(client, params), wait);
    await requireChats(method, params);
    if (held.limits.mindsPeer(method)) await requireFamiliar(held, query, wait);
  }

  /**
   * Whether the caller's token may make this call at all, by what the call says. A name in its `chat_id` is not resolved: what that
   * is decides only {@link dispatch}.
   * @throws ScopeDeniedError; MethodReservedError, PathDeniedError and ValidationFailedError for what nobody may call
   */
  async permit(kind: SessionKind, { method, params }: CallBody): Promise<void> {
    if (currentView() === undefined) return;
    const query = inspectQuery(method, params, this.config.uploads.dir, kind);
    requireMethod(query.method);
    requireNoName(query.params);
    await requireChats(query.method, query.params);
  }

  private async admit(kind: SessionKind, id: string, { method, params }: CallBody): Promise<Admitted> {
    const query = inspectQuery(method, params, this.config.uploads.dir, kind);
    requireMethod(query.method);
    requireNoName(query.params);
    const held = this.sessions.get(id);
    // Before anything else: what this worker has handed over already is not here any more.
    if (this.sessions.isStopping || (held !== undefined && this.sessions.isLeaving(held))) {
      throw new SessionMovingError(false);
    }
    if (held?.session.kind !== kind) {
      throw await this.lookup.absence(id, kind);
    }
    return { query, held, client: held.session.readyClient() };
  }

  private async run(
    held: Held,
    client: TdClient,
    query: InspectedQuery,
    caller: Departure | undefined,
    { timeoutMs = CALL_TIMEOUT_MS, keyId, onDispatch, onRefused, onLateAnswer }: DispatchOptions,
  ): Promise<Dispatched> {
    const { method, params } = query;
    const { sends, resolver } = held;
    const maySend = !isReadMethod(method);
    const view = currentView();
    const late =
      onLateAnswer &&
      ((answer: string): void => {
        const visible = view === undefined ? answer : view.textOf(answer);
        if (visible !== undefined) onLateAnswer(visible);
      });
    const limitMs = held.session.monitor.health.level === 'down' ? Math.min(timeoutMs, DOWN_CALL_MS) : timeoutMs;
    const began = performance.now();
    const wait: Waiting = { caller, leftMs: () => Math.max(1, limitMs - (performance.now() - began)), limitMs };
    let use: UploadUse | undefined;
    let admission: Admission | undefined;
    // What Telegram is asked for: the call's own method, or what it needs before.
    let asking = method;
    // Whether TDLib has the query, and has not answered it.
    const progress = { isWithTdlib: false };
    const invoke = (): Promise<string> =>
      client.invoke(serializeQuery(query), {
        timeoutMs: wait.leftMs(),
        caller,
        onSend: () => {
          progress.isWithTdlib = true;
          onDispatch?.(client.closed);
        },
        onLateAnswer: maySend
          ? (answer: string) => {
              if (answer.startsWith(ERROR_PREFIX)) {
                held.limits.noteRefusal('call', method, chatOf(params), toTdlibError(answer));
                admission?.giveBack();
              }
              const lateSends = sends.answered(answer, keyId);
              use?.answered(lateSends);
              giveBackFailed(admission, lateSends);
              late?.(answer);
            }
          : late,
      });
    const leaveDownload = held.downloads.follow(method, params);
    let text: string;
    try {
      if (sends.recovering !== undefined) {
        await within(sends.recovering, wait);
      }
      const resolves = resolver.asks(params);
      if (!resolves) {
        // What is known costs nothing.
        if (typeof params['chat_id'] === 'string') {
          asking = RESOLVING_METHOD;
          await within(resolver.resolve(client, params), wait);
          asking = method;
        }
        await requireChats(method, params);
        if (held.limits.mindsPeer(method)) await requireFamiliar(held, query, wait);
      }
      admission = held.limits.admit({ method, params, tokenId: tokenOf(), resolves });
      if (admission?.passed !== undefined) {
        await within(admission.passed, wait);
      }
      if (resolves) {
        asking = RESOLVING_METHOD;
        let hasAsked = false;
        await within(
          resolver.resolve(client, params, () => {
            hasAsked = true;
          }),
          wait,
        );
        asking = method;
        admission?.resolved(hasAsked);
        // Now that the chat is known: slow mode may have closed it alone.
        held.limits.requireOpen({ method, params, resolves: false });
        await requireChats(method, params);
        if (held.limits.mindsPeer(method)) await requireFamiliar(held, query, wait);
      }
      if (needsKnownSupergroup(method)) {
        await client.request({ '@type': 'getSupergroup', supergroup_id: params['supergroup_id'] }, { isForCall: true });
      }
      use = await this.useOf(held.session.id, query.localPaths);
      text = await invoke();
    } catch (error) {
      if (!(error instanceof TdlibError)) {
        if (progress.isWithTdlib) {
          // It may still happen.
          unanswered(use, client);
        } else {
          admission?.leave();
          await use?.refused();
        }
        const isGivenUp = caller?.left === true || error instanceof DeadlineError;
        if (leaveDownload?.() === true && isGivenUp) {
          // Nobody waits for it any more. Only downloads are taken back; a send goes on whatever its caller does.
          void client.request({ '@type': 'cancelDownloadFile', file_id: params['file_id'] }).catch(() => undefined);
        }
        throw await this.explain(held, error, limitMs);
      }
      held.session.noteRefusal(error);
      held.limits.noteRefusal('call', asking, chatOf(params), error);
      const wasAsked = progress.isWithTdlib;
      progress.isWithTdlib = false;
      onRefused?.();
      let isLoaded = false;
      try {
        isLoaded = await within(resolver.load(client, params, error), wait);
      } finally {
        if (!isLoaded) {
          if (wasAsked) admission?.giveBack();
          else admission?.leave();
          await use?.refused();
        }
      }
      if (!isLoaded) {
        throw error;
      }
      text = await invoke().catch(async (again: unknown) => {
        if (again instanceof TdlibError) {
          held.session.noteRefusal(again);
          held.limits.noteRefusal('call', method, chatOf(params), again);
        }
        if (!(again instanceof TdlibError) && progress.isWithTdlib) {
          unanswered(use, client);
        } else {
          admission?.giveBack();
          await use?.refused();
        }
        throw isChatNotLoaded(again) ? error : await this.explain(held, again, limitMs);
      });
    } finally {
      leaveDownload?.();
    }
    const sent = maySend ? sends.answered(text, keyId) : NO_SENDS;
    use?.answered(sent);
    giveBackFailed(admission, sent);
    if (sent.length > 0) await sends.secured();
    return { text: visibleAnswer(view, text), sends: sent };
  }

  /** Marks the uploads that a call names; they have to be its caller's. @throws PathDeniedError, UploadIncompleteError */
  private async useOf(id: string, paths: readonly string[]): Promise<UploadUse | undefined> {
    return paths.length === 0 ? undefined : this.uploads.begin(id, paths, currentContext()?.caller);
  }

  /** What a call that nobody answered is told: why, as far as it is known and the caller may know it. */
  private async explain(held: Held, error: unknown, limitMs: number): Promise<unknown> {
    const { session } = held;
    if (error instanceof ClientClosedError && (session.isClosing || session.isUnauthorized)) {
      await session.waitFor(() => session.isUnauthorized, REASON_TIMEOUT_MS);
      return new SessionNotReadyError(session.status, `the session is ${session.status}: ${session.lastError ?? ''}`);
    }
    const isLeaving = this.sessions.isLeaving(held);
    if (error instanceof ClientClosedError && isLeaving) {
      return new SessionMovingError(true);
    }
    if (error instanceof PaceEndedError) {
      return isLeaving ? new SessionMovingError(false) : new SessionNotReadyError(session.status);
    }
    if (!(error instanceof DeadlineError)) {
      return error;
    }
    const { level, cause = '' } = session.monitor.health;
    if (level !== 'down') {
      // The call as a whole had so long, whatever it had waited for before.
      return new DeadlineError('the call', limitMs);
    }
    const maySeeNetwork = currentContext()?.caller?.kind !== 'token';
    return new DeadlineError(
      'the call',
      Math.min(limitMs, DOWN_CALL_MS),
      maySeeNetwork ? cause : 'no connection to Telegram',
    );
  }
}

/** The chat that a call is about, as far as it is known. */
function chatOf(params: Readonly<Record<string, unknown>>): number | undefined {
  const chatId = params['chat_id'];
  return typeof chatId === 'number' ? chatId : undefined;
}

/** The token that the call came with; undefined for the master's, and for what the product does by itself. */
function tokenOf(): string | undefined {
  const caller = currentContext()?.caller;
  return caller?.kind === 'token' ? caller.tokenId : undefined;
}

/**
 * While the account is limited for spam: whom the call is for decides whether it may go.
 * @throws RateLimitedError
 */
async function requireFamiliar(
  { session, limits, client }: Held,
  { method, params }: InspectedQuery,
  wait: Waiting,
): Promise<void> {
  limits.requireFamiliar(method, await within(isFamiliarChat(client, params['chat_id'], session.me?.['id']), wait));
}

/** Whether somebody who is limited for spam may write there: a group, the account itself, or somebody who has its number too. */
async function isFamiliarChat(client: TdClient, chatId: unknown, ownId: unknown): Promise<boolean> {
  // Only private chats have the number of their user.
  if (typeof chatId !== 'number' || chatId <= 0 || chatId === ownId) return true;
  try {
    const user = await client.request({ '@type': 'getUser', user_id: chatId }, { isForCall: true });
    return user['is_mutual_contact'] === true;
  } catch (error) {
    // Nobody that the account has ever met.
    if (error instanceof TdlibError) return false;
    throw error;
  }
}

/** What Telegram refuses of what a call has sent is not counted. */
function giveBackFailed(admission: Admission | undefined, sends: Dispatched['sends']): void {
  if (admission === undefined || sends.length === 0 || !admission.isCounted) return;
  for (const send of sends) {
    whenDecided(send, () => {
      if (send.error?.source === 'tdlib') admission.sendFailed(sends.length);
    });
  }
}

/** The answer may come late, but not from a client that is closed. */
function unanswered(use: UploadUse | undefined, client: TdClient): void {
  if (use !== undefined) {
    void client.closed.then(() => use.leave());
  }
}

/** How long a call may wait for something. */
interface Waiting {
  readonly caller: Departure | undefined;
  readonly limitMs: number;
  /** What is left of it. */
  readonly leftMs: () => number;
}

/**
 * Waits for what other calls wait for as well: only this wait ends early.
 * @throws CallAbandonedError, DeadlineError
 */
async function within<T>(work: Promise<T>, { caller, limitMs, leftMs }: Waiting): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const end = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new DeadlineError('the call', limitMs)), leftMs());
    caller?.notify(() => reject(new CallAbandonedError()));
    if (caller?.left === true) {
      reject(new CallAbandonedError());
    }
  });
  try {
    return await Promise.race([work, end]);
  } finally {
    clearTimeout(timer);
    caller?.notify(undefined);
  }
}
