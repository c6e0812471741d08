import { messageOf } from '../../common/errors/index.js';
import type { AppLogger } from '../../common/log/app-logger.js';
import type { LanesRepository, SettledOf } from './lanes.repository.js';

const GATHER_MS = 10;
const MAX_ROWS = 500;
const RETRY_MS = 1_000;
const FLUSH_TIMEOUT_MS = 3_000;

/** What became of attempts, on its way to the database in batches. While the database is away it waits here. */
export class Settlements {
  private readonly waiting: (SettledOf & { readonly written: () => void })[] = [];
  private writing: Promise<void> | undefined;
  private timer: NodeJS.Timeout | undefined;
  private isFailing = false;

  /** @param ended tells of subscriptions that the database has switched off */
  constructor(
    private readonly repository: LanesRepository,
    private readonly ended: (subscriptions: readonly { readonly id: string; readonly session_id: string }[]) => void,
    private readonly logger: AppLogger,
  ) {}

  /** Settles when the database has it. */
  add(settled: SettledOf): Promise<void> {
    return new Promise((written) => {
      this.waiting.push({ ...settled, written });
      if (this.waiting.length >= MAX_ROWS) this.begin();
      else this.gather(GATHER_MS);
    });
  }

  /** Settles when what was known is stored, or after some seconds. */
  async flush(): Promise<void> {
    const deadline = performance.now() + FLUSH_TIMEOUT_MS;
    while (this.waiting.length > 0 && performance.now() < deadline) {
      this.begin();
      await Promise.race([this.writing, new Promise((resolve) => setTimeout(resolve, 100))]);
    }
  }

  private gather(afterMs: number): void {
    if (this.writing !== undefined) return;
    this.timer ??= setTimeout(() => this.begin(), afterMs).unref();
  }

  private begin(): void {
    clearTimeout(this.timer);
    this.timer = undefined;
    this.writing ??= this.writeAll().finally(() => {
      this.writing = undefined;
      if (this.waiting.length > 0) this.gather(this.isFailing ? RETRY_MS : GATHER_MS);
    });
  }

  private async writeAll(): Promise<void> {
    const batch = this.waiting.slice(0, MAX_ROWS);
    if (batch.length === 0) return;
    try {
      await this.repository.settle(batch);
      this.waiting.splice(0, batch.length);
      for (const { written } of batch) written();
      const ended = await this.repository.count(batch);
      if (ended.length > 0) this.ended(ended);
      this.isFailing = false;
    } catch (error) {
      if (!this.isFailing) this.logger.warn(`deliveries are not noted for now: ${messageOf(error)}`);
      this.isFailing = true;
    }
  }
}
