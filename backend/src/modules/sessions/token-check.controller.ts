import { Body, Controller, Param, Post } from '@nestjs/common';
import { IsNotEmpty, IsObject, IsOptional, IsString } from 'class-validator';
import { AppError, NotFoundError } from '../../common/errors/index.js';
import {
  Access,
  ApiOperation,
  ApiProperty,
  ApiPropertyOptional,
  ApiTags,
  currentContext,
  describe,
  existingId,
  NoChange,
  Requires,
  Returns,
  runInContext,
} from '../../common/http/index.js';
import { ScopedTokens, SessionCoverage } from '../tokens/index.js';
import { SessionHost } from './session-host.js';
import { SessionsService } from './sessions.service.js';

/** A call that is only thought of. */
export class CheckCallDto {
  @ApiProperty({ type: String, example: 'getChatHistory' }) @IsString() @IsNotEmpty() method!: string;
  @ApiProperty({ type: String, format: 'uuid' }) @IsString() @IsNotEmpty() session_id!: string;
  @ApiPropertyOptional({ type: 'object', additionalProperties: true, nullable: true })
  @IsOptional()
  @IsObject()
  params?: Record<string, unknown> | null;
}

/** What would become of it before Telegram is asked. */
export class CheckedCallDto {
  @ApiProperty({ type: Boolean }) allowed!: boolean;
  @ApiPropertyOptional({ type: 'integer', description: 'The HTTP status that it would be refused with.' })
  status?: number;
  @ApiPropertyOptional({
    type: 'object',
    additionalProperties: true,
    description: 'Why, as the `error` of the answer that it would get.',
  })
  error?: object;
}

/** Whether a token's call would pass, found out on the way that the call itself would take. */
@ApiTags('tokens')
@Controller('v1/tokens')
@Requires(Access.Master)
export class TokenCheckController {
  constructor(
    private readonly tokens: ScopedTokens,
    private readonly coverage: SessionCoverage,
    private readonly sessions: SessionsService,
    private readonly host: SessionHost,
  ) {}

  @Post(':id/check')
  @NoChange()
  @Returns(CheckedCallDto)
  @ApiOperation({
    operationId: 'checkToken',
    summary: 'Whether a call with this token would pass, and why not; nothing is called',
  })
  async check(@Param('id') text: string, @Body() call: CheckCallDto): Promise<CheckedCallDto> {
    const tokenId = existingId('token', text);
    try {
      await this.tryCall(tokenId, call);
      return { allowed: true };
    } catch (error) {
      const isMissing = error instanceof NotFoundError && error.code === 'token_not_found';
      if (!(error instanceof AppError) || error.status === 500 || error.code === 'database_unavailable' || isMissing) {
        throw error;
      }
      const { status, body } = describe(error);
      return { allowed: false, status, error: body.error };
    }
  }

  private async tryCall(tokenId: string, { session_id, method, params }: CheckCallDto): Promise<void> {
    const caller = await this.tokens.holderOf(tokenId);
    await this.coverage.require(caller.scope, session_id);
    const sessionId = existingId('session', session_id);
    const kind = await this.sessions.kindOf(sessionId);
    const context = currentContext();
    if (context === undefined) throw new Error('this is no request');
    // From here on the token asks: what decides looks at the context alone.
    await runInContext({ ...context, caller }, () => this.host.check(kind, sessionId, { method, params }));
  }
}
