import { Body, Controller, Param, Patch, Post } from '@nestjs/common';
import { Access, ApiHiddenController, Requires, Returns, UpdatedDto, existingId } from '../../common/http/index.js';
import { AppCreatedDto, CreateAppDto, UpdateAppDto } from './app.dto.js';
import { toChange, toDraft } from './app.mapping.js';
import { AppVault } from './app-vault.js';

/** What gateways ask a worker to seal. */
@ApiHiddenController()
@Controller('internal/apps')
@Requires(Access.Cluster)
export class AppsInternalController {
  constructor(private readonly vault: AppVault) {}

  @Post()
  @Returns(AppCreatedDto)
  async create(@Body() dto: CreateAppDto): Promise<AppCreatedDto> {
    return { app_id: await this.vault.create(toDraft(dto)) };
  }

  @Patch(':id')
  @Returns(UpdatedDto)
  async change(@Param('id') id: string, @Body() dto: UpdateAppDto): Promise<UpdatedDto> {
    await this.vault.change(existingId('app', id), toChange(dto));
    return { status: 'updated' };
  }
}
