import { Injectable } from '@nestjs/common';
import { LimitsRepository, SPAM_LIMIT } from '../../limits/index.js';
import { SessionsRepository } from '../sessions.repository.js';

/** The limits of sessions that no client is open for. */
@Injectable()
export class StoredLimits {
  constructor(
    private readonly limits: LimitsRepository,
    private readonly sessions: SessionsRepository,
  ) {}

  /** Ends a cooldown early. @returns whether it ran */
  async lift(id: string, scope: string): Promise<boolean> {
    const ran = await this.limits.removeCooldown(id, scope);
    if (ran && scope === SPAM_LIMIT) await this.sessions.clearSpamLimit(id);
    return ran;
  }
}
