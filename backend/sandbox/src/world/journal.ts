import type { RpcContext, RpcObserver, RpcOutcome, RpcResult } from '../rpc.js';
import type { TlObject } from '../schema/tl-object.js';
import { isTlObject } from '../schema/tl-object.js';
import { callInfo, methodMatches } from './call-info.js';
import type { VirtualClock } from './clock.js';

/** One call and how it ended. */
export interface JournalEntry {
  /** Grows by one per call. */
  readonly seq: number;
  /** Unix milliseconds of the sandbox's clock, when the call ended. */
  readonly time: number;
  readonly method: string;
  readonly account: number | undefined;
  readonly chatId: number | undefined;
  readonly authKeyId: string;
  readonly proxy: string | undefined;
  /** Name of the answer's constructor, when there was an answer. */
  readonly answer: string | undefined;
  /** `420 FLOOD_WAIT_3` */
  readonly error: string | undefined;
  /** A fault that kept the call from being answered. */
  readonly fault: 'hang' | 'drop' | undefined;
  readonly durationMs: number;
}

/** Which entries are wanted. */
export interface JournalFilter {
  /** A method's name, a prefix that ends in `*`, or `send`. */
  readonly method?: string | undefined;
  readonly account?: number | undefined;
  /** Only entries with a greater `seq`. */
  readonly after?: number | undefined;
  readonly limit?: number | undefined;
}

/** Calls and errors since the start or the last reset. */
export interface MethodStats {
  readonly calls: number;
  readonly errors: number;
}

/** The answer of methods the sandbox does not have; TDLib goes on without them. */
export const NOT_IMPLEMENTED = 'METHOD_NOT_IMPLEMENTED';

const MAX_ENTRIES = 20_000;
const TRIM_SLACK = 5_000;

/** Every call that came in. Bodies are not kept: file parts would fill the memory. */
export class Journal implements RpcObserver {
  private entries: JournalEntry[] = [];
  private nextSeq = 1;
  private stats = new Map<string, { calls: number; errors: number }>();

  constructor(private readonly clock: VirtualClock) {}

  finished(context: RpcContext, query: TlObject, outcome: RpcOutcome, durationMs: number): void {
    const { method, accountId, chatId } = callInfo(context, query);
    const error = outcome.kind === 'error' ? `${String(outcome.error.code)} ${outcome.error.text}` : undefined;
    this.entries.push({
      seq: this.nextSeq++,
      time: this.clock.now(),
      method,
      account: accountId,
      chatId,
      authKeyId: String(context.key.id),
      proxy: context.proxy,
      answer: outcome.kind === 'result' ? nameOf(outcome.value) : undefined,
      error,
      fault: outcome.kind === 'fault' ? outcome.fault : undefined,
      durationMs,
    });
    if (this.entries.length > MAX_ENTRIES + TRIM_SLACK) this.entries.splice(0, this.entries.length - MAX_ENTRIES);
    const counted = this.stats.get(method) ?? { calls: 0, errors: 0 };
    counted.calls += 1;
    if (error !== undefined) counted.errors += 1;
    this.stats.set(method, counted);
  }

  /** Oldest first. */
  find({ method, account, after = 0, limit = MAX_ENTRIES }: JournalFilter = {}): JournalEntry[] {
    const found = this.entries.filter(
      (entry) =>
        entry.seq > after &&
        (method === undefined || methodMatches(method, entry.method)) &&
        (account === undefined || entry.account === account),
    );
    return found.slice(0, limit);
  }

  /** Methods that were asked for and do not exist here, with how often. */
  unimplemented(): Map<string, number> {
    const counts = new Map<string, number>();
    for (const { method, error } of this.entries) {
      if (error?.endsWith(NOT_IMPLEMENTED)) counts.set(method, (counts.get(method) ?? 0) + 1);
    }
    return counts;
  }

  statistics(): Record<string, MethodStats> {
    return Object.fromEntries([...this.stats].map(([method, counted]) => [method, { ...counted }]));
  }

  clear(): void {
    this.entries = [];
    this.stats = new Map();
  }
}

function nameOf(value: RpcResult): string {
  if (isTlObject(value)) return value._;
  return typeof value === 'object' ? 'vector' : String(value);
}
