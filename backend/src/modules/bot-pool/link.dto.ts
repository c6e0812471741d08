import { IsInt, IsNotEmpty, IsOptional, IsString, Max, MaxLength, Min, ValidateBy } from 'class-validator';
import { ApiProperty, ApiPropertyOptional } from '../../common/http/index.js';
import { isPlainName } from '../uploads/index.js';

const MAX_KEY_LENGTH = 1_024;
/** As long as S3's presigned URLs live at most. */
const MAX_EXPIRY_SECONDS = 7 * 24 * 3_600;

const IsPlainName = (): PropertyDecorator =>
  ValidateBy({
    name: 'isPlainName',
    validator: {
      validate: (name) => typeof name === 'string' && isPlainName(name),
      defaultMessage: (args) => `${args?.property ?? 'this'} must be a plain file name of at most 255 bytes`,
    },
  });

export class CreateLinkDto {
  @ApiProperty({ type: String }) @IsString() @IsNotEmpty() @MaxLength(MAX_KEY_LENGTH) key!: string;

  @ApiProperty({ type: 'integer', minimum: 1, maximum: MAX_EXPIRY_SECONDS, description: 'seconds' })
  @IsInt()
  @Min(1)
  @Max(MAX_EXPIRY_SECONDS)
  expires_in!: number;

  @ApiPropertyOptional({
    type: String,
    description: 'what a browser is to call the file, a plain name; absent: the end of the key',
  })
  @IsOptional()
  @IsPlainName()
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
