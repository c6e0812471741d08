import { Controller, Get, Param, Post } from '@nestjs/common';
import { Access, ApiOperation, ApiTags, Requires, Returns } from '../../common/http/index.js';
import { WorkerDto } from './worker.dto.js';
import { WorkersService } from './workers.service.js';

@ApiTags('workers')
@Controller('v1/workers')
@Requires(Access.Master)
export class WorkersController {
  constructor(private readonly workers: WorkersService) {}

  @Get()
  @Returns(WorkerDto, { isArray: true })
  @ApiOperation({ operationId: 'listWorkers', summary: 'The processes that hold sessions' })
  async list(): Promise<WorkerDto[]> {
    return (await this.workers.list()).map(shown);
  }

  @Post(':id/drain')
  @Returns(WorkerDto)
  @ApiOperation({
    operationId: 'drainWorker',
    summary: 'Have a worker hand its sessions over to the others and take no new ones, before it is stopped',
  })
  async drain(@Param('id') id: string): Promise<WorkerDto> {
    return shown(await this.workers.setDraining(id, true));
  }

  @Post(':id/undrain')
  @Returns(WorkerDto)
  @ApiOperation({ operationId: 'undrainWorker', summary: 'Let a drained worker take sessions again' })
  async undrain(@Param('id') id: string): Promise<WorkerDto> {
    return shown(await this.workers.setDraining(id, false));
  }
}

type Shown = Awaited<ReturnType<WorkersService['setDraining']>>;

function shown(worker: Shown): WorkerDto {
  const { id, addr, started_at, last_seen_at, alive, sessions, capacity, draining, version, memory_bytes } = worker;
  return {
    id,
    addr,
    started_at: started_at.toISOString(),
    last_seen_at: last_seen_at.toISOString(),
    lease_age_ms: worker.lease_age_ms,
    alive,
    draining,
    sessions,
    capacity,
    version,
    memory_bytes,
    memory_limit: worker.memory_limit,
    load: Math.round(worker.load * 100) / 100,
  };
}
