import { DeadlineError } from '../common/errors/index.js';
import type { ProxySettings } from '../config/index.js';
import type { Departure } from './departure.js';
import { toTdProxy } from './proxy.js';
import { requireWholeText, splitMessage, type TdJson, typeOf } from './td-json.js';
import { numberMember, objectMember, parseTdObject, stringMember, type TdObject } from './td-object.js';
import { CallAbandonedError, ClientClosedError, toTdlibError, TooManyCallsError } from './telegram.errors.js';

/** Takes an update: its `@type` and its JSON as TDLib wrote it. Must not block; parse only what is needed. */
export type UpdateHandler = (type: string, update: string) => void;

/** What a client needs to start. */
export interface TdClientOptions {
  readonly onUpdate: UpdateHandler;
  /** Telegram's word for why the authorization is over; TDLib ends the client right before or after this. */
  readonly onAuthorizationLost?: (reason: string) => void;
  /** setTdlibParameters without its `@type`. */
  readonly parameters: Readonly<Record<string, unknown>>;
  /** The one proxy this client may use; undefined means that TDLib connects directly. */
  readonly proxy: ProxySettings | undefined;
  /** How many API calls may be under way before further ones are refused. */
  readonly maxCallsInFlight: number;
  /** A handler threw: reported, never let into the receive loop that feeds every client. */
  readonly onHandlerError: (error: unknown) => void;
}

/** How long a call may take. */
export interface InvokeOptions {
  /** Default 70 s: TDLib itself sits out flood waits of up to 60 s. */
  readonly timeoutMs?: number | undefined;
  /** Frees the caller's slot. What TDLib has begun goes on: a send cannot be taken back. */
  readonly caller?: Departure | undefined;
  /** Of a request that a call waits for: it is given up with the calls. */
  readonly isForCall?: boolean;
  /** Called right before TDLib gets the query; never when it does not get it. */
  readonly onSend?: (() => void) | undefined;
  /** Takes TDLib's answer, or its error, when it comes after the call was given up. */
  readonly onLateAnswer?: ((answer: string) => void) | undefined;
}

interface PendingCall {
  readonly resolve: (object: string) => void;
  readonly reject: (error: Error) => void;
  readonly timer: NodeJS.Timeout;
  /** Who waits for it, when that is known. */
  readonly caller: Departure | undefined;
  /** An API call, not one of our own few requests (close, proxies). */
  readonly isCall: boolean;
  readonly onLateAnswer: ((answer: string) => void) | undefined;
}

const DEFAULT_TIMEOUT_MS = 70_000;
const DEFAULT_CLOSE_TIMEOUT_MS = 30_000;
/** TDLib answers everything at some time; should it not, the oldest of what nobody waits for are forgotten. */
const MAX_LATE_ANSWERS = 10_000;

/** TDLib writes the type first, so an error is recognised without parsing. */
const ERROR_PREFIX = '{"@type":"error"';

/** With this TDLib answers whatever is in flight when a client closes (Global::request_aborted_error). */
const ABORTED = { code: 500, message: 'Request aborted' } as const;
const ENDING = /"authorizationState(?:LoggingOut|Closing|Closed)"/;

/**
 * One TDLib client. Queries and answers are td_api JSON; an answer is handed on as TDLib wrote it, so that the most frequent
 * path, an API call, costs no parsing of results.
 */
export class TdClient {
  private readonly clientId: number;
  private readonly pending = new Map<number, PendingCall>();
  /** Who wants the answers of calls that were given up. */
  private readonly givenUp = new Map<number, (answer: string) => void>();
  private readonly whenClosed: Promise<void>;
  private resolveClosed: () => void = () => undefined;
  private sequence = 0;
  private inFlight = 0;
  private isClosed = false;
  private isClosing = false;
  /** TDLib has said that the client ends, whoever ended it. */
  private isEnding = false;
  private proxyChange: Promise<unknown> = Promise.resolve();

  /** Only TelegramEngine makes clients, so that it can close all of them. */
  constructor(
    private readonly tdJson: TdJson,
    private readonly options: TdClientOptions,
  ) {
    this.whenClosed = new Promise((resolve) => {
      this.resolveClosed = resolve;
    });
    this.clientId = tdJson.createClient((message) => this.receive(message));
  }

  /** Settles once TDLib has said authorizationStateClosed: the database is released and its directory may be removed. */
  get closed(): Promise<void> {
    return this.whenClosed;
  }

  /** Calls that have entered and not left. */
  get callsInFlight(): number {
    return this.inFlight;
  }

  /**
   * Lets an API call in, with all that it has to wait for: names that are resolved, chats that are loaded, its answer.
   * @returns to be called once, when it is over
   * @throws TooManyCallsError when the cap is reached
   */
  enter(): () => void {
    const { maxCallsInFlight } = this.options;
    if (this.inFlight >= maxCallsInFlight) {
      throw new TooManyCallsError(maxCallsInFlight);
    }
    this.inFlight += 1;
    return () => {
      this.inFlight -= 1;
    };
  }

  /** For the engine: the client of this number has lost its authorization. */
  noteLoss(clientId: number, reason: string): void {
    if (clientId === this.clientId) {
      this.options.onAuthorizationLost?.(reason);
    }
  }

  /**
   * Starts TDLib. The proxy is sent before setTdlibParameters: TDLib queues it and runs it inside its initialisation, so not
   * even the first packet goes around it. Proxies that an earlier run left in the database are removed.
   * @throws TdlibError TDLib's refusal, for example of a database that another process holds
   */
  async start(): Promise<void> {
    const proxy = this.enableProxy(this.options.proxy);
    const parameters = this.request({ ...this.options.parameters, '@type': 'setTdlibParameters' });
    try {
      const [proxyId] = await Promise.all([proxy, parameters]);
      await this.removeProxiesExcept(proxyId);
    } catch (error) {
      // Without its proxy the client must not stay: TDLib would connect directly.
      this.beginClose();
      throw error;
    }
  }

  /** Puts another proxy, or none, in place of the present one, live. Changes run one after another. */
  async useProxy(proxy: ProxySettings | undefined): Promise<void> {
    const change = this.proxyChange.then(async () => this.removeProxiesExcept(await this.enableProxy(proxy)));
    this.proxyChange = change.catch(() => undefined);
    await change;
  }

  /**
   * An API call, which has entered: td_api JSON in (its first member is `@type`), td_api JSON out.
   * @throws TdlibError TDLib's own error
   * @throws DeadlineError after the deadline; TDLib goes on with what it has begun
   * @throws ClientClosedError when the client is gone
   */
  invoke(query: string, options: InvokeOptions = {}): Promise<string> {
    return this.call(query, options, true);
  }

  /** Gives every call of `invoke` up, and what calls wait for, that is not answered yet. TDLib goes on with what it has begun. */
  giveUpCalls(reason: Error): void {
    for (const [extra, { isCall }] of [...this.pending]) {
      if (isCall) {
        this.giveUp(extra, reason);
      }
    }
  }

  /** A request of our own, its answer parsed. Throws as `invoke` does. */
  async request(query: TdObject, options: InvokeOptions = {}): Promise<TdObject> {
    return parseTdObject(await this.call(JSON.stringify({ ...query }), options, options.isForCall === true));
  }

  /**
   * Closes the client and waits until TDLib has released its database. May be called again.
   * @throws DeadlineError when TDLib does not finish in time
   */
  async close(timeoutMs = DEFAULT_CLOSE_TIMEOUT_MS): Promise<void> {
    this.beginClose();
    let timer: NodeJS.Timeout | undefined;
    const deadline = new Promise<never>((_, reject) => {
      timer = setTimeout(() => reject(new DeadlineError('closing the session', timeoutMs)), timeoutMs);
    });
    try {
      await Promise.race([this.whenClosed, deadline]);
    } finally {
      clearTimeout(timer);
    }
  }

  private beginClose(): void {
    if (!this.isClosed && !this.isClosing) {
      this.isClosing = true;
      this.tdJson.send(this.clientId, '{"@type":"close"}');
    }
  }

  private call(
    query: string,
    { timeoutMs = DEFAULT_TIMEOUT_MS, caller, onSend, onLateAnswer }: InvokeOptions,
    isCall: boolean,
  ): Promise<string> {
    return new Promise((resolve, reject) => {
      requireWholeText(query);
      if (this.isClosed) {
        reject(new ClientClosedError());
        return;
      }
      if (caller?.left === true) {
        reject(new CallAbandonedError());
        return;
      }
      const extra = ++this.sequence;
      const timer = setTimeout(() => this.giveUp(extra, new DeadlineError('the call', timeoutMs)), timeoutMs);
      caller?.notify(() => this.giveUp(extra, new CallAbandonedError()));
      this.pending.set(extra, { resolve, reject, timer, caller, isCall, onLateAnswer });
      onSend?.();
      // Ours comes first: of duplicate members TDLib takes the first.
      this.tdJson.send(this.clientId, `{"@extra":${extra},${query.slice(1)}`);
    });
  }

  /** Takes a call out of the books; undefined when it was given up before. */
  private settle(extra: number): PendingCall | undefined {
    const call = this.pending.get(extra);
    if (call !== undefined) {
      this.pending.delete(extra);
      clearTimeout(call.timer);
      call.caller?.notify(undefined);
    }
    return call;
  }

  private giveUp(extra: number, reason: Error): void {
    const call = this.settle(extra);
    if (call?.onLateAnswer !== undefined) {
      this.givenUp.set(extra, call.onLateAnswer);
      if (this.givenUp.size > MAX_LATE_ANSWERS) {
        const [oldest] = this.givenUp.keys();
        this.givenUp.delete(oldest ?? extra);
      }
    }
    call?.reject(reason);
  }

  private receive(message: string): void {
    const { extra, object } = splitMessage(message);
    if (extra === undefined) {
      this.receiveUpdate(object);
      return;
    }
    const call = this.settle(extra);
    if (call === undefined) {
      this.receiveLate(extra, object);
      return;
    }
    if (object.startsWith(ERROR_PREFIX)) {
      call.reject(this.failureOf(object));
    } else {
      call.resolve(object);
    }
  }

  private failureOf(object: string): Error {
    const error = toTdlibError(object);
    const isAbort = error.tdCode === ABORTED.code && error.message === ABORTED.message;
    return isAbort && (this.isClosing || this.isEnding) ? new ClientClosedError() : error;
  }

  private receiveLate(extra: number, answer: string): void {
    const take = this.givenUp.get(extra);
    this.givenUp.delete(extra);
    try {
      take?.(answer);
    } catch (error) {
      this.options.onHandlerError(error);
    }
  }

  private receiveUpdate(update: string): void {
    const type = typeOf(update);
    if (type === 'updateAuthorizationState' && ENDING.test(update)) {
      this.isEnding = true;
    }
    try {
      this.options.onUpdate(type, update);
    } catch (error) {
      this.options.onHandlerError(error);
    }
    if (type === 'updateAuthorizationState' && update.includes('"authorizationStateClosed"')) {
      this.finish();
    }
  }

  private finish(): void {
    this.isClosed = true;
    this.tdJson.forgetClient(this.clientId);
    for (const extra of [...this.pending.keys()]) {
      this.settle(extra)?.reject(new ClientClosedError());
    }
    this.givenUp.clear();
    this.resolveClosed();
  }

  /** @returns the id TDLib keeps the proxy under, undefined for none */
  private async enableProxy(proxy: ProxySettings | undefined): Promise<number | undefined> {
    if (proxy === undefined) {
      await this.request({ '@type': 'disableProxy' });
      return undefined;
    }
    return numberMember(await this.request({ '@type': 'addProxy', proxy: toTdProxy(proxy), enable: true }), 'id');
  }

  private async removeProxiesExcept(proxyId: number | undefined): Promise<void> {
    const { proxies } = await this.request({ '@type': 'getProxies' });
    const stale = (proxies as readonly TdObject[]).map(({ id }) => id).filter((id) => id !== proxyId);
    await Promise.all(stale.map((id) => this.request({ '@type': 'removeProxy', proxy_id: id })));
  }
}

/** The new state named by an updateAuthorizationState. */
export function authorizationStateOf(update: string): TdObject {
  const state = objectMember(parseTdObject(update), 'authorization_state');
  if (state === undefined) {
    throw new Error(`not an updateAuthorizationState: ${stringMember(parseTdObject(update), '@type')}`);
  }
  return state;
}
