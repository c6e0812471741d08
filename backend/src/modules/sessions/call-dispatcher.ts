import { Injectable } from '@nestjs/common';
import { DeadlineError, ShuttingDownError, TdlibError } from '../../common/errors/index.js';
import { currentContext } from '../../common/http/index.js';
import { AppConfig } from '../../config/index.js';
import { type Departure, inspectQuery, isChatNotLoaded, serializeQuery } from '../../telegram/index.js';
import { type UploadUse, UploadUses } from '../uploads/index.js';
import { HeldSessions } from './held-sessions.js';
import { requireMethodClass } from './method-access.js';
import { isReadMethod } from './sends/call-options.js';
import type { Dispatched, DispatchOptions } from './sends/tracked-calls.js';
import type { CallBody, SessionKind } from './session.dto.js';
import { SessionLookup } from './session-lookup.js';

/** TDLib itself sits out flood waits of up to 60 s. */
const CALL_TIMEOUT_MS = 70_000;
const NO_SENDS: Dispatched['sends'] = [];

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
    { timeoutMs = CALL_TIMEOUT_MS, keyId, onDispatch, onLateAnswer }: DispatchOptions,
  ): Promise<Dispatched> {
    const query = inspectQuery(body.method, body.params, this.config.uploads.dir);
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
    if (typeof params['chat_id'] === 'string') {
      await held.resolver.resolve(client, params);
    }
    const maySend = !isReadMethod(query.method);
    const use = await this.useOf(id, query.localPaths);
    const began = performance.now();
    const options = {
      timeoutMs,
      caller,
      onLateAnswer: maySend
        ? (answer: string) => {
            use?.answered(sends.answered(answer, keyId));
            onLateAnswer?.(answer);
          }
        : onLateAnswer,
    };
    onDispatch?.(client.closed);
    let text: string;
    try {
      text = await client.invoke(serializeQuery(query), options);
    } catch (error) {
      if (query.method === 'downloadFile' && (caller?.left === true || error instanceof DeadlineError)) {
        // Nobody waits for it any more. Only downloads are taken back; a send goes on whatever its caller does.
        void client.request({ '@type': 'cancelDownloadFile', file_id: params['file_id'] }).catch(() => undefined);
      }
      if (!(error instanceof TdlibError)) {
        // The answer may come late, but not from a client that is closed.
        void (use && client.closed.then(() => use.leave()));
        throw error;
      }
      held.session.noteRefusal(error);
      if (!(await held.resolver.load(client, params, error))) {
        await use?.refused();
        throw error;
      }
      const left = Math.max(1, timeoutMs - (performance.now() - began));
      text = await client
        .invoke(serializeQuery(query), { ...options, timeoutMs: left })
        .catch(async (again: unknown) => {
          if (again instanceof TdlibError) {
            await use?.refused();
          }
          throw isChatNotLoaded(again) ? error : again;
        });
    }
    const sent = maySend ? sends.answered(text, keyId) : NO_SENDS;
    use?.answered(sent);
    return { text, sends: sent };
  }

  /** Marks the uploads that a call names; they have to be its caller's. @throws PathDeniedError, UploadIncompleteError */
  private async useOf(id: string, paths: readonly string[]): Promise<UploadUse | undefined> {
    return paths.length === 0 ? undefined : this.uploads.begin(id, paths, currentContext()?.caller);
  }
}
