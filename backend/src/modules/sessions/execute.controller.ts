import { Body, Controller, Post } from '@nestjs/common';
import {
  Access,
  ApiBody,
  ApiHiddenController,
  ApiOperation,
  ApiTags,
  NoChange,
  type RawJson,
  Requires,
  ReturnsTdObject,
} from '../../common/http/index.js';
import { CALL_BODY } from './call-body.js';
import { Executor } from './executor.js';
import type { CallBody } from './session.dto.js';

/** td_execute: local computation, answered by whichever process is asked. */
@ApiTags('sessions')
@Controller('v1/execute')
export class ExecuteController {
  constructor(private readonly executor: Executor) {}

  @Post()
  @NoChange()
  @ReturnsTdObject()
  @Requires(Access.AnyToken, 'any')
  @ApiBody(CALL_BODY)
  @ApiOperation({ operationId: 'executeMethod', summary: 'Run a synchronous td_api method, without a session' })
  execute(@Body() body: CallBody | undefined): Promise<RawJson> {
    return this.executor.execute(body);
  }
}

/** What a gateway without the library asks of a worker. */
@ApiHiddenController()
@Controller('internal/execute')
@Requires(Access.Cluster)
export class ExecuteInternalController {
  constructor(private readonly executor: Executor) {}

  @Post()
  execute(@Body() body: CallBody | undefined): Promise<RawJson> {
    return this.executor.execute(body);
  }
}
