import { Body, Controller, Delete, Get, Param, Post } from '@nestjs/common';
import { Access, ApiOperation, ApiTags, existingId, Requires, Returns } from '../../../common/http/index.js';
import { CreatePoolJobDto, PoolJobDto } from './job.dto.js';
import type { JobRow } from './job.js';
import { JobsService } from './jobs.service.js';

/** Long work on what a pool keeps. */
@ApiTags('pools')
@Controller('v1/pools/:pool/jobs')
@Requires(Access.Master)
export class JobsController {
  constructor(private readonly jobs: JobsService) {}

  @Post()
  @Returns(PoolJobDto)
  @ApiOperation({
    operationId: 'createPoolJob',
    summary: 'Begin a scrub, a garbage collection or a purge; 409 while another job of the pool has not ended',
  })
  async create(@Param('pool') pool: string, @Body() dto: CreatePoolJobDto): Promise<PoolJobDto> {
    return toDto(await this.jobs.create(pool, dto));
  }

  @Get()
  @Returns(PoolJobDto, { isArray: true })
  @ApiOperation({ operationId: 'listPoolJobs', summary: 'The last hundred jobs of a pool, newest first' })
  async list(@Param('pool') pool: string): Promise<PoolJobDto[]> {
    return (await this.jobs.list(pool)).map(toDto);
  }

  @Get(':id')
  @Returns(PoolJobDto)
  @ApiOperation({ operationId: 'getPoolJob', summary: 'A job, with how far it is and what it has found' })
  async find(@Param('pool') pool: string, @Param('id') id: string): Promise<PoolJobDto> {
    return toDto(await this.jobs.find(pool, existingId('job', id)));
  }

  @Delete(':id')
  @Returns(PoolJobDto)
  @ApiOperation({ operationId: 'cancelPoolJob', summary: 'Stop a job; what it has done stays done' })
  async cancel(@Param('pool') pool: string, @Param('id') id: string): Promise<PoolJobDto> {
    return toDto(await this.jobs.cancel(pool, existingId('job', id)));
  }
}

function toDto(job: JobRow): PoolJobDto {
  const { id, order, state, done, total, counts, findings, error, createdAt, startedAt, endedAt } = job;
  return {
    id,
    ...order,
    state,
    done,
    ...(total !== undefined && { total }),
    counts,
    findings,
    ...(error !== undefined && { error }),
    created_at: createdAt.toISOString(),
    ...(startedAt && { started_at: startedAt.toISOString() }),
    ...(endedAt && { ended_at: endedAt.toISOString() }),
  };
}
