import { Injectable } from '@nestjs/common';
import { Cron, CronExpression } from '@nestjs/schedule';
import { messageOf } from '../../common/errors/index.js';
import { AppLogger } from '../../common/log/app-logger.js';
import { OpenSessions } from '../sessions/index.js';
import { LocalStorage } from './local-storage.js';

/** Every hour each session's files are brought within STORAGE_MAX_SIZE and STORAGE_TTL, one session after the other. */
@Injectable()
export class StorageSweep {
  private running: Promise<void> | undefined;

  constructor(
    private readonly sessions: OpenSessions,
    private readonly storage: LocalStorage,
    private readonly logger: AppLogger,
  ) {}

  /** One pass at a time; never fails. */
  @Cron(CronExpression.EVERY_HOUR)
  sweep(): Promise<void> {
    this.running ??= this.pass().finally(() => (this.running = undefined));
    return this.running;
  }

  private async pass(): Promise<void> {
    for (const { kind, id } of this.sessions.ready) {
      try {
        const { removed } = await this.storage.clean({ kind, id }, {});
        if (removed.count > 0) this.logger.info('removed files of a session', { sessionId: id, ...removed });
      } catch (error) {
        this.logger.warn(`the files of a session were not looked at: ${messageOf(error)}`, { sessionId: id });
      }
    }
  }
}
