import { setTimeout as sleep } from 'node:timers/promises';
import { type BeforeApplicationShutdown, Injectable } from '@nestjs/common';
import { messageOf } from '../../common/errors/index.js';
import { AppLogger } from '../../common/log/app-logger.js';
import { CLOCK, type Cooldown } from './cooldowns.js';
import { type Flood, FloodsRepository } from './floods.repository.js';
import { LimitsRepository } from './limits.repository.js';

const RETRY_MS = 1_000;
/** While the database is away floods gather; beyond so many the oldest are forgotten. */
const MAX_FLOODS = 10_000;
const FLOODS_AT_ONCE = 500;

interface Unsaved {
  readonly sessionId: string;
  readonly cooldown: Cooldown;
  /** On the steady clock. */
  readonly endsAt: number;
}

/** Writes down what Telegram has closed, soon after it did, and again and again while the database is away. */
@Injectable()
export class LimitsWriter implements BeforeApplicationShutdown {
  private readonly logger: AppLogger;
  private readonly unsaved = new Map<string, Unsaved>();
  private floods: Flood[] = [];
  private writing: Promise<void> | undefined;
  private isStopping = false;

  constructor(
    private readonly limits: LimitsRepository,
    private readonly ledger: FloodsRepository,
    logger: AppLogger,
  ) {
    this.logger = logger.for(LimitsWriter.name);
  }

  save(sessionId: string, cooldown: Cooldown, leftMs: number): void {
    this.unsaved.set(`${sessionId} ${cooldown.scope}`, { sessionId, cooldown, endsAt: CLOCK.steady() + leftMs });
    this.start();
  }

  note(flood: Flood): void {
    this.floods.push(flood);
    if (this.floods.length > MAX_FLOODS) this.floods.shift();
    this.start();
  }

  /** Ends a cooldown, also one that is not written down yet. @returns whether the database had it */
  async lift(sessionId: string, scope: string): Promise<boolean> {
    this.unsaved.delete(`${sessionId} ${scope}`);
    await this.writing?.catch(() => undefined);
    return this.limits.removeCooldown(sessionId, scope);
  }

  /** Settles when what has been told so far is written, or could not be at the first try. */
  async flush(): Promise<void> {
    await this.writing;
    if (this.hasWork) await this.write().catch(() => undefined);
  }

  async beforeApplicationShutdown(): Promise<void> {
    this.isStopping = true;
    await this.flush();
  }

  private get hasWork(): boolean {
    return this.unsaved.size > 0 || this.floods.length > 0;
  }

  private start(): void {
    this.writing ??= this.writeAll().finally(() => {
      this.writing = undefined;
      if (this.hasWork && !this.isStopping) {
        void sleep(RETRY_MS, undefined, { ref: false }).then(() => this.start());
      }
    });
  }

  private async writeAll(): Promise<void> {
    try {
      while (this.hasWork) await this.write();
    } catch (error) {
      this.logger.warn(`cooldowns are not written down yet: ${messageOf(error)}`);
    }
  }

  private async write(): Promise<void> {
    for (const [key, entry] of this.unsaved) {
      const leftMs = entry.endsAt - CLOCK.steady();
      if (leftMs > 0) await this.limits.saveCooldown(entry.sessionId, entry.cooldown, leftMs);
      if (this.unsaved.get(key) === entry) this.unsaved.delete(key);
    }
    const floods = this.floods.slice(0, FLOODS_AT_ONCE);
    if (floods.length > 0) {
      await this.ledger.insert(floods);
      const written = new Set(floods);
      this.floods = this.floods.filter((flood) => !written.has(flood));
    }
  }
}
