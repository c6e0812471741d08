import { setTimeout as wait } from 'node:timers/promises';
import { types } from 'node:util';
import {
  RpcError,
  type ClientInfo,
  type FaultGate,
  type FaultVerdict,
  type RpcContext,
  type RpcHandler,
  type RpcObserver,
  type RpcOutcome,
  type RpcResult,
  type TlObject,
} from '../rpc.js';
import { arrayOf } from '../schema/tl-object.js';
import type { TlSchema } from '../schema/tl-schema.js';
import { TemporaryKey, type PermanentKey } from './auth-key.js';
import { bindTemporaryKey } from './bind.js';
import type { Connection } from './connection.js';
import { unwrap, type Invocation } from './invocation.js';
import type { KeyStore } from './key-store.js';
import type { KeyUse } from './key-use.js';
import type { Session } from './session.js';

/** A client that has not introduced itself on this key since the server started. */
const UNKNOWN_CLIENT: ClientInfo = {
  apiId: 0,
  deviceModel: '',
  systemVersion: '',
  appVersion: '',
  systemLangCode: '',
  langPack: '',
  langCode: '',
};

/** What the dispatcher needs of the rest of the server. */
export interface DispatcherParts {
  readonly schema: TlSchema;
  readonly keys: KeyStore;
  readonly keyUse: KeyUse;
  readonly handler: RpcHandler;
  readonly faults: FaultGate;
  readonly observer: RpcObserver;
  readonly log: (line: string) => void;
}

/** One call on its way. */
interface Call {
  readonly session: Session;
  readonly connection: Connection;
  readonly id: bigint;
}

/** Takes calls out of their wrappers, applies faults, asks the API and sends its answers. */
export class RpcDispatcher {
  constructor(private readonly parts: DispatcherParts) {}

  /** Returns before the answer is there unless the handler is synchronous. @param messageId of the call */
  dispatch(session: Session, connection: Connection, messageId: bigint, outer: TlObject): void {
    const call: Call = { session, connection, id: messageId };
    const { query, ...invocation } = unwrap(outer);
    if (query._ === 'auth.bindTempAuthKey') {
      this.bind(call, query);
      return;
    }
    const { permanent } = session.key;
    if (!permanent) {
      // A temporary key that was never bound speaks for nobody; the client makes another.
      connection.sendError(-404);
      return;
    }
    const refusal = this.learn(permanent, session, invocation);
    if (refusal) {
      this.answerError(call, refusal);
      return;
    }
    if (!query._.startsWith('upload.')) {
      this.parts.keyUse.call(session);
      if (!invocation.withoutUpdates) subscribe(session, permanent);
    }
    this.perform(call, contextOf(call, permanent, invocation.withoutUpdates), query);
  }

  /** Answers a call that could not be read. */
  refuse(session: Session, messageId: bigint, error: RpcError): void {
    session.sendAnswer(messageId, this.serializeError(error));
  }

  private bind(call: Call, query: TlObject): void {
    const { key } = call.session;
    try {
      if (!(key instanceof TemporaryKey)) throw new RpcError(400, 'TEMP_AUTH_KEY_EMPTY');
      const { keys, schema } = this.parts;
      bindTemporaryKey({ key, sessionId: call.session.id, messageId: call.id, query }, keys, schema);
    } catch (error) {
      this.answerError(call, error);
      return;
    }
    this.answer(call, query, true);
  }

  /** Keeps what a header says with the key. @returns why the call cannot be taken, or undefined */
  private learn(
    key: PermanentKey,
    session: Session,
    { layer, client }: Omit<Invocation, 'query'>,
  ): RpcError | undefined {
    if (layer !== undefined) {
      if (!this.parts.schema.supports(layer)) {
        this.parts.log(`refused a client of layer ${layer}: only layer ${this.parts.schema.layer} is known`);
        return new RpcError(400, 'CONNECTION_LAYER_INVALID');
      }
      key.layer = layer;
    }
    if (client) {
      key.client = client;
      session.client = client;
    }
    // TDLib then repeats the call with the header.
    return key.layer === undefined ? new RpcError(400, 'CONNECTION_NOT_INITED') : undefined;
  }

  private perform(call: Call, context: RpcContext, query: TlObject): void {
    const startedAt = performance.now();
    const verdict = this.parts.faults.decide(context, query);
    const finish = (outcome: RpcOutcome): void => {
      this.finish(call, context, query, outcome, verdict, startedAt);
    };
    if (verdict?.delayMs !== undefined) {
      call.session.acknowledge(call.id);
      void wait(verdict.delayMs).then(() => {
        this.run(call, context, query, verdict, finish);
      });
      return;
    }
    this.run(call, context, query, verdict, finish);
  }

  /** Calls the handler at once, so that calls of one packet reach it in order. */
  private run(
    call: Call,
    context: RpcContext,
    query: TlObject,
    verdict: FaultVerdict | undefined,
    finish: (outcome: RpcOutcome) => void,
  ): void {
    if (verdict?.drop === true) {
      finish({ kind: 'fault', fault: 'drop' });
      return;
    }
    if (verdict?.hang === true) {
      call.session.acknowledge(call.id);
      finish({ kind: 'fault', fault: 'hang' });
      return;
    }
    if (verdict?.error) {
      finish({ kind: 'error', error: verdict.error });
      return;
    }
    try {
      const result = this.own(call, query) ?? this.parts.handler.call(context, query);
      if (!types.isPromise(result)) {
        finish({ kind: 'result', value: result });
        return;
      }
      call.session.acknowledge(call.id);
      result.then(
        (value: RpcResult) => finish({ kind: 'result', value }),
        (error: unknown) => finish({ kind: 'error', error: this.asRpcError(query, error) }),
      );
    } catch (error) {
      finish({ kind: 'error', error: this.asRpcError(query, error) });
    }
  }

  /** Methods about keys, which the API knows nothing of. */
  private own(call: Call, query: TlObject): RpcResult | undefined {
    if (query._ !== 'auth.dropTempAuthKeys') return undefined;
    const { permanent } = call.session.key;
    const kept = new Set(arrayOf(query, 'except_auth_keys'));
    for (const temporary of permanent?.temporaryKeys ?? []) {
      if (!kept.has(temporary.id) && temporary !== call.session.key) this.parts.keys.removeTemporary(temporary);
    }
    return true;
  }

  private finish(
    call: Call,
    context: RpcContext,
    query: TlObject,
    outcome: RpcOutcome,
    verdict: FaultVerdict | undefined,
    startedAt: number,
  ): void {
    this.parts.observer.finished(context, query, outcome, performance.now() - startedAt);
    if (outcome.kind === 'fault') {
      if (outcome.fault === 'drop') {
        call.session.forget(call.id);
        call.connection.close();
      }
      return;
    }
    if (verdict?.loseAnswer === 'forget-session') {
      call.session.end();
      call.connection.close();
      return;
    }
    if (verdict?.loseAnswer === 'keep-session') {
      // Without a connection the answer is kept for the next one.
      call.connection.close();
      call.session.detach(call.connection);
    }
    if (outcome.kind === 'result') this.answer(call, query, outcome.value);
    else this.answerError(call, outcome.error);
  }

  private answer(call: Call, query: TlObject, value: RpcResult): void {
    let body: Buffer;
    try {
      body = this.parts.schema.writeResult(query._, value);
    } catch (error) {
      this.answerError(call, this.asRpcError(query, error));
      return;
    }
    call.session.sendAnswer(call.id, body);
  }

  private answerError(call: Call, error: unknown): void {
    call.session.sendAnswer(
      call.id,
      this.serializeError(error instanceof RpcError ? error : this.asRpcError(undefined, error)),
    );
  }

  private serializeError(error: RpcError): Buffer {
    return this.parts.schema.write({ _: 'mt_rpc_error', error_code: error.code, error_message: error.text });
  }

  private asRpcError(query: TlObject | undefined, error: unknown): RpcError {
    if (error instanceof RpcError) return error;
    const detail = error instanceof Error ? (error.stack ?? error.message) : String(error);
    this.parts.log(`${query?._ ?? 'a call'} failed: ${detail}`);
    return new RpcError(500, 'INTERNAL_ERROR');
  }
}

function contextOf({ session, connection, id }: Call, key: PermanentKey, withoutUpdates: boolean): RpcContext {
  return {
    key,
    sessionId: session.id,
    client: session.client ?? key.client ?? UNKNOWN_CLIENT,
    dc: connection.dc,
    testMode: connection.testMode,
    proxy: connection.proxy,
    withoutUpdates,
    messageId: id,
  };
}

function subscribe(session: Session, key: PermanentKey): void {
  if (session.subscribed) return;
  session.subscribed = true;
  key.subscribers.add(session);
}
