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
import { AppCreatedDto, AppDto, CreateAppDto, UpdateAppDto } from './app.dto.js';
import { toChange, toDraft } from './app.mapping.js';
import { AppsService } from './apps.service.js';

@ApiTags('apps')
@Controller('v1/apps')
@Requires(Access.Master)
export class AppsController {
  constructor(private readonly apps: AppsService) {}

  @Post()
  @Returns(AppCreatedDto)
  @Idempotent()
  @ApiOperation({ operationId: 'createApp', summary: 'Register an api_id with its api_hash' })
  async create(@Body() dto: CreateAppDto): Promise<AppCreatedDto> {
    return { app_id: await this.apps.create(toDraft(dto)) };
  }

  @Get()
  @Returns(AppDto, { isArray: true })
  @ApiOperation({ operationId: 'listApps', summary: 'All apps, oldest first; never their api_hash' })
  async list(@Query() query: PageQueryDto): Promise<Page<AppDto>> {
    const { items, nextCursor } = await this.apps.list(query.toRequest());
    return new Page(
      items.map(({ id, apiId, label, createdAt }) => ({
        id,
        api_id: apiId,
        ...(label !== null && { label }),
        created_at: createdAt.toISOString(),
      })),
      nextCursor,
    );
  }

  @Patch(':id')
  @Returns(UpdatedDto)
  @ApiOperation({ operationId: 'updateApp', summary: 'Rename an app or replace its credentials' })
  async update(@Param('id') id: string, @Body() dto: UpdateAppDto): Promise<UpdatedDto> {
    await this.apps.change(existingId('app', id), toChange(dto));
    return { status: 'updated' };
  }

  @Delete(':id')
  @Returns(DeletedDto)
  @ApiOperation({ operationId: 'deleteApp', summary: 'Remove an app that no session uses' })
  async remove(@Param('id') id: string): Promise<DeletedDto> {
    await this.apps.remove(existingId('app', id));
    return { status: 'deleted' };
  }
}
