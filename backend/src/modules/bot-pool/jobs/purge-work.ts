import { Injectable } from '@nestjs/common';
import { ObjectsRepository } from '../objects.repository.js';
import { ObjectsService } from '../objects.service.js';
import { countsOf, type JobRow, type JobStep, type JobWork } from './job.js';

/** Objects of one portion. */
const PORTION = 20;

/** Removes the objects that there were when the job was asked for, and their messages. */
@Injectable()
export class PurgeWork implements JobWork {
  constructor(
    private readonly repository: ObjectsRepository,
    private readonly objects: ObjectsService,
  ) {}

  total(job: JobRow): Promise<number> {
    return this.repository.countBefore(questionOf(job));
  }

  async step(job: JobRow, signal: AbortSignal): Promise<JobStep> {
    const ids = await this.repository.idsBefore(questionOf(job), PORTION);
    const ends = await Promise.all(
      ids.map(async (id) => {
        signal.throwIfAborted();
        return this.objects.removeVersion(job.poolId, id);
      }),
    );
    return { done: ids.length, counts: countsOf(ends), isEnd: ids.length < PORTION };
  }
}

function questionOf({ poolId, order, createdAt }: JobRow): Parameters<ObjectsRepository['idsBefore']>[0] {
  return { poolId, prefix: order.kind === 'purge' ? order.prefix : undefined, before: createdAt };
}
