import { ArrayMaxSize, IsArray, IsBoolean, IsOptional, IsString, MaxLength, ValidateBy } from 'class-validator';
import { ApiProperty, ApiPropertyOptional } from '../../common/http/index.js';

const UUID = { type: 'string', format: 'uuid' } as const;
/** A token for more sessions than this is better given their app, or all. */
const MAX_IDS = 1000;
const IDS = { type: 'array', items: UUID, maxItems: MAX_IDS } as const;

/** A right that cannot be given yet: to take no notice of it would make a token that may do more than was meant. */
const NotYet = (): PropertyDecorator =>
  ValidateBy({
    name: 'notYet',
    validator: {
      validate: (value) => value === undefined || value === null,
      defaultMessage: (args) =>
        `${args?.property ?? 'this'} is not supported yet: a scoped token may call read, send and manage in its sessions, without end`,
    },
  });

/** What changes of a token. What is absent or null stays; a list that is given replaces that list. */
export class UpdateTokenDto {
  @ApiPropertyOptional({ type: String, maxLength: 200, nullable: true, description: 'Empty or null for none.' })
  @IsOptional()
  @IsString()
  @MaxLength(200)
  name?: string | null;

  @ApiPropertyOptional({ type: Boolean, description: 'A disabled token is refused everywhere; a new one is enabled.' })
  @IsOptional()
  @IsBoolean()
  enabled?: boolean | null;

  @ApiPropertyOptional({ type: Boolean, description: 'Every session, also those to come.' })
  @IsOptional()
  @IsBoolean()
  all_sessions?: boolean | null;

  @ApiPropertyOptional({ ...IDS, description: 'Every session of these apps, also those to come.' })
  @IsOptional()
  @IsArray()
  @ArrayMaxSize(MAX_IDS)
  app_ids?: unknown[] | null;

  @ApiPropertyOptional({ ...IDS, description: 'These sessions.' })
  @IsOptional()
  @IsArray()
  @ArrayMaxSize(MAX_IDS)
  session_ids?: unknown[] | null;

  @NotYet() classes?: unknown;
  @NotYet() methods?: unknown;
  @NotYet() chats?: unknown;
  @NotYet() expires_at?: unknown;
}

/** A token to be made; what is absent gives it no access. */
export class CreateTokenDto extends UpdateTokenDto {}

/** A token that was made. */
export class TokenCreatedDto {
  @ApiProperty(UUID) id!: string;
  @ApiProperty({ type: String, description: 'Shown here and never again.' }) token!: string;
}

/** A token, without its secret. */
export class TokenDto {
  @ApiProperty(UUID) id!: string;
  @ApiPropertyOptional({ type: String }) name?: string;
  @ApiProperty({ type: String, description: "The token's first characters, to know it by." }) prefix!: string;
  @ApiProperty({ type: Boolean }) enabled!: boolean;
  @ApiProperty({ type: Boolean }) all_sessions!: boolean;
  @ApiProperty({ type: 'array', items: UUID }) app_ids!: readonly string[];
  @ApiProperty({ type: 'array', items: UUID }) session_ids!: readonly string[];
  @ApiProperty({ type: String, format: 'date-time' }) created_at!: string;
  @ApiPropertyOptional({ type: String, format: 'date-time', description: 'To some seconds; absent until it is used.' })
  last_used_at?: string;
}
