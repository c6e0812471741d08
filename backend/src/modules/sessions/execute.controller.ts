import { Body, Controller, Post } from '@nestjs/common';
import { PayloadTooLargeError } from '../../common/errors/index.js';
import { Access, ApiBody, ApiOperation, ApiTags, RawJson, Requires, ReturnsTdObject } from '../../common/http/index.js';
import { AppConfig } from '../../config/index.js';
import { inspectQuery, serializeQuery, TelegramEngine } from '../../telegram/index.js';
import type { CallBody } from './session.dto.js';
import { CALL_BODY } from './call-body.js';
import { requireMethodClass } from './method-access.js';

/**
 * The largest query that is run. TDLib computes on the thread that serves every request, and searchStringsByPrefix takes
 * time by the square of its strings: 0.4 s for the worst query of this size, half a minute for one of 400 KB.
 */
const MAX_QUERY_BYTES = 64 * 1024;

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
    requireMethodClass(query.method);
    const text = serializeQuery(query);
    if (Buffer.byteLength(text) > MAX_QUERY_BYTES) {
      throw new PayloadTooLargeError(MAX_QUERY_BYTES);
    }
    return new RawJson(await this.engine.execute(text));
  }
}
