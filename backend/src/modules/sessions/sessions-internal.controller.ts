import { Body, Controller, Delete, Get, Param, Patch, Post, Query, Req, Res } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { Access, ApiHiddenController, type RawEnvelope, type RawJson, Requires } from '../../common/http/index.js';
import { departureOf } from './departure.js';
import {
  type BotCreatedDto,
  type CallBody,
  CreateBotDto,
  CreateUserDto,
  type LiveState,
  type SessionKind,
  type UserCreatedDto,
} from './session.dto.js';
import { type LoginStep, SessionHost } from './session-host.js';

type CallRequest = FastifyRequest<{ Params: { kind: SessionKind; id: string }; Body: CallBody }>;

/** What gateways ask of the worker that holds a session. Ids were checked by the gateway. */
@ApiHiddenController()
@Controller('internal/sessions')
@Requires(Access.Cluster)
export class SessionsInternalController {
  constructor(private readonly host: SessionHost) {}

  @Post('bot')
  createBot(@Body() dto: CreateBotDto): Promise<BotCreatedDto> {
    return this.host.createBot(dto);
  }

  @Post('user')
  createUser(@Body() dto: CreateUserDto): Promise<UserCreatedDto> {
    return this.host.createUser(dto);
  }

  @Get(':id')
  async state(@Param('id') id: string): Promise<LiveState | null> {
    return (await this.host.state(id)) ?? null;
  }

  @Post(':id/login')
  answer(@Param('id') id: string, @Body() step: LoginStep): Promise<LiveState> {
    return this.host.answer(id, step);
  }

  @Patch(':id/proxy')
  async useProxy(@Param('id') id: string, @Body() body: { readonly proxy_id: string | null }): Promise<null> {
    await this.host.useProxy(id, body.proxy_id);
    return null;
  }

  @Post(':id/stop')
  stop(@Param('id') id: string): Promise<LiveState> {
    return this.host.stop(id);
  }

  @Post(':id/start')
  start(@Param('id') id: string): Promise<LiveState> {
    return this.host.start(id);
  }

  @Delete(':id')
  async remove(@Param('id') id: string, @Query('logout') logout: string): Promise<{ readonly logged_out: boolean }> {
    return { logged_out: await this.host.remove(id, logout === 'true') };
  }

  @Post(':kind/:id/call')
  call(@Req() request: CallRequest, @Res({ passthrough: true }) reply: FastifyReply): Promise<RawJson | RawEnvelope> {
    const { kind, id } = request.params;
    return this.host.call(kind, id, request.body, departureOf(reply));
  }
}
