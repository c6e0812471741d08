import type { IncomingMessage } from 'node:http';
import proxyAddr from '@fastify/proxy-addr';
import { type BeforeApplicationShutdown, Inject, Injectable, type OnApplicationBootstrap } from '@nestjs/common';
import { StartupError, messageOf } from '../../common/errors/index.js';
import { AppLogger } from '../../common/log/app-logger.js';
import { AppConfig } from '../../config/index.js';
import { Authenticator } from '../tokens/index.js';
import { OBJECT_STORE, type ObjectStore } from './object-store.js';
import { S3Keys } from './s3-keys.service.js';
import { S3Server } from './s3-server.js';

/** Runs the S3 endpoint for as long as the process serves, where S3_LISTEN_ADDR says so. */
@Injectable()
export class S3Endpoint implements OnApplicationBootstrap, BeforeApplicationShutdown {
  private readonly log: AppLogger;
  private server: S3Server | undefined;

  constructor(
    private readonly config: AppConfig,
    private readonly keys: S3Keys,
    private readonly authenticator: Authenticator,
    logger: AppLogger,
    @Inject(OBJECT_STORE) private readonly store: ObjectStore,
  ) {
    this.log = logger.for('s3');
  }

  /** @throws StartupError when the address cannot be listened at */
  async onApplicationBootstrap(): Promise<void> {
    const { listen, domains } = this.config.s3;
    if (!listen) return;
    const { keys, store, log } = this;
    const trusted = proxyAddr.compile([...this.config.trustedProxies]);
    const failed = (request: IncomingMessage): number | undefined =>
      this.authenticator.noteFailure(proxyAddr(request, trusted));
    const server = new S3Server({ store, keys, log, domains, failed });
    try {
      await server.listen(listen.host, listen.port);
    } catch (error) {
      throw new StartupError(`S3_LISTEN_ADDR cannot be listened at: ${messageOf(error)}`, { cause: error });
    }
    this.server = server;
    log.info(`the S3 endpoint answers at ${listen.host}:${listen.port}`);
  }

  async beforeApplicationShutdown(): Promise<void> {
    await this.server?.close();
  }
}
