import { Body, Controller, Delete, Get, Param, Patch, Post, Query, Req, Res } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { ValidationFailedError } from '../../common/errors/index.js';
import {
  Access,
  ApiHiddenController,
  Direct,
  existingId,
  type RawEnvelope,
  type RawJson,
  Requires,
} from '../../common/http/index.js';
import { departureOf } from './departure.js';
import type { LiveLimits } from './limits/session-limits.dto.js';
import { callOptionsOf } from './sends/call-options.js';
import {
  type BotCreatedDto,
  type CallBody,
  CreateBotDto,
  CreateUserDto,
  type LiveState,
  type SessionKind,
  type UserCreatedDto,
} from './session.dto.js';
import { type LoginStep, type Relogin, SessionHost } from './session-host.js';

type CallRequest = FastifyRequest<{ Params: { kind: SessionKind; id: string }; Body: CallBody | undefined }>;

/** What gateways ask of the worker that holds a session. */
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
    return (await this.host.state(existingId('session', id))) ?? null;
  }

  @Get(':id/limits')
  async limits(@Param('id') id: string): Promise<LiveLimits | null> {
    return (await this.host.limits(existingId('session', id))) ?? null;
  }

  @Delete(':id/cooldowns/:scope')
  liftCooldown(@Param('id') id: string, @Param('scope') scope: string): Promise<boolean> {
    return this.host.liftCooldown(existingId('session', id), scope);
  }

  @Post(':id/relogin')
  login(@Param('id') id: string, @Body() body: unknown): Promise<LiveState> {
    return this.host.login(existingId('session', id), toRelogin(body));
  }

  @Post(':id/login')
  answer(@Param('id') id: string, @Body() body: unknown): Promise<LiveState> {
    return this.host.answer(existingId('session', id), toLoginStep(body));
  }

  @Delete(':id/login')
  async cancelLogin(@Param('id') id: string): Promise<null> {
    await this.host.cancelLogin(existingId('session', id));
    return null;
  }

  @Patch(':id/proxy')
  async useProxy(@Param('id') id: string, @Body() body: unknown): Promise<null> {
    const { proxy_id: proxyId } = membersOf(body);
    if (proxyId !== null && typeof proxyId !== 'string') {
      throw new ValidationFailedError([{ path: 'proxy_id', message: 'proxy_id must be a string or null' }]);
    }
    await this.host.useProxy(existingId('session', id), proxyId === null ? null : existingId('proxy', proxyId));
    return null;
  }

  @Post(':id/stop')
  stop(@Param('id') id: string): Promise<LiveState> {
    return this.host.stop(existingId('session', id));
  }

  @Post(':id/start')
  start(@Param('id') id: string): Promise<LiveState> {
    return this.host.start(existingId('session', id));
  }

  @Post(':id/move')
  move(@Param('id') id: string, @Body() body: unknown): Promise<string> {
    const { worker_id: to } = membersOf(body);
    if (to !== undefined && typeof to !== 'string') {
      throw new ValidationFailedError([{ path: 'worker_id', message: 'worker_id must be a string' }]);
    }
    return this.host.move(existingId('session', id), to);
  }

  @Delete(':id')
  async remove(@Param('id') id: string, @Query('logout') logout: string): Promise<{ readonly logged_out: boolean }> {
    return { logged_out: await this.host.remove(existingId('session', id), logout === 'true') };
  }

  @Post(':kind/:id/check')
  async check(
    @Param('kind') kind: SessionKind,
    @Param('id') id: string,
    @Body() body: CallBody | undefined,
  ): Promise<null> {
    await this.host.check(kind, existingId('session', id), body ?? {});
    return null;
  }

  @Post(':kind/:id/call')
  @Direct()
  call(@Req() request: CallRequest, @Res() reply: FastifyReply): Promise<RawJson | RawEnvelope> {
    const { kind, id } = request.params;
    return this.host.call(
      kind,
      existingId('session', id),
      request.body ?? {},
      departureOf(reply),
      callOptionsOf(request, reply),
    );
  }
}

const STEP_FIELDS: Readonly<Record<string, readonly string[] | undefined>> = {
  code: ['code'],
  password: ['password'],
  resend: [],
  email: ['email'],
  'email-code': ['code'],
  recover: [],
  'recover-code': ['code', 'newPassword', 'newHint'],
  register: ['firstName', 'lastName'],
} satisfies Record<LoginStep['step'], readonly string[]>;

function toLoginStep(body: unknown): LoginStep {
  const members = membersOf(body);
  const { step } = members;
  const fields = typeof step === 'string' && Object.hasOwn(STEP_FIELDS, step) ? STEP_FIELDS[step] : undefined;
  if (fields === undefined) {
    throw new ValidationFailedError([{ path: 'step', message: 'step must be one of the steps of a login' }]);
  }
  const wrong = fields.filter((field) => typeof members[field] !== 'string');
  if (wrong.length > 0) {
    throw new ValidationFailedError(wrong.map((path) => ({ path, message: `${path} must be a string` })));
  }
  return members as unknown as LoginStep;
}

function toRelogin(body: unknown): Relogin {
  const { kind, token, method } = membersOf(body);
  if (kind === 'bot' && (token === undefined || typeof token === 'string')) {
    return { kind, token };
  }
  if (kind === 'user' && (method === undefined || method === 'phone' || method === 'qr')) {
    return { kind, method };
  }
  throw new ValidationFailedError([{ path: 'kind', message: 'kind must be bot with a token, or user with a method' }]);
}

function membersOf(body: unknown): Readonly<Record<string, unknown>> {
  return typeof body === 'object' && body !== null ? (body as Record<string, unknown>) : {};
}
