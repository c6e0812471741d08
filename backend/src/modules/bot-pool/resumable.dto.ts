import { IsNotEmpty, IsOptional, IsString, Matches, MaxLength } from 'class-validator';
import { ApiProperty, ApiPropertyOptional } from '../../common/http/index.js';
import { ObjectDto } from './object.dto.js';

const MAX_KEY_LENGTH = 1_024;
const STATES = ['open', 'completing', 'failed', 'stored'] as const;

export class BeginPoolUploadQueryDto {
  @ApiProperty({ type: String, description: 'the key of the object that it is to become' })
  @IsString()
  @IsNotEmpty()
  @MaxLength(MAX_KEY_LENGTH)
  key!: string;
}

export class CompletePoolUploadDto {
  @ApiPropertyOptional({ type: String, description: 'hexadecimal: 422 unless the whole has it; the upload stays' })
  @IsOptional()
  @Matches(/^[0-9a-f]{64}$/i, { message: 'sha256 must be a SHA-256, hexadecimal' })
  sha256?: string;
}

export class PoolUploadErrorDto {
  @ApiProperty({ type: String }) code!: string;
  @ApiProperty({ type: String }) message!: string;
}

/** An upload into a pool, as far as it is. */
export class PoolUploadDto {
  @ApiProperty({ type: String, format: 'uuid' }) upload_id!: string;
  @ApiProperty({ type: String }) key!: string;
  @ApiProperty({
    type: String,
    enum: STATES,
    description:
      'completing: nothing more comes, and the rest is being stored; failed: only removing it helps; stored: `object` is what it became',
  })
  state!: (typeof STATES)[number];
  @ApiProperty({ type: 'integer', description: 'how many bytes have come: where the next request begins' })
  offset!: number;
  @ApiPropertyOptional({ type: 'integer', description: 'how many there will be, where that was said' }) length?: number;
  @ApiProperty({ type: 'integer', description: 'of these, how many are in messages' }) stored!: number;
  @ApiPropertyOptional({ type: 'integer', description: 'messages that have them' }) parts?: number;
  @ApiProperty({ type: 'integer', description: 'what is to be a message and is none yet' }) waiting!: number;
  @ApiPropertyOptional({ type: 'integer', description: 'of the messages that it is cut into' }) chunk_size?: number;
  @ApiPropertyOptional({ type: PoolUploadErrorDto, description: 'why it does not go on at the moment, or at all' })
  error?: PoolUploadErrorDto;
  @ApiPropertyOptional({ type: ObjectDto }) object?: ObjectDto;
  @ApiProperty({ type: String, format: 'date-time' }) created_at!: string;
  @ApiPropertyOptional({
    type: String,
    format: 'date-time',
    description: 'when it is removed unless it goes on before',
  })
  expires_at?: string;
}
