import { IsString, MaxLength, MinLength } from 'class-validator';
import { ApiProperty } from '../../common/http/index.js';

export class OpenConsoleSessionDto {
  @ApiProperty({ type: String, description: 'the API token' })
  @IsString()
  @MinLength(1)
  @MaxLength(512)
  token!: string;
}

export class ConsoleSessionDto {
  @ApiProperty({ type: String, description: 'to be sent as X-Csrf-Token with every unsafe method' })
  csrf_token!: string;
  @ApiProperty({ type: String, format: 'date-time' }) expires_at!: string;
}
