import { setTimeout as sleep } from 'node:timers/promises';
import { Injectable, type OnApplicationShutdown } from '@nestjs/common';
import { AppLogger } from '../../common/log/app-logger.js';
import { messageOf } from '../../common/errors/index.js';
import { TokensRepository } from './tokens.repository.js';

/** How late `last_used_at` may be, in milliseconds. */
const WRITE_EVERY_MS = 5000;
/** A shutdown waits no longer for the last write: the value is a help and no record. */
const LAST_WRITE_MS = 1000;

/** Gathers which tokens are used and writes it down for all of them at once, so that a request writes nothing. */
@Injectable()
export class TokenUsage implements OnApplicationShutdown {
  private readonly used = new Set<string>();
  private timer: NodeJS.Timeout | undefined;

  constructor(
    private readonly repository: TokensRepository,
    private readonly logger: AppLogger,
  ) {}

  note(tokenId: string): void {
    this.used.add(tokenId);
    this.timer ??= setTimeout(() => void this.write(), WRITE_EVERY_MS).unref();
  }

  async onApplicationShutdown(): Promise<void> {
    await Promise.race([this.write(), sleep(LAST_WRITE_MS, undefined, { ref: false })]);
  }

  private async write(): Promise<void> {
    clearTimeout(this.timer);
    this.timer = undefined;
    const ids = [...this.used];
    this.used.clear();
    if (ids.length === 0) return;
    try {
      await this.repository.noteUse(ids);
    } catch (error) {
      this.logger.warn(`the use of ${ids.length} tokens was not noted: ${messageOf(error)}`);
    }
  }
}
