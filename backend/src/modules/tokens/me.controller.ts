import { Controller, Get } from '@nestjs/common';
import { Access, ApiOperation, ApiTags, currentCaller, Requires, Returns } from '../../common/http/index.js';
import { METHOD_CLASSES } from '../../telegram/index.js';
import { MeDto } from './token.dto.js';
import { toRightsDto, toTokenDto } from './token.mapping.js';
import { TokensService } from './tokens.service.js';

/** Tells who asks what they may do. */
@ApiTags('tokens')
@Controller('v1/me')
export class MeController {
  constructor(private readonly tokens: TokensService) {}

  @Get()
  @Requires(Access.AnyToken, 'any')
  @Returns(MeDto)
  @ApiOperation({ operationId: 'getOwnRights', summary: 'Whose token this is, and what it may do' })
  async me(): Promise<MeDto> {
    const caller = currentCaller();
    if (caller.kind === 'master') {
      return { kind: 'master', enabled: true, all_sessions: true, classes: METHOD_CLASSES, pool_access: 'write' };
    }
    const token = await this.tokens.own(caller.tokenId);
    return { kind: 'token', ...(token ? toTokenDto(token) : toRightsDto(caller)) };
  }
}
