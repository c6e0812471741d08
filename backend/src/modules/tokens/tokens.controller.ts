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
import { CreateTokenDto, TokenCreatedDto, TokenDto, UpdateTokenDto } from './token.dto.js';
import { type ListedToken, type TokenChange, TokensService } from './tokens.service.js';

function toChange({ name, enabled, all_sessions, app_ids, session_ids }: UpdateTokenDto): TokenChange {
  return {
    ...(name !== undefined && { name }),
    ...(enabled != null && { enabled }),
    ...(all_sessions != null && { allSessions: all_sessions }),
    ...(app_ids != null && { appIds: app_ids }),
    ...(session_ids != null && { sessionIds: session_ids }),
  };
}

function toDto({ token, appIds, sessionIds }: ListedToken): TokenDto {
  return {
    id: token.id,
    ...(token.name !== null && { name: token.name }),
    prefix: token.prefix,
    enabled: token.enabled,
    all_sessions: token.allSessions,
    app_ids: appIds,
    session_ids: sessionIds,
    created_at: token.createdAt.toISOString(),
    ...(token.lastUsedAt !== null && { last_used_at: token.lastUsedAt.toISOString() }),
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
    const { items, nextCursor } = await this.tokens.list(query.toRequest());
    return new Page(items.map(toDto), nextCursor);
  }

  @Post()
  @Returns(TokenCreatedDto)
  @ApiOperation({
    operationId: 'createToken',
    summary: 'Make a token for some sessions',
    description:
      'It may call the methods of the classes read, send and manage there. Other classes, methods, chats and an end cannot be set yet: `classes`, `methods`, `chats` and `expires_at` are refused. Other unknown fields are ignored, as everywhere.',
  })
  create(@Body() dto: CreateTokenDto): Promise<TokenCreatedDto> {
    return this.tokens.create(toChange(dto));
  }

  @Patch(':id')
  @Returns(UpdatedDto)
  @ApiOperation({ operationId: 'updateToken', summary: "Change a token's name or scope, or switch it off and on" })
  async update(@Param('id') id: string, @Body() dto: UpdateTokenDto): Promise<UpdatedDto> {
    await this.tokens.change(existingId('token', id), toChange(dto));
    return { status: 'updated' };
  }

  @Delete(':id')
  @Returns(DeletedDto)
  @ApiOperation({ operationId: 'deleteToken', summary: 'Revoke a token for good' })
  async remove(@Param('id') id: string): Promise<DeletedDto> {
    await this.tokens.remove(existingId('token', id));
    return { status: 'deleted' };
  }
}
