import { Body, Controller, Delete, Get, Post, Req, Res } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { CsrfFailedError, UnauthenticatedError } from '../../common/errors/index.js';
import { Access, ApiOperation, ApiTags, DeletedDto, Requires, Returns } from '../../common/http/index.js';
import { Authenticator } from './authenticator.js';
import { CONSOLE_COOKIE, CONSOLE_SESSION_MS, type ConsoleSession } from './console-sessions.js';
import { ConsoleSessionDto, OpenConsoleSessionDto } from './console-session.dto.js';

function cookieHeader(request: FastifyRequest, value: string, maxAgeSeconds: number): string {
  const secure = request.protocol === 'https' ? '; Secure' : '';
  return `${CONSOLE_COOKIE}=${value}; Path=/; HttpOnly; SameSite=Strict; Max-Age=${maxAgeSeconds}${secure}`;
}

const toDto = ({ csrfToken, expiresAt }: ConsoleSession): ConsoleSessionDto => ({
  csrf_token: csrfToken,
  expires_at: expiresAt.toISOString(),
});

/** Signing the console in and out: the API token becomes a cookie that scripts cannot read. */
@ApiTags('console')
@Controller('v1/console/session')
@Requires(Access.Public)
export class ConsoleSessionController {
  constructor(private readonly authenticator: Authenticator) {}

  @Post()
  @Returns(ConsoleSessionDto)
  @ApiOperation({ operationId: 'openConsoleSession', summary: 'Sign the console in with the API token' })
  async open(
    @Body() { token }: OpenConsoleSessionDto,
    @Req() request: FastifyRequest,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<ConsoleSessionDto> {
    const session = await this.authenticator.openConsoleSession(token, request.requestContext);
    reply.header('set-cookie', cookieHeader(request, session.cookie, CONSOLE_SESSION_MS / 1000));
    return toDto(session);
  }

  @Get()
  @Returns(ConsoleSessionDto)
  @ApiOperation({ operationId: 'getConsoleSession', summary: "The console's session and its CSRF token" })
  get(@Req() request: FastifyRequest): ConsoleSessionDto {
    const session = this.authenticator.consoleSession(request);
    if (!session) throw new UnauthenticatedError('no console session');
    return toDto(session);
  }

  @Delete()
  @Returns(DeletedDto)
  @ApiOperation({ operationId: 'endConsoleSession', summary: 'Sign the console out' })
  end(@Req() request: FastifyRequest, @Res({ passthrough: true }) reply: FastifyReply): DeletedDto {
    const session = this.authenticator.consoleSession(request);
    if (session) {
      if (!this.authenticator.isCsrfSafe(request, session)) throw new CsrfFailedError();
      this.authenticator.endConsoleSession(session, request.requestContext);
    }
    reply.header('set-cookie', cookieHeader(request, '', 0));
    return { status: 'deleted' };
  }
}
