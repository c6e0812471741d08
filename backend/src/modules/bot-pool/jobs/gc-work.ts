import { Injectable } from '@nestjs/common';
import { ObjectsService } from '../objects.service.js';
import { PartUploads } from '../part-uploads.js';
import { countsOf, type JobRow, type JobStep, type JobWork } from './job.js';

/** Messages of one portion. */
const PORTION = 100;

/** Deletes the messages that nothing refers to: of uploads that nobody ended, of sends that a crash has left, of failed deletions. */
@Injectable()
export class GcWork implements JobWork {
  constructor(
    private readonly objects: ObjectsService,
    private readonly uploads: PartUploads,
  ) {}

  total(): Promise<undefined> {
    return Promise.resolve(undefined);
  }

  async step({ poolId, cursor }: JobRow): Promise<JobStep> {
    if (cursor === undefined) await this.uploads.collect({ poolId });
    const { ends, last } = await this.objects.collect({ poolId }, { after: cursor, limit: PORTION });
    return { cursor: last, done: ends.length, counts: countsOf(ends), isEnd: ends.length < PORTION };
  }
}
