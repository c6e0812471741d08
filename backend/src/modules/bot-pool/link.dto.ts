import { IsInt, IsNotEmpty, IsOptional, IsString, Max, MaxLength, Min } from 'class-validator';
import { ApiProperty, ApiPropertyOptional } from '../../common/http/index.js';

const MAX_KEY_LENGTH = 1_024;
/** As long as S3's presigned URLs live at most. */
const MAX_EXPIRY_SECONDS = 7 * 24 * 3_600;

export class CreateLinkDto {
  @ApiProperty({ type: String }) @IsString() @IsNotEmpty() @MaxLength(MAX_KEY_LENGTH) key!: string;

  @ApiProperty({ type: 'integer', minimum: 1, maximum: MAX_EXPIRY_SECONDS, description: 'seconds' })
  @IsInt()
  @Min(1)
  @Max(MAX_EXPIRY_SECONDS)
  expires_in!: number;

  @ApiPropertyOptional({ type: String, description: 'what a browser is to call the file; absent: the end of the key' })
  @IsOptional()
  @IsString()
  @IsNotEmpty()
  @MaxLength(255)
  filename?: string;
}

export class LinkDto {
  @ApiProperty({ type: String, format: 'uuid' }) id!: string;
  @ApiProperty({ type: String }) key!: string;
  @ApiPropertyOptional({ type: String }) filename?: string;
  @ApiPropertyOptional({ type: String, format: 'uuid', description: 'the token that has made it; absent: the master' })
  token_id?: string;
  @ApiProperty({ type: String, format: 'date-time' }) created_at!: string;
  @ApiProperty({ type: String, format: 'date-time' }) expires_at!: string;
}

export class CreatedLinkDto extends LinkDto {
  @ApiProperty({ type: String, description: 'at this address; it is told only now', example: '/d/…' }) url!: string;
}
