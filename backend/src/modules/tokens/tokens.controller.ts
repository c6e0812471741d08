import { Body, Controller, Delete, Get, Param, Patch, Post, Query } from '@nestjs/common';
import {
  Access,
  ApiOperation,
  ApiTags,
  DeletedDto,
  existingId,
  Page,
  PageQueryDto,
  Requires,
  Returns,
  UpdatedDto,
} from '../../common/http/index.js';
import { parseDurationMs } from '../../config/index.js';
import {
  CreateTokenDto,
  RotateTokenDto,
  TokenCreatedDto,
  TokenDto,
  TokenRotatedDto,
  UpdateTokenDto,
} from './token.dto.js';
import { toTokenDto } from './token.mapping.js';
import { type TokenChange, TokensService } from './tokens.service.js';

const DEFAULT_OVERLAP_MS = 24 * 3_600_000;

/** Null is as good as absent where it can mean nothing; of what limits a token it takes the limit away. */
function toChange(dto: UpdateTokenDto): TokenChange {
  const { name, enabled, all_sessions, app_ids, session_ids, classes, methods, chats, expires_at } = dto;
  return {
    ...(name !== undefined && { name }),
    ...(enabled != null && { enabled }),
    ...(all_sessions != null && { allSessions: all_sessions }),
    ...(app_ids != null && { appIds: app_ids }),
    ...(session_ids != null && { sessionIds: session_ids }),
    ...(classes != null && { classes }),
    ...(methods !== undefined && { methods }),
    ...(chats !== undefined && { chats }),
    ...(expires_at !== undefined && { expiresAt: expires_at === null ? null : new Date(expires_at) }),
    ...(dto.pool_ids != null && { poolIds: dto.pool_ids }),
    ...(dto.pool_access != null && { poolAccess: dto.pool_access }),
  };
}

@ApiTags('tokens')
@Controller('v1/tokens')
@Requires(Access.Master)
export class TokensController {
  constructor(private readonly tokens: TokensService) {}

  @Get()
  @Returns(TokenDto, { isArray: true })
  @ApiOperation({ operationId: 'listTokens', summary: 'All scoped tokens, oldest first; never the tokens themselves' })
  async list(@Query() query: PageQueryDto): Promise<Page<TokenDto>> {
    return (await this.tokens.list(query.toRequest())).map(toTokenDto);
  }

  @Get(':id')
  @Returns(TokenDto)
  @ApiOperation({ operationId: 'getToken', summary: 'A scoped token; never the token itself' })
  async get(@Param('id') id: string): Promise<TokenDto> {
    return toTokenDto(await this.tokens.get(existingId('token', id)));
  }

  @Post()
  @Returns(TokenCreatedDto)
  @ApiOperation({
    operationId: 'createToken',
    summary: 'Make a token for some sessions',
    description:
      'It may do what its classes allow, read, send and manage when nothing is said, and of that only what `methods` and `chats` leave.',
  })
  create(@Body() dto: CreateTokenDto): Promise<TokenCreatedDto> {
    return this.tokens.create(toChange(dto));
  }

  @Patch(':id')
  @Returns(UpdatedDto)
  @ApiOperation({
    operationId: 'updateToken',
    summary: "Change a token's name, scope or rights, or switch it off and on",
  })
  async update(@Param('id') id: string, @Body() dto: UpdateTokenDto): Promise<UpdatedDto> {
    await this.tokens.change(existingId('token', id), toChange(dto));
    return { status: 'updated' };
  }

  @Post(':id/rotate')
  @Returns(TokenRotatedDto)
  @ApiOperation({
    operationId: 'rotateToken',
    summary: "Replace a token's secret: its id, rights, uploads and subscriptions stay",
  })
  async rotate(@Param('id') text: string, @Body() { overlap }: RotateTokenDto): Promise<TokenRotatedDto> {
    const id = existingId('token', text);
    const overlapMs = overlap == null ? DEFAULT_OVERLAP_MS : (parseDurationMs(overlap) ?? 0);
    const { token, formerSecretsUntil } = await this.tokens.rotate(id, overlapMs);
    return { id, token, former_secrets_until: formerSecretsUntil.toISOString() };
  }

  @Delete(':id')
  @Returns(DeletedDto)
  @ApiOperation({ operationId: 'deleteToken', summary: 'Revoke a token for good' })
  async remove(@Param('id') id: string): Promise<DeletedDto> {
    await this.tokens.remove(existingId('token', id));
    return { status: 'deleted' };
  }
}
