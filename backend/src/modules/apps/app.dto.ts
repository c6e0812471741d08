import { IsInt, IsOptional, IsString, Matches, Max, MaxLength, Min } from 'class-validator';
import { ApiProperty, ApiPropertyOptional, MayBeAbsent } from '../../common/http/index.js';

const MAX_INT32 = 2_147_483_647;

export class CreateAppDto {
  @ApiProperty({
    type: 'integer',
    minimum: 1,
    maximum: MAX_INT32,
    example: 123456,
    description: 'from my.telegram.org',
  })
  @IsInt()
  @Min(1)
  @Max(MAX_INT32)
  api_id!: number;

  @ApiProperty({
    type: String,
    maxLength: 100,
    description: 'from my.telegram.org; stored encrypted, never shown again',
  })
  @IsString()
  @Matches(/^\S+$/, { message: 'api_hash must not be empty or contain spaces' })
  @MaxLength(100)
  api_hash!: string;

  @ApiPropertyOptional({ type: String, maxLength: 200 })
  @MayBeAbsent()
  @IsString()
  @MaxLength(200)
  label?: string;
}

export class UpdateAppDto {
  @ApiPropertyOptional({
    type: 'integer',
    minimum: 1,
    maximum: MAX_INT32,
    description: 'sessions use it from their next start',
  })
  @MayBeAbsent()
  @IsInt()
  @Min(1)
  @Max(MAX_INT32)
  api_id?: number;

  @ApiPropertyOptional({ type: String, maxLength: 100, description: 'sessions use it from their next start' })
  @MayBeAbsent()
  @IsString()
  @Matches(/^\S+$/, { message: 'api_hash must not be empty or contain spaces' })
  @MaxLength(100)
  api_hash?: string;

  @ApiPropertyOptional({ type: String, maxLength: 200, description: 'empty or null clears it' })
  @IsOptional()
  @IsString()
  @MaxLength(200)
  label?: string | null;
}

export class AppCreatedDto {
  @ApiProperty({ type: String, format: 'uuid' }) app_id!: string;
}

export class AppDto {
  @ApiProperty({ type: String, format: 'uuid' }) id!: string;
  @ApiProperty({ type: 'integer' }) api_id!: number;
  @ApiPropertyOptional({ type: String }) label?: string;
  @ApiProperty({ type: String, format: 'date-time' }) created_at!: string;
}
