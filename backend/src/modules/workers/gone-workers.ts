import { connect } from 'node:net';
import { Injectable } from '@nestjs/common';
import { codeOf } from '../../common/errors/index.js';
import { AppLogger } from '../../common/log/app-logger.js';
import { AppConfig } from '../../config/index.js';
import { volumeFor } from './worker-volume.js';
import { WorkersRepository } from './workers.repository.js';

/** A machine that is there refuses at once. */
const PROBE_TIMEOUT_MS = 500;

/**
 * Ends the leases of workers whose processes have ended, before they run out by themselves. Of such a process the system closes all
 * connections: the one on which it renewed its lease is gone from PostgreSQL, and its address refuses new ones. Each by itself may
 * happen to one that lives, and both together would cost it its sessions, but not run any of them twice: whoever claims them
 * opens them only when TDLib's lock on their folder is free. Without a common folder there is no such lock, and nothing is done.
 */
@Injectable()
export class GoneWorkers {
  private readonly logger: AppLogger;

  constructor(
    private readonly config: AppConfig,
    private readonly repository: WorkersRepository,
    logger: AppLogger,
  ) {
    this.logger = logger.for(GoneWorkers.name);
  }

  /** @param except the id of a worker that is not looked at */
  async endLeases(except?: string): Promise<void> {
    if (this.config.states.store !== undefined) return;
    const disconnected = await this.repository.disconnected(volumeFor(this.config));
    await Promise.all(
      disconnected.map(async ({ id, instance, addr }) => {
        if (id === except || !(await refuses(addr))) return;
        if (await this.repository.endLease(id, instance)) {
          this.logger.warn(`worker ${id} is gone: its lease was ended`);
        }
      }),
    );
  }
}

/** Whether nobody listens at the address, on a machine that is there. */
function refuses(addr: string): Promise<boolean> {
  const { hostname, port, protocol } = new URL(addr);
  return new Promise((resolve) => {
    const socket = connect(Number(port || (protocol === 'https:' ? 443 : 80)), hostname.replace(/^\[|\]$/g, ''));
    const tell = (isRefused: boolean): void => {
      socket.destroy();
      resolve(isRefused);
    };
    socket.setTimeout(PROBE_TIMEOUT_MS, () => tell(false));
    socket.once('connect', () => tell(false));
    socket.once('error', (error) => tell(codeOf(error) === 'ECONNREFUSED'));
  });
}
