import { Injectable } from '@nestjs/common';
import { NotFoundError } from '../../common/errors/index.js';
import { type WorkerRow, WorkersRepository } from './workers.repository.js';

/** The workers as the database knows them, and what their operator wants of them. */
@Injectable()
export class WorkersService {
  constructor(private readonly repository: WorkersRepository) {}

  list(): Promise<readonly WorkerRow[]> {
    return this.repository.list();
  }

  /**
   * Has a worker hand its sessions over to others and take no new ones, until that is ended or the worker is. What nobody else can
   * take it keeps.
   * @throws NotFoundError when there is no such worker, or it is dead
   */
  async setDraining(id: string, draining: boolean): Promise<WorkerRow> {
    const isKnown = await this.repository.setDraining(id, draining);
    const worker = (await this.repository.list()).find((each) => each.id === id);
    if (!isKnown || worker === undefined) throw new NotFoundError('worker', id);
    return worker;
  }
}
