import { Injectable } from '@nestjs/common';
import { WorkerClient } from '../../common/cluster/index.js';
import { messageOf, PayloadTooLargeError } from '../../common/errors/index.js';
import { RawJson } from '../../common/http/index.js';
import { AppLogger } from '../../common/log/app-logger.js';
import { AppConfig } from '../../config/index.js';
import { inspectQuery, serializeQuery, TelegramEngine } from '../../telegram/index.js';
import { requireChats, requireMethod } from './method-access.js';
import type { CallBody } from './session.dto.js';

/**
 * The largest query that is run. TDLib computes on the thread that serves every request, and searchStringsByPrefix takes
 * time by the square of its strings: 0.4 s for the worst query of this size, half a minute for one of 400 KB.
 */
const MAX_QUERY_BYTES = 64 * 1024;

/** Runs td_api methods that need no session. */
@Injectable()
export class Executor {
  constructor(
    private readonly config: AppConfig,
    private readonly engine: TelegramEngine,
  ) {}

  /** @throws MethodReservedError, PathDeniedError, ValidationFailedError, PayloadTooLargeError, TdlibError */
  async execute(body: CallBody | undefined): Promise<RawJson> {
    const query = inspectQuery(body?.method, body?.params, this.config.uploads.dir);
    requireMethod(query.method);
    await requireChats(query.method, query.params);
    const text = serializeQuery(query);
    if (Buffer.byteLength(text) > MAX_QUERY_BYTES) {
      throw new PayloadTooLargeError(MAX_QUERY_BYTES);
    }
    return this.run(text, { method: query.method, params: query.params });
  }

  /** @param body what the text was made of */
  protected async run(text: string, _body: CallBody): Promise<RawJson> {
    return new RawJson(await this.engine.execute(text));
  }
}

/** A gateway's: it asks a worker when it cannot load the library itself. */
@Injectable()
export class GatewayExecutor extends Executor {
  private readonly logger: AppLogger;
  private loading: Promise<boolean> | undefined;

  constructor(
    config: AppConfig,
    private readonly library: TelegramEngine,
    private readonly workers: WorkerClient,
    logger: AppLogger,
  ) {
    super(config, library);
    this.logger = logger.for(GatewayExecutor.name);
  }

  protected override async run(text: string, body: CallBody): Promise<RawJson> {
    this.loading ??= this.load();
    if (await this.loading) {
      return super.run(text, body);
    }
    const result = await this.workers.requestAny<object>({ method: 'POST', path: '/internal/execute', body });
    return new RawJson(JSON.stringify(result));
  }

  private async load(): Promise<boolean> {
    try {
      await this.library.load();
      return true;
    } catch (error) {
      this.logger.warn(`TDLib cannot be loaded here, workers execute instead: ${messageOf(error)}`);
      return false;
    }
  }
}
