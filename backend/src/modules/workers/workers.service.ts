import { Injectable } from '@nestjs/common';
import { type WorkerRow, WorkersRepository } from './workers.repository.js';

/** The listing of workers, straight from the database. */
@Injectable()
export class WorkersService {
  constructor(private readonly repository: WorkersRepository) {}

  list(): Promise<readonly WorkerRow[]> {
    return this.repository.list();
  }
}
