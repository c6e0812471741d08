import type { FaultVerdict } from '../rpc.js';
import { RpcError } from '../rpc.js';
import type { CallInfo } from './call-info.js';
import { methodMatches } from './call-info.js';

/** Something that goes wrong on purpose. Conditions that are absent match every call. */
export interface FaultOptions {
  /** A method's name, a prefix that ends in `*`, or `send`. */
  readonly method?: string | undefined;
  /** Account id. */
  readonly account?: number | undefined;
  /** Phone number, for calls before the login. */
  readonly phone?: string | undefined;
  /** td_api's chat id. */
  readonly chatId?: number | undefined;
  readonly error?: { readonly code: number; readonly message: string } | undefined;
  /** Real milliseconds. */
  readonly delayMs?: number | undefined;
  readonly hang?: boolean | undefined;
  readonly drop?: boolean | undefined;
  /** `true` keeps the session, so that the answer is repeated on the next connection. */
  readonly loseAnswer?: boolean | 'keep-session' | 'forget-session' | undefined;
  /** How many calls are hit before the fault is used up; without limit when absent. */
  readonly times?: number | undefined;
}

/** A fault that is set, with how often it has been applied. */
export interface Fault extends FaultOptions {
  readonly id: number;
  hits: number;
}

export interface FaultsState {
  nextId: number;
  readonly active: Map<number, Fault>;
}

/** The injected faults. The first that matches, in order of injection, is applied. */
export class Faults {
  state: FaultsState = Faults.emptyState();

  static emptyState(): FaultsState {
    return { nextId: 1, active: new Map() };
  }

  add(options: FaultOptions): Fault {
    const fault: Fault = { ...options, id: this.state.nextId++, hits: 0 };
    this.state.active.set(fault.id, fault);
    return fault;
  }

  list(): Fault[] {
    return [...this.state.active.values()];
  }

  remove(id: number): boolean {
    return this.state.active.delete(id);
  }

  clear(): void {
    this.state.active.clear();
  }

  /** Applies the first matching fault to this call. A fault that is used up stays listed, with its hits. */
  take(call: CallInfo): FaultVerdict | undefined {
    const fault = this.list().find((candidate) => isLeft(candidate) && matches(candidate, call));
    if (!fault) return undefined;
    fault.hits += 1;
    return verdictOf(fault);
  }
}

function isLeft({ hits, times }: Fault): boolean {
  return times === undefined || hits < times;
}

function matches(fault: Fault, call: CallInfo): boolean {
  if (fault.method !== undefined && !methodMatches(fault.method, call.method)) return false;
  if (fault.account !== undefined && fault.account !== call.accountId) return false;
  if (fault.phone !== undefined && fault.phone.replace(/\D/g, '') !== call.phone) return false;
  return fault.chatId === undefined || fault.chatId === call.chatId;
}

function verdictOf({ error, delayMs, hang, drop, loseAnswer }: Fault): FaultVerdict {
  return {
    ...(error && { error: new RpcError(error.code, error.message) }),
    ...(delayMs !== undefined && { delayMs }),
    ...(hang && { hang }),
    ...(drop && { drop }),
    ...(loseAnswer !== undefined &&
      loseAnswer !== false && { loseAnswer: loseAnswer === true ? ('keep-session' as const) : loseAnswer }),
  };
}
