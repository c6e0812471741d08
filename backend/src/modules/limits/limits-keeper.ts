import { Injectable } from '@nestjs/common';
import { messageOf } from '../../common/errors/index.js';
import { AppLogger } from '../../common/log/app-logger.js';
import { AppConfig } from '../../config/index.js';
import type { LimitSubject } from './limit-rule.js';
import { LimitsRepository } from './limits.repository.js';
import { LimitsWriter } from './limits-writer.js';
import { QuotaCharger } from './quota-charger.js';
import { RuleBook } from './rule-book.js';
import { type LimitEvents, SessionLimits } from './session-limits.js';

/** Makes the limits of sessions that open in this process. */
@Injectable()
export class LimitsKeeper {
  private readonly logger: AppLogger;

  constructor(
    private readonly config: AppConfig,
    private readonly repository: LimitsRepository,
    private readonly writer: LimitsWriter,
    private readonly rules: RuleBook,
    logger: AppLogger,
  ) {
    this.logger = logger.for(LimitsKeeper.name);
  }

  /** With what another worker may have learned of it. */
  async open(session: Omit<LimitSubject, 'tokenId'>, events: LimitEvents): Promise<SessionLimits> {
    const { sessionId } = session;
    const stored = await this.repository.cooldowns([sessionId]);
    const charger = new QuotaCharger(
      sessionId,
      (id, charges) => this.repository.charge(id, charges),
      (error) => this.logger.warn(`calls pass without being counted: ${messageOf(error)}`, { sessionId }),
    );
    const limits = new SessionLimits(
      session,
      {
        rules: this.rules,
        charger,
        used: (ruleIds) => this.repository.used([sessionId], ruleIds),
        store: this.writer,
        pace: this.config.pace,
      },
      events,
    );
    limits.load(stored.get(sessionId) ?? []);
    return limits;
  }
}
