import { IsIn, IsInt, IsOptional, IsString, Matches, Max, MaxLength, Min } from 'class-validator';
import { ApiProperty, ApiPropertyOptional, MayBeAbsent } from '../../common/http/index.js';

const PROXY_TYPES = ['socks5', 'http', 'mtproto'] as const;
type ProxyType = (typeof PROXY_TYPES)[number];
/** A name or an address; no scheme, no port, no spaces. */
const HOST = /^[A-Za-z0-9._:-]+$/;
const HOST_MESSAGE = 'host must be a host name or an IP address';

export class CreateProxyDto {
  @ApiProperty({ type: String, enum: PROXY_TYPES }) @IsIn(PROXY_TYPES) type!: ProxyType;

  @ApiProperty({ type: String, maxLength: 253 })
  @IsString()
  @Matches(HOST, { message: HOST_MESSAGE })
  @MaxLength(253)
  host!: string;

  @ApiProperty({ type: 'integer', minimum: 1, maximum: 65_535 }) @IsInt() @Min(1) @Max(65_535) port!: number;

  @ApiPropertyOptional({ type: String, maxLength: 255, description: 'socks5 and http' })
  @IsOptional()
  @IsString()
  @MaxLength(255)
  username?: string | null;

  @ApiPropertyOptional({
    type: String,
    maxLength: 255,
    description: 'socks5 and http; stored encrypted, never shown again',
  })
  @IsOptional()
  @IsString()
  @MaxLength(255)
  password?: string | null;

  @ApiPropertyOptional({
    type: String,
    maxLength: 500,
    description: 'mtproto only; stored encrypted, never shown again',
  })
  @IsOptional()
  @IsString()
  @MaxLength(500)
  secret?: string | null;

  @ApiPropertyOptional({ type: String, maxLength: 200 }) @IsOptional() @IsString() @MaxLength(200) label?:
    string | null;
}

export class UpdateProxyDto {
  @ApiPropertyOptional({ type: String, enum: PROXY_TYPES })
  @MayBeAbsent()
  @IsIn(PROXY_TYPES)
  type?: ProxyType;

  @ApiPropertyOptional({ type: String, maxLength: 253 })
  @MayBeAbsent()
  @IsString()
  @Matches(HOST, { message: HOST_MESSAGE })
  @MaxLength(253)
  host?: string;

  @ApiPropertyOptional({ type: 'integer', minimum: 1, maximum: 65_535 })
  @MayBeAbsent()
  @IsInt()
  @Min(1)
  @Max(65_535)
  port?: number;

  @ApiPropertyOptional({ type: String, maxLength: 255, description: 'empty or null clears it' })
  @IsOptional()
  @IsString()
  @MaxLength(255)
  username?: string | null;

  @ApiPropertyOptional({ type: String, maxLength: 255, description: 'socks5 and http; empty or null clears it' })
  @IsOptional()
  @IsString()
  @MaxLength(255)
  password?: string | null;

  @ApiPropertyOptional({ type: String, maxLength: 500, description: 'mtproto only' })
  @IsOptional()
  @IsString()
  @MaxLength(500)
  secret?: string | null;

  @ApiPropertyOptional({ type: String, maxLength: 200, description: 'empty or null clears it' })
  @IsOptional()
  @IsString()
  @MaxLength(200)
  label?: string | null;
}

export class ProxyCreatedDto {
  @ApiProperty({ type: String, format: 'uuid' }) proxy_id!: string;
}

export class ProxyTestDto {
  @ApiProperty({ type: Boolean, description: 'whether Telegram answered through the proxy' }) reachable!: boolean;
  @ApiPropertyOptional({ type: 'integer', description: 'milliseconds until the answer' }) latency_ms?: number;
  @ApiPropertyOptional({ type: String, description: 'why there was no answer' }) reason?: string;
}

export class ProxyDto {
  @ApiProperty({ type: String, format: 'uuid' }) id!: string;
  @ApiProperty({ type: String, enum: PROXY_TYPES }) type!: ProxyType;
  @ApiProperty({ type: String }) host!: string;
  @ApiProperty({ type: 'integer' }) port!: number;
  @ApiPropertyOptional({ type: String }) username?: string;
  @ApiPropertyOptional({ type: String }) label?: string;
  @ApiProperty({ type: String, format: 'date-time' }) created_at!: string;
}
