import { Body, Controller, Get, HttpCode, Param, Post, Query } from '@nestjs/common';
import {
  Access,
  ApiHiddenController,
  ApiOperation,
  ApiParam,
  ApiTags,
  existingId,
  Requires,
  Returns,
} from '../../common/http/index.js';
import type { SessionKind } from '../sessions/index.js';
import { UploadStore } from '../uploads/index.js';
import {
  OptimizeStorageDto,
  SessionStorageDto,
  StorageDto,
  StorageOptimizedDto,
  StorageQueryDto,
  WorkerStorageDto,
} from './storage.dto.js';
import { Storage } from './storage.js';

const KIND = { name: 'kind', enum: ['bot', 'user'] } as const;

/** What files and databases take on the disks, and how it becomes less. */
@ApiTags('files')
@Controller('v1')
export class StorageController {
  constructor(
    private readonly storage: Storage,
    private readonly uploads: UploadStore,
  ) {}

  @Get('storage')
  @Requires(Access.Master)
  @Returns(StorageDto)
  @ApiOperation({ operationId: 'getStorage', summary: 'What uploads and sessions take, and what is left of the disks' })
  async all(): Promise<StorageDto> {
    const [uploads, workers] = await Promise.all([this.uploads.usage(), this.storage.ofWorkers()]);
    return {
      uploads: {
        bytes: uploads.bytes,
        count: uploads.count,
        quota_bytes: uploads.quotaBytes,
        quota_per_token_bytes: uploads.quotaPerTokenBytes,
        free_bytes: uploads.freeBytes,
        total_bytes: uploads.totalBytes,
        min_free_bytes: uploads.minFreeBytes,
      },
      workers,
    };
  }

  @Get(':kind(bot|user)/:id/storage')
  @Requires(Access.CoveredSession, ['read'])
  @Returns(SessionStorageDto)
  @ApiParam(KIND)
  @ApiOperation({ operationId: 'getSessionStorage', summary: 'What the files and databases of a session take' })
  ofSession(
    @Param('kind') kind: SessionKind,
    @Param('id') id: string,
    @Query() query: StorageQueryDto,
  ): Promise<SessionStorageDto> {
    return this.storage.ofSession({ kind, id: existingId('session', id) }, query.isByType);
  }

  @Post(':kind(bot|user)/:id/storage/optimize')
  @HttpCode(200)
  @Requires(Access.CoveredSession, ['manage'])
  @Returns(StorageOptimizedDto)
  @ApiParam(KIND)
  @ApiOperation({
    operationId: 'optimizeSessionStorage',
    summary: 'Remove files that can be had from Telegram again, never what is being downloaded; needs the class manage',
  })
  optimize(
    @Param('kind') kind: SessionKind,
    @Param('id') id: string,
    @Body() limits: OptimizeStorageDto,
  ): Promise<StorageOptimizedDto> {
    return this.storage.optimize({ kind, id: existingId('session', id) }, limits);
  }
}

/** The same for gateways. */
@ApiHiddenController()
@Controller('internal')
@Requires(Access.Cluster)
export class StorageInternalController {
  constructor(private readonly storage: Storage) {}

  @Get('storage')
  all(): Promise<WorkerStorageDto[]> {
    return this.storage.ofWorkers();
  }

  @Get('sessions/:kind/:id/storage')
  ofSession(
    @Param('kind') kind: SessionKind,
    @Param('id') id: string,
    @Query() query: StorageQueryDto,
  ): Promise<SessionStorageDto> {
    return this.storage.ofSession({ kind, id: existingId('session', id) }, query.isByType);
  }

  @Post('sessions/:kind/:id/storage/optimize')
  @HttpCode(200)
  optimize(
    @Param('kind') kind: SessionKind,
    @Param('id') id: string,
    @Body() limits: OptimizeStorageDto,
  ): Promise<StorageOptimizedDto> {
    return this.storage.optimize({ kind, id: existingId('session', id) }, limits);
  }
}
