import { IsOptional, IsString, MaxLength } from 'class-validator';
import { ApiProperty, ApiPropertyOptional } from '../../common/http/index.js';
import { METHOD_CLASSES, type MethodClass } from '../../telegram/index.js';

/** What of the catalogue is asked for. */
export class TdCatalogueQueryDto {
  @ApiPropertyOptional({ type: String, maxLength: 100, description: 'Only what has exactly this name.' })
  @IsOptional()
  @IsString()
  @MaxLength(100)
  name?: string;

  @ApiPropertyOptional({ type: String, maxLength: 100, description: 'Only what has this in its name or description.' })
  @IsOptional()
  @IsString()
  @MaxLength(100)
  q?: string;
}

/** A parameter of a method, or a field of an object. */
export class TdFieldDto {
  @ApiProperty({ type: String }) name!: string;
  @ApiProperty({
    type: String,
    example: 'vector<int64>',
    description: 'string, number, boolean, int64 (digits in a string), vector<…>, or the name of a type.',
  })
  type!: string;
  @ApiProperty({ type: String }) description!: string;
}

/** A td_api method. */
export class TdMethodDto {
  @ApiProperty({ type: String, example: 'sendMessage' }) name!: string;
  @ApiProperty({
    enum: METHOD_CLASSES,
    description: 'Scoped tokens may call read, send and manage; the master token may call all.',
  })
  class!: MethodClass;
  @ApiProperty({ type: Boolean, description: 'The gateway keeps it for itself: nobody may call it.' })
  reserved!: boolean;
  @ApiProperty({ type: String }) description!: string;
  @ApiProperty({ type: [TdFieldDto] }) parameters!: TdFieldDto[];
  @ApiProperty({ type: String, description: 'The type of its answer.' }) returns!: string;
  @ApiProperty({ type: Boolean, description: 'It works on /v1/execute, without a session.' }) synchronous!: boolean;
  @ApiProperty({ type: Boolean, description: 'td_api says that users may not call it.' }) bots_only!: boolean;
}

/** A td_api type: an object with fields, or a class with the objects that it may be. */
export class TdTypeDto {
  @ApiProperty({ type: String, example: 'MessageSender' }) name!: string;
  @ApiProperty({ type: String }) description!: string;
  @ApiPropertyOptional({ type: [TdFieldDto], description: 'Of an object.' }) fields?: TdFieldDto[];
  @ApiPropertyOptional({ type: [String], description: 'Of a class: the names of its objects.' }) one_of?: string[];
}
