import { accessSync, constants, statfsSync } from 'node:fs';
import { Global, Module } from '@nestjs/common';
import { messageOf } from '../errors/index.js';
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
      try {
        accessSync(config.dataDir, constants.W_OK);
      } catch (error) {
        throw new Error(
          `DATA_DIR ${config.dataDir} is not writable: ${messageOf(error)}. This process is user ${process.getuid?.() ?? 'unknown'}`,
          { cause: error },
        );
      }
      const { bavail, bsize } = statfsSync(config.dataDir);
      if (bavail * bsize < MIN_FREE_BYTES)
        throw new Error(
          `less than ${MIN_FREE_BYTES / 1024 ** 2} MiB free in DATA_DIR: du -sh ${config.dataDir}/sessions/* shows who takes it`,
        );
    });
  }
}
