import { Body, Controller, Param, Patch, Post } from '@nestjs/common';
import { Access, ApiHiddenController, Requires, Returns, UpdatedDto, existingId } from '../../common/http/index.js';
import { CreateProxyDto, ProxyCreatedDto, ProxyTestDto, UpdateProxyDto } from './proxy.dto.js';
import { toChange, toTestDto } from './proxy.mapping.js';
import { ProxyVault } from './proxy-vault.js';

/** What gateways ask a worker to seal. */
@ApiHiddenController()
@Controller('internal/proxies')
@Requires(Access.Cluster)
export class ProxiesInternalController {
  constructor(private readonly vault: ProxyVault) {}

  @Post()
  @Returns(ProxyCreatedDto)
  async create(@Body() dto: CreateProxyDto): Promise<ProxyCreatedDto> {
    return { proxy_id: await this.vault.create(dto) };
  }

  @Patch(':id')
  @Returns(UpdatedDto)
  async change(@Param('id') id: string, @Body() dto: UpdateProxyDto): Promise<UpdatedDto> {
    await this.vault.change(existingId('proxy', id), toChange(dto));
    return { status: 'updated' };
  }

  @Post(':id/test')
  @Returns(ProxyTestDto)
  async test(@Param('id') id: string): Promise<ProxyTestDto> {
    return toTestDto(await this.vault.test(existingId('proxy', id)));
  }
}
