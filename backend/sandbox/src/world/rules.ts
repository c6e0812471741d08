import type { Account } from './accounts.js';
import type { CallInfo } from './call-info.js';
import { methodMatches } from './call-info.js';
import type { VirtualClock } from './clock.js';

/** A standing limit: at most `max` calls in any window of `windowSeconds`, then FLOOD_WAIT. */
export interface RuleOptions {
  /** A method's name, a prefix that ends in `*`, or `send`. */
  readonly method: string;
  readonly per: 'account' | 'account_chat';
  /** Only accounts of this kind; all when absent. */
  readonly kind?: Account['kind'] | undefined;
  readonly max: number;
  readonly windowSeconds: number;
  /** Seconds to ask for; until the window has room again when absent. */
  readonly waitSeconds?: number | undefined;
}

export interface Rule extends RuleOptions {
  readonly id: number;
}

export interface RulesState {
  nextId: number;
  readonly rules: Map<number, Rule>;
  /** Times, in milliseconds, of the calls that count, by rule and subject. */
  readonly calls: Map<string, number[]>;
}

/**
 * What bots meet in one chat: 20 messages a minute and one a second
 * (https://core.telegram.org/bots/faq#my-bot-is-hitting-limits-how-do-i-avoid-this).
 */
export const BOT_RULES: readonly RuleOptions[] = [
  { method: 'send', per: 'account_chat', kind: 'bot', max: 20, windowSeconds: 60 },
  { method: 'send', per: 'account_chat', kind: 'bot', max: 1, windowSeconds: 1 },
];

/** The standing limits. Refused calls do not count against a limit. */
export class Rules {
  state: RulesState = Rules.emptyState();

  constructor(
    private readonly clock: VirtualClock,
    private readonly kindOf: (accountId: number) => Account['kind'] | undefined,
  ) {}

  static emptyState(): RulesState {
    return { nextId: 1, rules: new Map(), calls: new Map() };
  }

  add(options: RuleOptions): Rule {
    const rule = { ...options, id: this.state.nextId++ };
    this.state.rules.set(rule.id, rule);
    return rule;
  }

  list(): Rule[] {
    return [...this.state.rules.values()];
  }

  remove(id: number): boolean {
    return this.state.rules.delete(id);
  }

  clear(): void {
    this.state.rules.clear();
    this.state.calls.clear();
  }

  /** Counts the call, or says how many seconds to wait when a rule has no room for it. */
  admit(call: CallInfo): number | undefined {
    if (this.state.rules.size === 0 || call.accountId === undefined) return undefined;
    const kind = this.kindOf(call.accountId);
    const concerned = this.list().filter(
      (rule) => methodMatches(rule.method, call.method) && (rule.kind === undefined || rule.kind === kind),
    );
    const windows = concerned.map((rule) => ({ rule, times: this.window(rule, call) }));
    const full = windows.find(({ rule, times }) => times.length >= rule.max);
    if (full) return waitOf(full.rule, full.times, this.clock.now());
    for (const { times } of windows) times.push(this.clock.now());
    return undefined;
  }

  /** The counted calls that still matter. */
  private window(rule: Rule, call: CallInfo): number[] {
    const chat = rule.per === 'account_chat' ? String(call.chatId) : '';
    const key = `${String(rule.id)}:${String(call.accountId)}:${chat}`;
    const from = this.clock.now() - rule.windowSeconds * 1000;
    const times = (this.state.calls.get(key) ?? []).filter((time) => time > from);
    this.state.calls.set(key, times);
    return times;
  }
}

function waitOf(rule: Rule, times: readonly number[], now: number): number {
  if (rule.waitSeconds !== undefined) return rule.waitSeconds;
  const oldest = times[times.length - rule.max] ?? now;
  return Math.max(1, Math.ceil((oldest + rule.windowSeconds * 1000 - now) / 1000));
}
