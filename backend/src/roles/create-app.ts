import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { NestFactory } from '@nestjs/core';
import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import { DataSource } from 'typeorm';
import { CALL_LINE_PATH, CALL_LINE_PROTOCOL, CallLines } from '../common/cluster/index.js';
import { Access } from '../common/http/index.js';
import { HTTP_DEADLINES, HttpServer } from '../common/http/http-server.js';
import { StaticSite } from '../common/http/static-site.js';
import { AppLogger } from '../common/log/app-logger.js';
import type { AppConfig } from '../config/index.js';
import { AuditLog } from '../modules/audit/index.js';
import { SessionMovingError } from '../modules/sessions/index.js';
import { Authenticator } from '../modules/tokens/index.js';
import { WorkerLease } from '../modules/workers/index.js';
import { AppModule } from './app.module.js';

function consoleOf(config: AppConfig): StaticSite | undefined {
  const { dir } = config.console;
  if (!config.isGateway || dir === undefined || !existsSync(join(dir, 'index.html'))) return undefined;
  return new StaticSite(dir, { immutable: '/_next/static/' });
}

/**
 * The application of a role, connected to its database and migrated, but not listening. The same in tests and in
 * production. `close()` ends it in order: the modules, then the connections to the database.
 * @param config complete: with a database URL and the secrets of its role
 * @param deadlines shorter ones are for tests
 * @throws MasterKeyMismatchError, StartupError
 */
export async function createApp(
  config: AppConfig,
  logger = AppLogger.create(config.log.level),
  deadlines = HTTP_DEADLINES,
): Promise<NestFastifyApplication> {
  const server = new HttpServer(config, logger.for('http'), consoleOf(config), deadlines);
  const app = await NestFactory.create<NestFastifyApplication>(AppModule.forRole(config, logger), server, {
    abortOnError: false,
    bodyParser: false,
    forceCloseConnections: false,
    logger,
  });
  const authenticator = app.get(Authenticator, { strict: false });
  const lease = config.role === 'worker' ? app.get(WorkerLease, { strict: false }) : undefined;
  server.admitWith((access, request, context) => {
    const admitted = authenticator.admit(access, request, context);
    // What a worker holds whose lease has ended is another one's by now, or will be in a moment.
    if (access === Access.Cluster && lease?.mayServe === false) throw new SessionMovingError(false);
    return admitted;
  });
  if (config.isGateway) server.observeWith(app.get(AuditLog, { strict: false }));
  server.runWith((controller) => app.get<object>(controller, { strict: false }));
  if (config.role === 'worker') {
    const lines = app.get(CallLines, { strict: false });
    server.upgradeTo({
      path: CALL_LINE_PATH,
      protocol: CALL_LINE_PROTOCOL,
      admit: ({ headers, socket }) => authenticator.requireCluster(headers.authorization, socket.remoteAddress ?? ''),
      accept: (connection, head) => lines.accept(connection, head, connection.remoteAddress ?? ''),
    });
  }
  const close = app.close.bind(app);
  // Nest's own order of shutdown hooks is by the distance of modules; the database must outlive all of them.
  app.close = async () => {
    try {
      await close();
    } finally {
      const dataSource = app.get(DataSource);
      if (dataSource.isInitialized) await dataSource.destroy();
    }
  };
  return app;
}
