import { Controller, Get } from '@nestjs/common';
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
    return (await this.workers.list()).map(({ id, addr, started_at, last_seen_at, alive, sessions, capacity }) => ({
      id,
      addr,
      started_at: started_at.toISOString(),
      last_seen_at: last_seen_at.toISOString(),
      alive,
      sessions,
      capacity,
    }));
  }
}
