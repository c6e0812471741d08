import { mkdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import type { KeySnapshot, Transport } from '../rpc.js';
import { randomToken } from '../world/random.js';
import type { World } from '../world/world.js';
import { UnknownError } from './unknown-error.js';

/** Saved states of world and keys together: a client that was logged in then is logged in again. */
export class Snapshots {
  private readonly keys = new Map<string, KeySnapshot>();
  private readonly directory: string;

  constructor(
    private readonly world: World,
    private readonly transport: Transport,
  ) {
    this.directory = join(world.directory, 'snapshots');
    // Keys of snapshots live in memory, so those of an earlier process are of no use.
    rmSync(this.directory, { recursive: true, force: true });
  }

  async take(): Promise<{ readonly id: string }> {
    const id = randomToken(12);
    mkdirSync(join(this.directory, id), { recursive: true });
    await this.world.exportTo(join(this.directory, id));
    this.keys.set(id, this.transport.exportKeys());
    return { id };
  }

  /**
   * Clients' connections are closed; clients that went on since then find a server that did not.
   * @param id the newest snapshot when absent
   * @throws UnknownError
   */
  async restore(id: string | undefined = [...this.keys.keys()].at(-1)): Promise<void> {
    const keys = id === undefined ? undefined : this.keys.get(id);
    if (id === undefined || !keys) throw new UnknownError('snapshot', id ?? 'yet');
    await this.world.importFrom(join(this.directory, id));
    this.transport.importKeys(keys);
  }

  /** An empty world that knows no key. */
  async reset(): Promise<void> {
    await this.world.reset();
    this.transport.importKeys([]);
  }
}
