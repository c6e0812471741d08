import { Body, Controller, Post } from '@nestjs/common';
import { Access, ApiBody, ApiOperation, ApiTags, RawJson, Requires, ReturnsTdObject } from '../../common/http/index.js';
import { AppConfig } from '../../config/index.js';
import { inspectQuery, serializeQuery, TelegramEngine } from '../../telegram/index.js';
import type { CallBody } from './session.dto.js';
import { CALL_BODY } from './call-body.js';

/** td_execute: local computation, answered by whichever process is asked. */
@ApiTags('sessions')
@Controller('v1/execute')
export class ExecuteController {
  constructor(
    private readonly config: AppConfig,
    private readonly engine: TelegramEngine,
  ) {}

  @Post()
  @ReturnsTdObject()
  @Requires(Access.AnyToken)
  @ApiBody(CALL_BODY)
  @ApiOperation({ operationId: 'executeMethod', summary: 'Run a synchronous td_api method, without a session' })
  async execute(@Body() body: CallBody | undefined): Promise<RawJson> {
    const query = inspectQuery(body?.method, body?.params, this.config.uploads.dir);
    return new RawJson(await this.engine.execute(serializeQuery(query)));
  }
}
