import type { LimitPeriod } from './limit-window.js';
import { groupOf } from './method-groups.js';

/** What a rule is for: sessions, or the calls of a token. */
export const LIMIT_LEVELS = ['session', 'token'] as const;
export type LimitLevel = (typeof LIMIT_LEVELS)[number];

/** Whom a rule binds: exactly one of the three. */
export interface LimitTarget {
  /** Every session of this kind that has no rule of its own. */
  readonly kind?: 'bot' | 'user';
  readonly sessionId?: string;
  readonly tokenId?: string;
}

/** How often something may be done. Each session has a count of its own under it. */
export interface LimitRule extends LimitTarget {
  readonly id: string;
  /** `*`, names of groups and methods; sorted, each once. */
  readonly methods: readonly string[];
  readonly max: number;
  readonly per: LimitPeriod;
  /** Of days and weeks. */
  readonly timezone: string;
  readonly label?: string;
  readonly enabled: boolean;
  readonly createdAt: Date;
}

/** Stands for every method. */
export const ANY_METHOD = '*';

/** Whose calls are looked at. */
export interface LimitSubject {
  readonly sessionId: string;
  readonly kind: 'bot' | 'user';
  /** Undefined for the master's calls. */
  readonly tokenId: string | undefined;
}

/** A rule, and the one that stands in its place. */
export interface BindingRule {
  readonly rule: LimitRule;
  readonly replacedBy?: string;
}

/** The level as the API names it. */
export function levelOf({ tokenId }: LimitTarget): LimitLevel {
  return tokenId === undefined ? 'session' : 'token';
}

/** Rules for the same methods and the same time: the closer one replaces the others. */
function placeOf({ per, methods }: LimitRule): string {
  return `${per} ${methods.join(' ')}`;
}

function binds(rule: LimitRule, { sessionId, kind, tokenId }: LimitSubject): boolean {
  if (rule.tokenId !== undefined) return rule.tokenId === tokenId;
  return rule.sessionId === undefined ? rule.kind === kind : rule.sessionId === sessionId;
}

/** A session's own rule is closer than that of its kind, a token's is closer than both. */
function closeness({ tokenId, sessionId }: LimitRule): number {
  if (tokenId !== undefined) return 2;
  return sessionId === undefined ? 0 : 1;
}

/** The rules about a subject, in their order. A rule that is switched off neither counts nor replaces. */
export function rulesAbout(rules: readonly LimitRule[], subject: LimitSubject): readonly BindingRule[] {
  const about = rules.filter((rule) => binds(rule, subject));
  const closest = new Map<string, LimitRule>();
  for (const rule of about) {
    const known = closest.get(placeOf(rule));
    if (rule.enabled && (known === undefined || closeness(known) < closeness(rule))) closest.set(placeOf(rule), rule);
  }
  return about.map((rule) => {
    const closer = closest.get(placeOf(rule));
    return closer === undefined || closeness(closer) <= closeness(rule) ? { rule } : { rule, replacedBy: closer.id };
  });
}

/** The rules that count calls of a subject. */
export function countingRules(rules: readonly LimitRule[], subject: LimitSubject): readonly LimitRule[] {
  return rulesAbout(rules, subject)
    .filter(({ rule, replacedBy }) => rule.enabled && replacedBy === undefined)
    .map(({ rule }) => rule);
}

/** Whether a rule counts whole calls, whatever they carry. */
export function countsCalls({ methods }: LimitRule): boolean {
  return methods.includes(ANY_METHOD);
}

/** Whether a rule names the method or its group. */
export function namesMethod({ methods }: LimitRule, method: string): boolean {
  return methods.includes(method) || methods.includes(groupOf(method) ?? method);
}
