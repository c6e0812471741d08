import { Injectable, type OnApplicationBootstrap, type OnApplicationShutdown, type OnModuleInit } from '@nestjs/common';
import { Notifications } from '../../common/db/notifications.js';
import { messageOf } from '../../common/errors/index.js';
import { AppLogger } from '../../common/log/app-logger.js';
import { countingRules, countsCalls, type LimitRule, type LimitSubject, namesMethod } from './limit-rule.js';
import { CurrentWindow } from './limit-window.js';
import { LimitsRepository } from './limits.repository.js';

/** A rule that counts a call. */
export interface CountingRule {
  readonly rule: LimitRule;
  readonly window: CurrentWindow;
  /** It counts the call itself, whatever it carries. */
  readonly countsCalls: boolean;
}

const RETRY_MS = 1_000;
const SECOND_LOOK_MS = 2_000;
/** What is found out for a method of a subject is kept; beyond so many it is all found out anew. */
const MAX_KNOWN = 20_000;
const NONE: readonly CountingRule[] = [];

/** The rules as this process knows them; a change is told by NOTIFY. With the database away the last ones go on. */
@Injectable()
export class RuleBook implements OnModuleInit, OnApplicationBootstrap, OnApplicationShutdown {
  private readonly logger: AppLogger;
  private rules: readonly LimitRule[] = [];
  private readonly windows = new Map<string, CurrentWindow>();
  private readonly known = new Map<string, readonly CountingRule[]>();
  private loading: Promise<void> | undefined;
  private isStale = false;
  private timer: NodeJS.Timeout | undefined;
  private isStopped = false;

  constructor(
    private readonly repository: LimitsRepository,
    private readonly notifications: Notifications,
    logger: AppLogger,
  ) {
    this.logger = logger.for(RuleBook.name);
  }

  onModuleInit(): void {
    this.notifications.subscribe('limits_changed', () => void this.reload());
  }

  async onApplicationBootstrap(): Promise<void> {
    await this.reload();
    // Listening begins in this moment too: what was changed before it did is seen by a second look.
    this.lookAgain(SECOND_LOOK_MS);
  }

  onApplicationShutdown(): void {
    this.isStopped = true;
    clearTimeout(this.timer);
  }

  /** Those that count a call of this method. @param isWhole false for what a call asks for beside itself: rules of whole calls have counted it */
  counting(subject: LimitSubject, method: string, isWhole = true): readonly CountingRule[] {
    if (this.rules.length === 0) return NONE;
    const key = `${subject.sessionId} ${subject.tokenId ?? ''} ${method} ${isWhole}`;
    const known = this.known.get(key);
    if (known !== undefined) return known;
    const found = countingRules(this.rules, subject).flatMap((rule) => {
      const window = this.windows.get(rule.id);
      const countsAll = countsCalls(rule);
      const counts = countsAll ? isWhole : namesMethod(rule, method);
      return counts && window !== undefined ? [{ rule, window, countsCalls: countsAll }] : [];
    });
    if (this.known.size >= MAX_KNOWN) this.known.clear();
    this.known.set(key, found);
    return found;
  }

  /** Settles when the rules are those that the database has at this moment, or when it does not answer. */
  reload(): Promise<void> {
    this.isStale = true;
    this.loading ??= this.load().finally(() => {
      this.loading = undefined;
    });
    return this.loading;
  }

  private async load(): Promise<void> {
    while (this.isStale && !this.isStopped) {
      this.isStale = false;
      try {
        const rules = await this.repository.rules();
        this.rules = rules;
        this.known.clear();
        this.windows.clear();
        for (const { id, per, timezone } of rules) this.windows.set(id, new CurrentWindow(per, timezone));
      } catch (error) {
        this.logger.warn(`the limits are not known anew yet: ${messageOf(error)}`);
        this.lookAgain(RETRY_MS);
        return;
      }
    }
  }

  private lookAgain(afterMs: number): void {
    clearTimeout(this.timer);
    if (!this.isStopped) this.timer = setTimeout(() => void this.reload(), afterMs).unref();
  }
}
