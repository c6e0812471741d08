import { Body, Controller, Post } from '@nestjs/common';
import { IsString, IsUUID, Length } from 'class-validator';
import { Access, ApiHiddenController, Requires } from '../../common/http/index.js';
import { SecretSealer } from './secret-sealer.js';

class SealDto {
  @IsUUID() id!: string;
  @IsString() @Length(8, 512) secret!: string;
}

/** What gateways ask a worker to encrypt. */
@ApiHiddenController()
@Controller('internal/subscriptions')
@Requires(Access.Cluster)
export class SealerInternalController {
  constructor(private readonly sealer: SecretSealer) {}

  @Post('seal')
  async seal(@Body() { id, secret }: SealDto): Promise<{ readonly sealed: string }> {
    return { sealed: await this.sealer.seal(id, secret) };
  }
}
