import { IsISO8601, IsOptional, IsString, MaxLength } from 'class-validator';
import { ApiProperty, ApiPropertyOptional, PageQueryDto } from '../../common/http/index.js';
import type { AuditActor } from './audit-event.entity.js';

const MAX_TEXT = 300;
const ACTORS: AuditActor[] = ['master', 'console', 'token', 'nobody', 'system'];

/** Which events are asked for. */
export class AuditQueryDto extends PageQueryDto {
  @ApiPropertyOptional({ type: String, description: 'master, console, token, nobody or system, or the id of a token' })
  @IsOptional()
  @IsString()
  @MaxLength(MAX_TEXT)
  actor?: string;

  @ApiPropertyOptional({ type: String, description: 'an operation of this document, such as createToken' })
  @IsOptional()
  @IsString()
  @MaxLength(MAX_TEXT)
  action?: string;

  @ApiPropertyOptional({ type: String, description: 'the id of an object, or of the session that it belongs to' })
  @IsOptional()
  @IsString()
  @MaxLength(MAX_TEXT)
  object?: string;

  @ApiPropertyOptional({ type: String, format: 'date-time', description: 'not before this time' })
  @IsOptional()
  @IsISO8601({ strict: true })
  from?: string;

  @ApiPropertyOptional({ type: String, format: 'date-time', description: 'before this time' })
  @IsOptional()
  @IsISO8601({ strict: true })
  to?: string;

  @ApiPropertyOptional({ type: String, description: 'the X-Request-Id of an answer' })
  @IsOptional()
  @IsString()
  @MaxLength(MAX_TEXT)
  request_id?: string;
}

/** Something that was done, or refused. */
export class AuditEventDto {
  @ApiProperty({ type: String, format: 'uuid' }) id!: string;
  @ApiProperty({ type: String, format: 'date-time' }) at!: string;
  @ApiProperty({ enum: ACTORS }) actor!: AuditActor;
  @ApiPropertyOptional({ type: String, format: 'uuid' }) token_id?: string;
  @ApiPropertyOptional({ type: String, description: 'What it was called at that time.' }) token_name?: string;
  @ApiProperty({ type: String, description: "The client's address." }) address!: string;
  @ApiProperty({ type: String }) request_id!: string;
  @ApiProperty({ type: String, description: 'The operation of this document.' }) action!: string;
  @ApiPropertyOptional({ type: String }) object_type?: string;
  @ApiPropertyOptional({ type: String }) object_id?: string;
  @ApiPropertyOptional({ type: String }) session_id?: string;
  @ApiProperty({ type: 'integer', description: 'The HTTP status of the answer.' }) status!: number;
  @ApiPropertyOptional({ type: String, description: 'Of the refusal.' }) code?: string;
  @ApiProperty({
    type: 'object',
    additionalProperties: true,
    description: 'What was asked for, as `body`; secrets, codes, names and phone numbers are masked.',
  })
  details!: object;
  @ApiProperty({ type: 'integer', description: 'Of how many alike requests this tells: refusals are sampled.' })
  count!: number;
}
