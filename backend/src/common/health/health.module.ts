import { accessSync, constants, statfsSync } from 'node:fs';
import { Global, Module } from '@nestjs/common';
import { AppConfig } from '../../config/index.js';
import { HealthController } from './health.controller.js';
import { Readiness } from './readiness.js';

/** Below this much space TDLib's databases and uploads soon fail. */
const MIN_FREE_BYTES = 64 * 1024 * 1024;

/** Liveness and readiness, on every role. */
@Global()
@Module({ controllers: [HealthController], providers: [Readiness], exports: [Readiness] })
export class HealthModule {
  constructor(config: AppConfig, readiness: Readiness) {
    if (!config.isWorker) return;
    readiness.check('disk', () => {
      accessSync(config.dataDir, constants.W_OK);
      const { bavail, bsize } = statfsSync(config.dataDir);
      if (bavail * bsize < MIN_FREE_BYTES)
        throw new Error(`less than ${MIN_FREE_BYTES / 1024 ** 2} MiB free in DATA_DIR`);
    });
  }
}
