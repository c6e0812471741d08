import { ApiProperty, ApiPropertyOptional } from '../../common/http/index.js';

/** An access key that was made. */
export class AccessKeyCreatedDto {
  @ApiProperty({ type: String }) access_key_id!: string;
  @ApiProperty({ type: String, description: 'Shown here and never again.' }) secret_access_key!: string;
  @ApiPropertyOptional({
    type: 'integer',
    description: 'the port where the gateway that answered listens for S3; absent while it does not',
  })
  s3_port?: number;
}

/** An access key, without its secret. */
export class AccessKeyDto {
  @ApiProperty({ type: String }) access_key_id!: string;
  @ApiProperty({ type: String, format: 'date-time' }) created_at!: string;
}
