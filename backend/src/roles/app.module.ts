import { type DynamicModule, Module } from '@nestjs/common';
import { CoreModule } from '../common/core.module.js';
import type { EntityClass } from '../common/db/database.js';
import { IdempotencyKeyEntity } from '../common/idempotency/index.js';
import type { AppLogger } from '../common/log/app-logger.js';
import type { AppConfig, Role } from '../config/index.js';
import { MIGRATIONS } from '../migrations/index.js';
import { AppEntity, AppsModule } from '../modules/apps/index.js';
import { AuditEventEntity, AuditModule } from '../modules/audit/index.js';
import { BotPoolModule } from '../modules/bot-pool/index.js';
import { FilesModule } from '../modules/files/index.js';
import { InstanceModule } from '../modules/instance/index.js';
import { LimitsModule } from '../modules/limits/index.js';
import { ProxiesModule, ProxyEntity } from '../modules/proxies/index.js';
import { S3KeyEntity, S3Module } from '../modules/s3/index.js';
import { SendEntity, SessionEntity, SessionsModule } from '../modules/sessions/index.js';
import { StatesModule } from '../modules/states/index.js';
import { TdApiModule } from '../modules/td-api/index.js';
import {
  ApiTokenAppEntity,
  ApiTokenEntity,
  ApiTokenFormerSecretEntity,
  ApiTokenSessionEntity,
  EventTicketEntity,
  TokensModule,
} from '../modules/tokens/index.js';
import { UploadsModule } from '../modules/uploads/index.js';
import { SubscriptionEntity, WebhooksModule } from '../modules/webhooks/index.js';
import { WorkerEntity, WorkersModule } from '../modules/workers/index.js';
import { OpenApiModule } from './openapi.module.js';

/** Everything that TypeORM maps. */
export const ENTITIES: readonly EntityClass[] = [
  ApiTokenAppEntity,
  ApiTokenEntity,
  ApiTokenFormerSecretEntity,
  ApiTokenSessionEntity,
  AppEntity,
  AuditEventEntity,
  EventTicketEntity,
  IdempotencyKeyEntity,
  ProxyEntity,
  S3KeyEntity,
  SendEntity,
  SessionEntity,
  SubscriptionEntity,
  WorkerEntity,
];

/** The only table that says which role has what. A module sits before those that use it, so that it starts before them. */
const MODULES_OF: Readonly<Record<Role, readonly DynamicModule[]>> = {
  gateway: [
    TokensModule.forGateway(),
    AuditModule.forGateway(),
    WorkersModule.forGateway(),
    AppsModule.forGateway(),
    ProxiesModule.forGateway(),
    UploadsModule.forGateway(),
    LimitsModule.forGateway(),
    SessionsModule.forGateway(),
    FilesModule.forGateway(),
    WebhooksModule.forGateway(),
    BotPoolModule.forGateway(),
    S3Module.forGateway(),
    TdApiModule.forGateway(),
    OpenApiModule.forGateway(),
  ],
  worker: [
    TokensModule.forWorker(),
    InstanceModule.forWorker(),
    WorkersModule.forWorker(),
    AppsModule.forWorker(),
    ProxiesModule.forWorker(),
    UploadsModule.forWorker(),
    LimitsModule.forWorker(),
    StatesModule.forWorker(),
    SessionsModule.forWorker(),
    FilesModule.forWorker(),
    WebhooksModule.forWorker(),
    BotPoolModule.forWorker(),
  ],
  all: [
    TokensModule.forGateway(),
    AuditModule.forGateway(),
    InstanceModule.forWorker(),
    WorkersModule.forAll(),
    AppsModule.forAll(),
    ProxiesModule.forAll(),
    UploadsModule.forWorker(),
    LimitsModule.forAll(),
    StatesModule.forWorker(),
    SessionsModule.forAll(),
    FilesModule.forAll(),
    WebhooksModule.forAll(),
    BotPoolModule.forAll(),
    S3Module.forGateway(),
    TdApiModule.forGateway(),
    OpenApiModule.forGateway(),
  ],
};

@Module({})
export class AppModule {
  static forRole(config: AppConfig, logger: AppLogger): DynamicModule {
    return {
      module: AppModule,
      imports: [
        CoreModule.forRoot(config, logger, { entities: ENTITIES, migrations: MIGRATIONS }),
        ...MODULES_OF[config.role],
      ],
    };
  }
}
