import {
  IsInt,
  IsNotEmpty,
  IsObject,
  IsOptional,
  IsString,
  Max,
  MaxLength,
  Min,
  ValidateNested,
} from 'class-validator';
import { Type } from 'class-transformer';
import { ApiProperty, ApiPropertyOptional, MayBeAbsent } from '../../common/http/index.js';

const MAX_KEY_LENGTH = 1_024;
const REMOTE = ['deleted', 'pending', 'not_possible'] as const;

export class ListObjectsQueryDto {
  @ApiPropertyOptional({ type: String }) @IsOptional() @IsString() @MaxLength(MAX_KEY_LENGTH) prefix?: string;

  @ApiPropertyOptional({ type: String, description: 'keys that have the same up to it become one prefix' })
  @IsOptional()
  @IsString()
  @MaxLength(16)
  delimiter?: string;

  @ApiPropertyOptional({ type: String, description: "the previous page's next_cursor" })
  @IsOptional()
  @IsString()
  @MaxLength(4 * MAX_KEY_LENGTH)
  cursor?: string;

  @ApiPropertyOptional({ type: 'integer', minimum: 1, maximum: 1000 })
  @MayBeAbsent()
  @Type(() => Number)
  @IsInt()
  @Min(1)
  @Max(1000)
  limit?: number;
}

export class ObjectDto {
  @ApiProperty({ type: String }) key!: string;
  @ApiProperty({ type: String, description: 'another one each time the object is put' }) version!: string;
  @ApiProperty({ type: 'integer' }) size!: number;
  @ApiProperty({
    type: String,
    description: 'MD5 of the bytes, hexadecimal; of an object made of n parts over S3 the MD5 of their MD5s, and -n',
  })
  etag!: string;
  @ApiPropertyOptional({ type: String, description: 'of the bytes, hexadecimal; absent of one made of parts over S3' })
  sha256?: string;
  @ApiProperty({ type: String }) content_type!: string;
  @ApiProperty({ type: 'object', additionalProperties: { type: 'string' } }) metadata!: Readonly<
    Record<string, string>
  >;
  @ApiProperty({ type: String, format: 'date-time' }) created_at!: string;
}

export class ObjectPartDto {
  @ApiProperty({ type: 'integer' }) n!: number;
  @ApiProperty({ type: 'integer' }) size!: number;
  @ApiProperty({ type: 'integer', description: 'where in the message it begins' }) offset!: number;
  @ApiProperty({ type: String, description: 'of the whole message' }) sha256!: string;
  @ApiProperty({ type: 'integer' }) chat_id!: number;
  @ApiProperty({ type: 'integer' }) message_id!: number;
  @ApiProperty({ type: String, format: 'uuid' }) uploader!: string;
  @ApiProperty({ type: String, format: 'date-time' }) stored_at!: string;
}

export class ObjectStatDto extends ObjectDto {
  @ApiProperty({ type: [ObjectPartDto] }) parts!: readonly ObjectPartDto[];
}

export class ObjectListDto {
  @ApiProperty({ type: [ObjectDto] }) objects!: readonly ObjectDto[];
  @ApiProperty({ type: [String] }) prefixes!: readonly string[];
  @ApiPropertyOptional({ type: String }) next_cursor?: string;
}

export class ObjectDeletedDto {
  @ApiProperty({ type: Boolean, description: 'whether it was there' }) deleted!: boolean;
  @ApiProperty({
    type: String,
    enum: [...REMOTE, 'none'],
    description:
      'what became of its messages: bots may delete for 48 hours, afterwards they stay in the chat; none: there were ' +
      'none that no other object has',
  })
  remote!: (typeof REMOTE)[number] | 'none';
}

export class ObjectNameDto {
  @ApiProperty({ type: String }) @IsString() @IsNotEmpty() @MaxLength(MAX_KEY_LENGTH) key!: string;
}

export class CopyObjectDto {
  @ApiProperty({ type: ObjectNameDto }) @IsObject() @ValidateNested() @Type(() => ObjectNameDto) from!: ObjectNameDto;
  @ApiProperty({ type: ObjectNameDto }) @IsObject() @ValidateNested() @Type(() => ObjectNameDto) to!: ObjectNameDto;
}

export class CollectedDto {
  @ApiProperty({ type: 'integer', description: 'messages that nothing referred to' }) found!: number;
  @ApiProperty({ type: String, enum: REMOTE }) remote!: (typeof REMOTE)[number];
}
