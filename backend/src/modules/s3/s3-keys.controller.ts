import { Controller, Delete, Get, Param, Post } from '@nestjs/common';
import { Access, ApiOperation, ApiTags, DeletedDto, existingId, Requires, Returns } from '../../common/http/index.js';
import { AccessKeyCreatedDto, AccessKeyDto } from './s3-key.dto.js';
import { S3Keys } from './s3-keys.service.js';

@ApiTags('tokens')
@Controller('v1/tokens/:id/s3-keys')
@Requires(Access.Master)
export class S3KeysController {
  constructor(private readonly keys: S3Keys) {}

  @Get()
  @Returns(AccessKeyDto, { isArray: true })
  @ApiOperation({
    operationId: 'listAccessKeys',
    summary: "A token's access keys of S3, oldest first; never their secrets",
  })
  async list(@Param('id') id: string): Promise<AccessKeyDto[]> {
    const keys = await this.keys.list(existingId('token', id));
    return keys.map((key) => ({ access_key_id: key.id, created_at: key.createdAt.toISOString() }));
  }

  @Post()
  @Returns(AccessKeyCreatedDto)
  @ApiOperation({
    operationId: 'createAccessKey',
    summary: 'Make an access key of S3 for a token',
    description: 'It may do with the buckets of pools what the token may do with the pools.',
  })
  async create(@Param('id') id: string): Promise<AccessKeyCreatedDto> {
    const key = await this.keys.create(existingId('token', id));
    return {
      access_key_id: key.id,
      secret_access_key: key.secret,
      ...(this.keys.port !== undefined && { s3_port: this.keys.port }),
    };
  }

  @Delete(':key')
  @Returns(DeletedDto)
  @ApiOperation({ operationId: 'deleteAccessKey', summary: 'Revoke an access key of S3 for good' })
  async remove(@Param('id') id: string, @Param('key') key: string): Promise<DeletedDto> {
    await this.keys.remove(existingId('token', id), key);
    return { status: 'deleted' };
  }
}
