import { Injectable } from '@nestjs/common';
import { NotFoundError, ValidationFailedError } from '../../../common/errors/index.js';
import { JobRunningError } from '../bot-pool.errors.js';
import { PoolsRepository } from '../pools.repository.js';
import type { CreatePoolJobDto } from './job.dto.js';
import type { JobOrder, JobRow } from './job.js';
import { JobRunner } from './job-runner.js';
import { JobsRepository } from './jobs.repository.js';

const WHOLE = 100;

/** The jobs of pools: one at a time for each. */
@Injectable()
export class JobsService {
  constructor(
    private readonly pools: PoolsRepository,
    private readonly repository: JobsRepository,
    private readonly runner: JobRunner,
  ) {}

  /** @throws NotFoundError, ValidationFailedError, JobRunningError */
  async create(pool: string, dto: CreatePoolJobDto): Promise<JobRow> {
    const order = orderOf(dto);
    const poolId = await this.idOf(pool);
    const job = await this.repository.create(poolId, order);
    if (job !== undefined) return job;
    throw new JobRunningError((await this.repository.open(poolId))?.id ?? '');
  }

  /** Newest first. @throws NotFoundError */
  async list(pool: string): Promise<readonly JobRow[]> {
    return this.repository.list(await this.idOf(pool));
  }

  /** @throws NotFoundError */
  async find(pool: string, id: string): Promise<JobRow> {
    const job = await this.repository.find(await this.idOf(pool), id);
    if (job === undefined) throw new NotFoundError('job', id);
    return job;
  }

  /** One that has ended stays as it is. @throws NotFoundError */
  async cancel(pool: string, id: string): Promise<JobRow> {
    await this.find(pool, id);
    await this.repository.cancel(id);
    this.runner.stop(id);
    return this.find(pool, id);
  }

  private async idOf(pool: string): Promise<string> {
    const found = await this.pools.find(pool);
    if (found === undefined) throw new NotFoundError('pool', pool);
    return found.id;
  }
}

/** @throws ValidationFailedError for what belongs to another kind */
function orderOf({ kind, sample, prefix }: CreatePoolJobDto): JobOrder {
  const issues = [
    ...(sample !== undefined && kind !== 'scrub' ? [{ path: 'sample', message: 'sample is of a scrub only' }] : []),
    ...(prefix !== undefined && kind !== 'purge' ? [{ path: 'prefix', message: 'prefix is of a purge only' }] : []),
  ];
  if (issues.length > 0) throw new ValidationFailedError(issues);
  switch (kind) {
    case 'scrub':
      return { kind, sample: sample ?? WHOLE };
    case 'gc':
      return { kind };
    case 'purge':
      return { kind, ...(prefix !== undefined && { prefix }) };
  }
}
