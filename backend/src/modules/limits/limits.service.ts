import { randomUUID } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { violates } from '../../common/db/database-failure.js';
import { Notifications } from '../../common/db/notifications.js';
import { UnitOfWork } from '../../common/db/unit-of-work.js';
import { NotFoundError, ValidationFailedError, type ValidationIssue } from '../../common/errors/index.js';
import { Page, type PageRequest } from '../../common/http/index.js';
import { readTdSchema } from '../../telegram/index.js';
import { ANY_METHOD, type LimitRule, type LimitSubject, type LimitTarget, rulesAbout } from './limit-rule.js';
import {
  DEFAULT_TIMEZONE,
  isSameWindow,
  isTimezone,
  type LimitPeriod,
  type LimitWindow,
  windowOf,
} from './limit-window.js';
import { LimitExistsError } from './limits.errors.js';
import { type LimitPlace, LimitsRepository, RULE_PLACE_KEY, type UsedOf } from './limits.repository.js';
import { isMethodGroup } from './method-groups.js';

/** A rule with what it has counted in its present window. */
export interface UsedRule {
  readonly rule: LimitRule;
  readonly used: number;
  readonly window: LimitWindow;
  /** The rule that stands in its place. */
  readonly replacedBy?: string;
}

/** A rule that is to be made. */
export interface LimitRuleDraft extends LimitTarget {
  readonly methods: readonly string[];
  readonly max: number;
  readonly per: LimitPeriod;
  readonly timezone: string | undefined;
  readonly label: string | undefined;
  readonly enabled: boolean;
}

/** What is to change of a rule; null takes a label away. */
export interface LimitRuleWish {
  readonly methods: readonly string[] | undefined;
  readonly max: number | undefined;
  readonly per: LimitPeriod | undefined;
  readonly timezone: string | undefined;
  readonly label: string | null | undefined;
  readonly enabled: boolean | undefined;
}

/** Whether days are counted in the rule's zone; minutes and hours are the same everywhere. */
export function hasTimezone(per: LimitPeriod): boolean {
  return per === 'day' || per === 'week';
}

let methodNames: Promise<ReadonlySet<string>> | undefined;

async function readMethodNames(): Promise<ReadonlySet<string>> {
  const { methods } = await readTdSchema();
  return new Set(methods.map(({ name }) => name));
}

/** Rules: what may be done how often. */
@Injectable()
export class LimitsService {
  constructor(
    private readonly repository: LimitsRepository,
    private readonly unitOfWork: UnitOfWork,
    private readonly notifications: Notifications,
  ) {}

  /** With the highest count that any one session has. */
  async list(request: PageRequest): Promise<Page<UsedRule>> {
    const page = await this.repository.rulesPage(request);
    const used = await this.repository.mostUsed(page.items.map(({ id }) => id));
    return page.map((rule) => withUse(rule, used));
  }

  /** @throws NotFoundError */
  async get(id: string): Promise<UsedRule> {
    return withUse(await this.existing(id), await this.repository.mostUsed([id]));
  }

  /** @throws ValidationFailedError, NotFoundError for an unknown target, LimitExistsError */
  async create(draft: LimitRuleDraft): Promise<UsedRule> {
    await requireKnown(draft.methods);
    const methods = normalMethods(draft.methods);
    requireTimezone(draft.per, draft.timezone);
    const { timezone, label, ...rest } = draft;
    const rule = {
      ...rest,
      id: randomUUID(),
      methods,
      timezone: timezone ?? DEFAULT_TIMEZONE,
      ...(label !== undefined && label !== '' && { label }),
    };
    await this.write(rule, async () => {
      if (!(await this.repository.targetExists(rule))) {
        throw rule.sessionId === undefined
          ? new NotFoundError('token', rule.tokenId ?? '')
          : new NotFoundError('session', rule.sessionId);
      }
      await this.repository.insertRule(rule);
    });
    return this.get(rule.id);
  }

  /** @throws ValidationFailedError, NotFoundError, LimitExistsError */
  async change(id: string, wish: LimitRuleWish): Promise<UsedRule> {
    const rule = await this.existing(id);
    await requireKnown(wish.methods ?? []);
    const methods = wish.methods === undefined ? rule.methods : normalMethods(wish.methods);
    const per = wish.per ?? rule.per;
    requireTimezone(per, wish.timezone);
    const label = wish.label === '' ? null : wish.label;
    const { max, timezone, enabled } = wish;
    const change = {
      ...(wish.methods !== undefined && { methods }),
      ...(max !== undefined && { max }),
      ...(wish.per !== undefined && { per }),
      ...(timezone !== undefined && { timezone }),
      ...(enabled !== undefined && { enabled }),
      ...(label !== undefined && { label }),
    };
    await this.write({ ...rule, methods, per }, async () => {
      if (!(await this.repository.changeRule(id, change))) throw new NotFoundError('limit', id);
    });
    return this.get(id);
  }

  /** @throws NotFoundError */
  async remove(id: string): Promise<void> {
    await this.unitOfWork.run(async () => {
      if (!(await this.repository.removeRule(id))) throw new NotFoundError('limit', id);
      await this.notifications.publish('limits_changed', id);
    });
  }

  /**
   * The rules about sessions and their use, by session id.
   * @param tokenId of the one who asks: it sees those of no other token; undefined for the master
   * @param seesTokens whether the rules of all tokens that may use the session are shown
   */
  async about(
    sessions: readonly Omit<LimitSubject, 'tokenId'>[],
    tokenId: string | undefined,
    seesTokens: boolean,
  ): Promise<ReadonlyMap<string, readonly UsedRule[]>> {
    const rules = await this.repository.rules();
    const about = new Map<string, readonly Omit<UsedRule, 'used' | 'window'>[]>();
    for (const session of sessions) {
      const own = rulesAbout(rules, { ...session, tokenId });
      const foreign = seesTokens ? await this.ofTokens(rules, session.sessionId) : [];
      about.set(session.sessionId, [...own, ...foreign.map((rule) => ({ rule }))]);
    }
    const ids = new Set([...about.values()].flatMap((each) => each.map(({ rule }) => rule.id)));
    const used = await this.repository.used([...about.keys()], [...ids]);
    return new Map(
      [...about].map(([sessionId, each]) => {
        const here = used.filter((count) => count.sessionId === sessionId);
        return [sessionId, each.map(({ rule, ...rest }) => ({ ...withUse(rule, here), ...rest }))];
      }),
    );
  }

  private async ofTokens(rules: readonly LimitRule[], sessionId: string): Promise<readonly LimitRule[]> {
    const ofTokens = rules.filter(({ tokenId }) => tokenId !== undefined);
    if (ofTokens.length === 0) return [];
    const tokens = await this.repository.tokensOf(sessionId);
    return ofTokens.filter(({ tokenId }) => tokenId !== undefined && tokens.has(tokenId));
  }

  private async existing(id: string): Promise<LimitRule> {
    const rule = await this.repository.rule(id);
    if (rule === undefined) throw new NotFoundError('limit', id);
    return rule;
  }

  private async write(rule: LimitPlace & Pick<LimitRule, 'id'>, work: () => Promise<void>): Promise<void> {
    try {
      await this.unitOfWork.run(async () => {
        await work();
        await this.notifications.publish('limits_changed', rule.id);
      });
    } catch (error) {
      if (!violates(error, RULE_PLACE_KEY)) throw error;
      throw new LimitExistsError(await this.repository.ruleAt(rule));
    }
  }
}

function withUse(rule: LimitRule, counts: readonly UsedOf[]): UsedRule {
  const window = windowOf(rule.per, rule.timezone, Date.now());
  const count = counts.find((each) => each.ruleId === rule.id && isSameWindow(each.window, window));
  return { rule, used: count?.used ?? 0, window };
}

/** In one form, so that the same methods are the same rule. Beside `*` the others say nothing. */
function normalMethods(methods: readonly string[]): readonly string[] {
  return methods.includes(ANY_METHOD) ? [ANY_METHOD] : [...new Set(methods)].sort();
}

/** @throws ValidationFailedError naming each method that td_api has not */
async function requireKnown(methods: readonly string[]): Promise<void> {
  methodNames ??= readMethodNames();
  const known = await methodNames;
  const issues = methods.flatMap((method, index): ValidationIssue[] => {
    if (method === ANY_METHOD || isMethodGroup(method) || known.has(method)) return [];
    return [{ path: `methods[${index}]`, message: `${method} is neither a td_api method nor a group of them` }];
  });
  if (issues.length > 0) throw new ValidationFailedError(issues);
}

/** @throws ValidationFailedError */
function requireTimezone(per: LimitPeriod, timezone: string | undefined): void {
  if (timezone === undefined) return;
  if (!isTimezone(timezone)) {
    throw new ValidationFailedError([
      { path: 'timezone', message: 'timezone must be a name of the IANA database such as Europe/Moscow' },
    ]);
  }
  if (!hasTimezone(per)) {
    throw new ValidationFailedError([{ path: 'timezone', message: `a ${per} is the same in every timezone` }]);
  }
}
