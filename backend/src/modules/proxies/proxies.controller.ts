import { Body, Controller, Delete, Get, Param, Patch, Post, Query } from '@nestjs/common';
import {
  Access,
  ApiOperation,
  ApiTags,
  DeletedDto,
  Page,
  PageQueryDto,
  Requires,
  Returns,
  UpdatedDto,
  existingId,
} from '../../common/http/index.js';
import { Idempotent } from '../../common/idempotency/index.js';
import { CreateProxyDto, ProxyCreatedDto, ProxyDto, ProxyTestDto, UpdateProxyDto } from './proxy.dto.js';
import { toChange, toTestDto } from './proxy.mapping.js';
import { ProxiesService } from './proxies.service.js';

@ApiTags('proxies')
@Controller('v1/proxies')
@Requires(Access.Master)
export class ProxiesController {
  constructor(private readonly proxies: ProxiesService) {}

  @Post()
  @Returns(ProxyCreatedDto)
  @Idempotent()
  @ApiOperation({ operationId: 'createProxy', summary: 'Register a proxy for sessions' })
  async create(@Body() dto: CreateProxyDto): Promise<ProxyCreatedDto> {
    return { proxy_id: await this.proxies.create(dto) };
  }

  @Get()
  @Returns(ProxyDto, { isArray: true })
  @ApiOperation({ operationId: 'listProxies', summary: 'All proxies, oldest first; never their secrets' })
  async list(@Query() query: PageQueryDto): Promise<Page<ProxyDto>> {
    const { items, nextCursor } = await this.proxies.list(query.toRequest());
    return new Page(
      items.map(({ id, type, host, port, username, label, createdAt }) => ({
        id,
        type,
        host,
        port,
        ...(username !== null && { username }),
        ...(label !== null && { label }),
        created_at: createdAt.toISOString(),
      })),
      nextCursor,
    );
  }

  @Patch(':id')
  @Returns(UpdatedDto)
  @ApiOperation({ operationId: 'updateProxy', summary: 'Change a proxy; the sessions that use it follow at once' })
  async update(@Param('id') id: string, @Body() dto: UpdateProxyDto): Promise<UpdatedDto> {
    await this.proxies.change(existingId('proxy', id), toChange(dto));
    return { status: 'updated' };
  }

  @Post(':id/test')
  @Returns(ProxyTestDto)
  @ApiOperation({ operationId: 'testProxy', summary: 'Whether Telegram answers through the proxy, and how fast' })
  async test(@Param('id') id: string): Promise<ProxyTestDto> {
    return toTestDto(await this.proxies.test(existingId('proxy', id)));
  }

  @Delete(':id')
  @Returns(DeletedDto)
  @ApiOperation({ operationId: 'deleteProxy', summary: 'Remove a proxy that no session uses' })
  async remove(@Param('id') id: string): Promise<DeletedDto> {
    await this.proxies.remove(existingId('proxy', id));
    return { status: 'deleted' };
  }
}
