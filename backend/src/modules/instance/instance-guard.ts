import { setTimeout as sleep } from 'node:timers/promises';
import { Injectable, type OnApplicationBootstrap, type OnApplicationShutdown, type OnModuleInit } from '@nestjs/common';
import { type BlobStore, openBlobStore } from '../../common/blobs/index.js';
import { UnitOfWork } from '../../common/db/unit-of-work.js';
import { AppError, StartupError } from '../../common/errors/index.js';
import { AppLogger } from '../../common/log/app-logger.js';
import { AppConfig } from '../../config/index.js';
import { readFence } from './fence.js';

/** This is a restored copy, and nobody has said yet that its original is gone: two of them would end each other's authorizations. */
export class NotActivatedError extends AppError {
  readonly code = 'not_activated';
  readonly status = 409;

  constructor() {
    super('this installation was restored from a backup and is not activated: it opens no session');
  }
}

interface InstanceRow {
  readonly id: string;
  readonly activated: boolean;
}

/** Keeps a copy of an installation and its original from running side by side. */
@Injectable()
export class InstanceGuard implements OnModuleInit, OnApplicationBootstrap, OnApplicationShutdown {
  private readonly logger: AppLogger;
  private readonly store: BlobStore | undefined;
  private readonly stopping = new AbortController();
  private readonly handlers: ((reason: string) => void)[] = [];
  private watching: Promise<void> = Promise.resolve();
  private isActive = false;

  constructor(
    private readonly config: AppConfig,
    private readonly unitOfWork: UnitOfWork,
    logger: AppLogger,
  ) {
    this.logger = logger.for(InstanceGuard.name);
    const { store } = config.backups;
    this.store = store && openBlobStore(store);
  }

  /** @param handler called once when a copy has taken the place of this installation */
  onFenced(handler: (reason: string) => void): void {
    this.handlers.push(handler);
  }

  /** @throws NotActivatedError in a restored copy that is not activated */
  async requireActive(): Promise<void> {
    // Nothing takes an activation back.
    this.isActive ||= (await this.row()).activated;
    if (!this.isActive) throw new NotActivatedError();
  }

  /** @throws StartupError when a copy has taken the place of this installation */
  async onModuleInit(): Promise<void> {
    const reason = await this.fenced();
    if (reason !== undefined) throw new StartupError(reason);
  }

  onApplicationBootstrap(): void {
    if (this.store !== undefined) this.watching = this.watch();
  }

  async onApplicationShutdown(): Promise<void> {
    this.stopping.abort();
    await this.watching;
  }

  private async watch(): Promise<void> {
    const { signal } = this.stopping;
    for (;;) {
      await sleep(this.config.backups.fenceEveryMs, undefined, { signal }).catch(() => undefined);
      if (signal.aborted) return;
      const reason = await this.fenced();
      if (reason !== undefined) {
        this.logger.error(reason);
        for (const handler of this.handlers) handler(reason);
        return;
      }
    }
  }

  /** A backup store that is away hinders nobody from working. @returns why this must not run, in words */
  private async fenced(): Promise<string | undefined> {
    if (this.store === undefined) return undefined;
    try {
      const { id } = await this.row();
      const fence = await readFence(this.store, id);
      return (
        fence &&
        `a copy of this installation was activated at ${fence.at} (instance ${fence.activated}): this one must not run beside it`
      );
    } catch (error) {
      this.logger.failure('the backup store was not asked whether a copy has taken our place', error);
      return undefined;
    }
  }

  private async row(): Promise<InstanceRow> {
    const [row] = await this.unitOfWork.rows<InstanceRow>(
      'SELECT id, activated_at IS NOT NULL AS activated FROM instance',
    );
    if (row === undefined) throw new StartupError('the table "instance" of the registry is empty');
    return row;
  }
}
