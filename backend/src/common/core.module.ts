import { type DynamicModule, Module } from '@nestjs/common';
import { APP_FILTER, APP_INTERCEPTOR, APP_PIPE } from '@nestjs/core';
import { AppConfig } from '../config/index.js';
import { WorkerClient } from './cluster/index.js';
import { SecretBox } from './crypto/secret-box.js';
import type { Schema } from './db/database.js';
import { DatabaseModule } from './db/database.module.js';
import { HealthModule } from './health/health.module.js';
import { EnvelopeInterceptor } from './http/envelope.interceptor.js';
import { HeldRequests } from './http/held-requests.js';
import { ErrorFilter } from './http/error.filter.js';
import { validationPipe } from './http/validation.js';
import { Idempotency, IdempotencyRepository } from './idempotency/index.js';
import { AppLogger } from './log/app-logger.js';

/** What every module may count on, in every role: configuration, log, database, health, envelope. */
@Module({})
export class CoreModule {
  static forRoot(config: AppConfig, logger: AppLogger, schema: Schema): DynamicModule {
    const { masterKey } = config.secrets;
    return {
      module: CoreModule,
      global: true,
      imports: [HealthModule, DatabaseModule.forRoot(schema)],
      providers: [
        { provide: AppConfig, useValue: config },
        { provide: AppLogger, useValue: logger },
        { provide: APP_PIPE, useFactory: validationPipe },
        { provide: APP_FILTER, useClass: ErrorFilter },
        { provide: APP_INTERCEPTOR, useClass: EnvelopeInterceptor },
        IdempotencyRepository,
        Idempotency,
        HeldRequests,
        ...(masterKey === undefined ? [] : [{ provide: SecretBox, useValue: new SecretBox(masterKey) }]),
        ...(config.role === 'gateway' ? [WorkerClient] : []),
      ],
      exports: [
        AppConfig,
        AppLogger,
        HeldRequests,
        Idempotency,
        IdempotencyRepository,
        ...(masterKey === undefined ? [] : [SecretBox]),
        ...(config.role === 'gateway' ? [WorkerClient] : []),
      ],
    };
  }
}
