import { join } from 'node:path';
import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import { awaitDatabase } from '../common/db/await-database.js';
import { EmbeddedPostgres } from '../common/db/embedded-postgres.js';
import { AppLogger } from '../common/log/app-logger.js';
import {
  type AppConfig,
  lockDataDir,
  obtainSecrets,
  prepareDataDir,
  requireOpenFiles,
  secretsPath,
} from '../config/index.js';
import { InstanceGuard } from '../modules/instance/index.js';
import { WorkerLease } from '../modules/workers/index.js';
import { createApp } from './create-app.js';

/** How long a shutdown may take before it is cut short, in milliseconds. */
const SHUTDOWN_TIMEOUT_MS = 25_000;

/** A process that serves. */
export interface Running {
  /** Where it answers. */
  readonly url: string;
  /** Ends everything in order: requests and sessions, connections, PostgreSQL. */
  stop(): Promise<void>;
}

/** What a person who starts the product should read; nothing of it is logged. */
export type Announce = (line: string) => void;

/**
 * Starts a role with everything it needs and listens.
 * @param onFatal called when the process must end although nobody asked: its lease or its database is gone for good
 * @param ending aborted when the process is asked to end, which ends the wait for a database that is away
 * @throws ConfigError, StartupError, MasterKeyMismatchError; then everything that had started is stopped again
 */
export async function run(
  config: AppConfig,
  announce: Announce,
  onFatal: (reason: string) => void,
  ending?: AbortSignal,
): Promise<Running> {
  const logger = AppLogger.create(config.log.level);
  for (const warning of config.warnings) logger.warn(warning);
  const undo: (() => Promise<void> | void)[] = [];
  const stop = async (): Promise<void> => {
    for (const step of undo.splice(0).reverse()) await step();
  };
  try {
    if (config.isWorker) {
      prepareDataDir(config.dataDir);
      requireOpenFiles(config.worker.capacity);
    }
    // Workers may share a volume: TDLib locks each session's database, and the lease says whose it is.
    const lock = config.role === 'all' ? lockDataDir(config.dataDir) : undefined;
    if (lock) undo.push(() => lock.release());
    const complete = await completed(config, logger, announce, undo, onFatal);
    if (config.databaseUrl !== undefined) {
      const warn = (message: string): void => logger.warn(message);
      await awaitDatabase(config.databaseUrl, { waitMs: config.databaseWaitMs, warn, signal: ending });
    }
    const app = await createApp(complete, logger);
    undo.push(() => closeInTime(app, logger));
    if (complete.isWorker) {
      app.get(WorkerLease).onLost(() => onFatal('the lease is lost'));
      app.get(InstanceGuard).onFenced(onFatal);
    }
    await app.listen(complete.listen.port, complete.listen.host);
    // A database of its own has no other workers that could take anything.
    if (complete.isWorker && config.databaseUrl !== undefined) undo.push(app.get(WorkerLease).guard());
    return { url: (await app.getUrl()).replace('[::1]', '127.0.0.1'), stop };
  } catch (error) {
    await stop();
    throw error;
  }
}

/** With ROLE=all: the generated secrets and the embedded database for what the environment leaves out. */
async function completed(
  config: AppConfig,
  logger: AppLogger,
  announce: Announce,
  undo: (() => Promise<void> | void)[],
  onFatal: (reason: string) => void,
): Promise<AppConfig> {
  if (config.role !== 'all') return config;
  const { apiToken, clusterToken, masterKey } = config.secrets;
  const isComplete = apiToken !== undefined && clusterToken !== undefined && masterKey !== undefined;
  if (isComplete && config.databaseUrl !== undefined) return config;

  const { secrets, isNew } = obtainSecrets(config.dataDir);
  if (apiToken === undefined) {
    const path = secretsPath(config.dataDir);
    announce(isNew ? `API token: ${secrets.apiToken} (kept in ${path})` : `API token: see ${path}`);
  }
  const withSecrets = config.with({
    secrets: {
      apiToken: apiToken ?? secrets.apiToken,
      clusterToken: clusterToken ?? secrets.clusterToken,
      masterKey: masterKey ?? secrets.masterKey,
    },
  });
  if (config.databaseUrl !== undefined) return withSecrets;

  const postgres = await EmbeddedPostgres.start({
    dir: join(config.dataDir, 'postgres'),
    password: secrets.postgresPassword,
    notice: (message) => logger.warn(message),
  });
  let isStopping = false;
  undo.push(async () => {
    isStopping = true;
    await postgres.stop();
  });
  void postgres.ended().then(() => {
    if (!isStopping) onFatal('the embedded PostgreSQL has ended');
  });
  return withSecrets.with({ databaseUrl: postgres.url });
}

async function closeInTime(app: NestFastifyApplication, logger: AppLogger): Promise<void> {
  let timer: NodeJS.Timeout | undefined;
  const deadline = new Promise<'late'>((resolve) => {
    timer = setTimeout(resolve, SHUTDOWN_TIMEOUT_MS, 'late' as const);
  });
  try {
    const outcome = await Promise.race([app.close(), deadline]);
    if (outcome === 'late') logger.error(`not everything closed within ${SHUTDOWN_TIMEOUT_MS / 1000} s`);
  } catch (error) {
    logger.failure('closing failed', error);
  } finally {
    clearTimeout(timer);
  }
}
