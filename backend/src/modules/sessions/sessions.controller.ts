import { Body, Controller, Delete, Get, Param, Patch, Post, Query, Req, Res } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import {
  Access,
  ApiBody,
  ApiOperation,
  ApiParam,
  ApiTags,
  currentCaller,
  Direct,
  existingId,
  NoChange,
  type Page,
  PageQueryDto,
  type RawEnvelope,
  type RawJson,
  Requires,
  Returns,
  ReturnsTdObject,
  UpdatedDto,
} from '../../common/http/index.js';
import { Idempotent } from '../../common/idempotency/index.js';
import { departureOf } from './departure.js';
import { CALL_BODY } from './call-body.js';
import {
  BotCreatedDto,
  BotLoginDto,
  type CallBody,
  CreateBotDto,
  CreateUserDto,
  DeleteSessionQueryDto,
  LoginCancelledDto,
  LoginCodeDto,
  LoginEmailDto,
  LoginPasswordDto,
  LoginRecoverDto,
  LoginRegisterDto,
  MoveSessionDto,
  PatchSessionDto,
  SessionDeletedDto,
  type SessionKind,
  SessionListItemDto,
  SessionMovedDto,
  SessionStateDto,
  UserCreatedDto,
  UserLoginDto,
} from './session.dto.js';
import { ApiCallOptions, callOptionsOf } from './sends/call-options.js';
import { SENDS_BESIDE } from './sends/send.dto.js';
import { type LoginStep, SessionHost } from './session-host.js';
import { SessionsService } from './sessions.service.js';

type CallRequest = FastifyRequest<{ Params: { kind: SessionKind; id: string }; Body: CallBody | undefined }>;

const KIND = { name: 'kind', enum: ['bot', 'user'] } as const;
/** Said by hand where a handler takes the id from the request itself. */
const ID = { name: 'id', type: 'string' } as const;

@ApiTags('sessions')
@Controller('v1')
@Requires(Access.Master)
export class SessionsController {
  constructor(
    private readonly sessions: SessionsService,
    private readonly host: SessionHost,
  ) {}

  @Post('bot')
  @Returns(BotCreatedDto)
  @Idempotent()
  @ApiOperation({ operationId: 'createBot', summary: 'Log a bot in' })
  createBot(@Body() dto: CreateBotDto): Promise<BotCreatedDto> {
    return this.host.createBot(dto);
  }

  @Post('user')
  @Returns(UserCreatedDto)
  @Idempotent()
  @ApiOperation({ operationId: 'createUser', summary: "Begin a user account's login" })
  createUser(@Body() dto: CreateUserDto): Promise<UserCreatedDto> {
    return this.host.createUser(dto);
  }

  @Post('user/:id/login')
  @Returns(SessionStateDto)
  @ApiOperation({ operationId: 'loginUser', summary: 'Log a user in again whose authorization is gone; the id stays' })
  loginUser(@Param('id') id: string, @Body() { method }: UserLoginDto): Promise<SessionStateDto> {
    return this.sessions.login(id, { kind: 'user', method });
  }

  @Delete('user/:id/login')
  @Returns(LoginCancelledDto)
  @ApiOperation({
    operationId: 'cancelLogin',
    summary: 'Give a login up: a session that was logged in before is what it was, a new one is removed',
  })
  async cancelLogin(@Param('id') id: string): Promise<LoginCancelledDto> {
    await this.sessions.cancelLogin(id);
    return { status: 'cancelled' };
  }

  @Post('bot/:id/login')
  @Returns(SessionStateDto)
  @ApiOperation({ operationId: 'loginBot', summary: 'Log a bot in again whose authorization is gone; the id stays' })
  loginBot(@Param('id') id: string, @Body() { token }: BotLoginDto): Promise<SessionStateDto> {
    return this.sessions.login(id, { kind: 'bot', token });
  }

  @Post('user/:id/login/code')
  @Returns(SessionStateDto)
  @ApiOperation({ operationId: 'submitLoginCode', summary: 'Answer awaiting_code' })
  submitCode(@Param('id') id: string, @Body() { code }: LoginCodeDto): Promise<SessionStateDto> {
    return this.sessions.answer(id, { step: 'code', code });
  }

  @Post('user/:id/login/password')
  @Returns(SessionStateDto)
  @ApiOperation({ operationId: 'submitLoginPassword', summary: 'Answer awaiting_password' })
  submitPassword(@Param('id') id: string, @Body() { password }: LoginPasswordDto): Promise<SessionStateDto> {
    return this.sessions.answer(id, { step: 'password', password });
  }

  @Post('user/:id/login/resend')
  @Returns(SessionStateDto)
  @ApiOperation({ operationId: 'resendLoginCode', summary: 'Have the code sent again, the next way' })
  resend(@Param('id') id: string): Promise<SessionStateDto> {
    return this.sessions.answer(id, { step: 'resend' });
  }

  @Post('user/:id/login/email')
  @Returns(SessionStateDto)
  @ApiOperation({ operationId: 'submitLoginEmail', summary: 'Answer awaiting_email' })
  submitEmail(@Param('id') id: string, @Body() { email }: LoginEmailDto): Promise<SessionStateDto> {
    return this.sessions.answer(id, { step: 'email', email });
  }

  @Post('user/:id/login/email-code')
  @Returns(SessionStateDto)
  @ApiOperation({ operationId: 'submitLoginEmailCode', summary: 'Answer awaiting_email_code' })
  submitEmailCode(@Param('id') id: string, @Body() { code }: LoginCodeDto): Promise<SessionStateDto> {
    return this.sessions.answer(id, { step: 'email-code', code });
  }

  @Post('user/:id/login/recover')
  @Returns(SessionStateDto)
  @ApiOperation({
    operationId: 'recoverLoginPassword',
    summary: 'Answer awaiting_password without the password: have a code sent by mail, then log in with it',
  })
  recover(@Param('id') id: string, @Body() dto: LoginRecoverDto): Promise<SessionStateDto> {
    const { code, new_password: newPassword = '', new_hint: newHint = '' } = dto;
    const step: LoginStep =
      code === undefined ? { step: 'recover' } : { step: 'recover-code', code, newPassword, newHint };
    return this.sessions.answer(id, step);
  }

  @Post('user/:id/login/register')
  @Returns(SessionStateDto)
  @ApiOperation({ operationId: 'submitLoginRegistration', summary: 'Answer awaiting_registration' })
  register(@Param('id') id: string, @Body() dto: LoginRegisterDto): Promise<SessionStateDto> {
    return this.sessions.answer(id, { step: 'register', firstName: dto.first_name, lastName: dto.last_name ?? '' });
  }

  @Get('sessions')
  @Returns(SessionListItemDto, { isArray: true })
  @Requires(Access.AnyToken, 'any')
  @ApiOperation({ operationId: 'listSessions', summary: 'All sessions that the token covers, oldest first' })
  list(@Query() query: PageQueryDto): Promise<Page<SessionListItemDto>> {
    return this.sessions.list(query.toRequest(), currentCaller());
  }

  @Get(':kind(bot|user)/:id')
  @Returns(SessionStateDto)
  @Requires(Access.CoveredSession, 'any')
  @ApiParam(KIND)
  @ApiOperation({ operationId: 'getSession', summary: "A session's state" })
  get(@Param('kind') kind: SessionKind, @Param('id') id: string): Promise<SessionStateDto> {
    return this.sessions.get(kind, id, currentCaller());
  }

  @Patch(':kind(bot|user)/:id')
  @Returns(UpdatedDto)
  @ApiParam(KIND)
  @ApiOperation({ operationId: 'updateSession', summary: 'Rename a session or change its proxy, live' })
  async update(
    @Param('kind') kind: SessionKind,
    @Param('id') id: string,
    @Body() dto: PatchSessionDto,
  ): Promise<UpdatedDto> {
    await this.sessions.patch(kind, id, {
      ...(dto.label !== undefined && { label: dto.label === '' ? null : dto.label }),
      ...(dto.proxy_id !== undefined && { proxyId: dto.proxy_id ? existingId('proxy', dto.proxy_id) : null }),
    });
    return { status: 'updated' };
  }

  @Delete(':kind(bot|user)/:id')
  @Returns(SessionDeletedDto)
  @ApiParam(KIND)
  @ApiOperation({ operationId: 'deleteSession', summary: 'Close and remove a session; with logout also at Telegram' })
  async remove(
    @Param('kind') kind: SessionKind,
    @Param('id') id: string,
    @Query() { logout }: DeleteSessionQueryDto,
  ): Promise<SessionDeletedDto> {
    const wantsLogout = logout === 'true' || logout === '1' || logout === '';
    return { status: 'deleted', logged_out: await this.sessions.remove(kind, id, wantsLogout) };
  }

  @Post(':kind(bot|user)/:id/stop')
  @Returns(SessionStateDto)
  @ApiParam(KIND)
  @ApiOperation({ operationId: 'stopSession', summary: 'Close a session until it is started again' })
  stop(@Param('kind') kind: SessionKind, @Param('id') id: string): Promise<SessionStateDto> {
    return this.sessions.stop(kind, id);
  }

  @Post(':kind(bot|user)/:id/start')
  @Returns(SessionStateDto)
  @ApiParam(KIND)
  @ApiOperation({ operationId: 'startSession', summary: 'Open a stopped session' })
  start(@Param('kind') kind: SessionKind, @Param('id') id: string): Promise<SessionStateDto> {
    return this.sessions.start(kind, id);
  }

  @Post(':kind(bot|user)/:id/move')
  @Returns(SessionMovedDto, { description: 'closed here; the other worker opens it at once' })
  @ApiParam(KIND)
  @ApiOperation({
    operationId: 'moveSession',
    summary: 'Hand a session over to another worker; calls that come meanwhile get 503 session_moving',
  })
  async move(
    @Param('kind') kind: SessionKind,
    @Param('id') id: string,
    @Body() { worker_id }: MoveSessionDto,
  ): Promise<SessionMovedDto> {
    return { worker_id: await this.sessions.move(kind, id, worker_id) };
  }

  @Post(':kind(bot|user)/:id/call')
  @Direct()
  @NoChange()
  @ReturnsTdObject(undefined, SENDS_BESIDE)
  @Requires(Access.CoveredSession, 'any')
  @ApiParam(KIND)
  @ApiParam(ID)
  @ApiBody(CALL_BODY)
  @ApiCallOptions()
  @ApiOperation({ operationId: 'callMethod', summary: 'Run a td_api method on a session' })
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
