import 'reflect-metadata';
import { mkdtempSync, rmSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import request from 'supertest';
import { AppLogger } from '../../src/common/log/app-logger.js';
import type { HttpDeadlines } from '../../src/common/http/http-server.js';
import { AppConfig } from '../../src/config/index.js';
import { createApp } from '../../src/roles/create-app.js';
import { type TestDatabase, createDatabase } from './database.js';

export const API_TOKEN = 'api-token-of-the-tests';
export const CLUSTER_TOKEN = 'cluster-token-of-the-tests';
export const MASTER_KEY = Buffer.alloc(32, 7).toString('base64');

/** The header of the holder of API_TOKEN. */
export const master = { authorization: `Bearer ${API_TOKEN}` };
/** The header of a gateway. */
export const cluster = { authorization: `Bearer ${CLUSTER_TOKEN}` };

/** A running application of one role with what it stands on. */
export interface TestApp {
  readonly app: NestFastifyApplication;
  readonly config: AppConfig;
  readonly database: TestDatabase;
  readonly dataDir: string;
  /** `http://127.0.0.1:port`; it listens. */
  readonly url: string;
  /** supertest on its server. */
  http(): ReturnType<typeof request>;
  /** Ends it; the database too, unless it was given. */
  stop(): Promise<void>;
}

/** A port that was free a moment ago. */
export async function freePort(): Promise<number> {
  const probe = createServer();
  await new Promise<void>((resolve) => probe.listen(0, '127.0.0.1', resolve));
  const address = probe.address();
  await new Promise((resolve) => probe.close(resolve));
  if (typeof address !== 'object' || address === null) throw new Error('no port');
  return address.port;
}

/** The environment of a role in tests, with everything it needs but a database. */
export function testEnv(role: 'gateway' | 'worker' | 'all', more: NodeJS.ProcessEnv = {}): NodeJS.ProcessEnv {
  return {
    ROLE: role,
    LOG_LEVEL: process.env['TEST_LOG_LEVEL'] ?? 'silent',
    CLUSTER_TOKEN,
    // Tests write faster than an account should; those of the pace set their own.
    PACE_PER_SECOND: '0',
    ...(role !== 'worker' && { API_TOKEN }),
    ...(role !== 'gateway' && { MASTER_KEY }),
    ...more,
  };
}

/** Starts a role on a real database and a real port. */
export async function startApp({
  role = 'all',
  env = {},
  database: given,
  deadlines,
}: {
  readonly role?: 'gateway' | 'worker' | 'all';
  readonly env?: NodeJS.ProcessEnv;
  /** Shared with another application of the test, which owns it. */
  readonly database?: TestDatabase;
  /** Those of the product, unless given. */
  readonly deadlines?: HttpDeadlines;
} = {}): Promise<TestApp> {
  const database = given ?? (await createDatabase());
  const dataDir = env['DATA_DIR'] ?? mkdtempSync(join(tmpdir(), 'tgcontrol-data-'));
  const port = await freePort();
  const config = AppConfig.fromEnv(
    testEnv(role, { DATABASE_URL: database.url, DATA_DIR: dataDir, LISTEN_ADDR: `127.0.0.1:${port}`, ...env }),
  );
  const app = await createApp(config, AppLogger.create(config.log.level), deadlines);
  await app.listen(port, '127.0.0.1');
  return {
    app,
    config,
    database,
    dataDir,
    url: `http://127.0.0.1:${port}`,
    http: () => request(app.getHttpServer()),
    stop: async () => {
      await app.close();
      if (!given) await database.drop();
      if (env['DATA_DIR'] === undefined) rmSync(dataDir, { recursive: true, force: true });
    },
  };
}
