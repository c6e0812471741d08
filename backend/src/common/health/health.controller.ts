import { Controller, Get, Header } from '@nestjs/common';
import { NotReadyError } from '../errors/index.js';
import {
  Access,
  ApiOperation,
  ApiProperty,
  ApiResponse,
  ApiTags,
  NoEnvelope,
  Requires,
  Returns,
} from '../http/index.js';
import { Readiness } from './readiness.js';

class ReadyDto {
  @ApiProperty({ type: [String], description: 'what was looked at' }) checks!: readonly string[];
}

@ApiTags('health')
@Controller()
@Requires(Access.Public)
export class HealthController {
  constructor(private readonly readiness: Readiness) {}

  @Get('healthz')
  @NoEnvelope()
  @Header('content-type', 'text/plain; charset=utf-8')
  @ApiOperation({ operationId: 'getHealth', summary: 'Whether the process is alive' })
  @ApiResponse({ status: 200, description: 'alive', content: { 'text/plain': { schema: { type: 'string' } } } })
  alive(): string {
    return 'ok\n';
  }

  @Get('readyz')
  @Returns(ReadyDto, { description: 'the process can serve; otherwise 503 with the causes' })
  @ApiOperation({ operationId: 'getReadiness', summary: 'Whether the process can serve, or why not' })
  async ready(): Promise<ReadyDto> {
    const causes = await this.readiness.causes();
    if (Object.keys(causes).length > 0) throw new NotReadyError(causes);
    return { checks: this.readiness.names };
  }
}
