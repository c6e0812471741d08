import { ApiProperty, ApiPropertyOptional } from '../../common/http/index.js';

/** A whole upload. */
export class UploadedFileDto {
  @ApiProperty({ type: String, description: 'for inputFileLocal', example: '/uploads/0123…/report.pdf' }) path!: string;
  @ApiProperty({ type: String }) name!: string;
  @ApiProperty({ type: Number }) size!: number;
}

/** A resumable upload that has begun. */
export class UploadBegunDto {
  @ApiProperty({ type: String, description: '32 hexadecimal digits' }) upload_id!: string;
  @ApiProperty({ type: Number, description: 'the largest chunk, in bytes' }) chunk_size!: number;
}

/** Where the upload ends after a chunk. */
export class UploadOffsetDto {
  @ApiProperty({ type: Number }) offset!: number;
}

/** How far an upload is. */
export class UploadProgressDto {
  @ApiProperty({ type: Number }) offset!: number;
  @ApiPropertyOptional({ type: Number, description: 'absent while a single request that does not say so comes in' })
  length?: number;
}

/** An upload all of whose bytes are on the disk. */
export class UploadCompletedDto {
  @ApiProperty({ type: String, description: 'for inputFileLocal' }) path!: string;
  @ApiProperty({ type: Number }) size!: number;
}

/** An upload as lists show it. */
export class ListedUploadDto {
  @ApiProperty({ type: String, description: '32 hexadecimal digits' }) upload_id!: string;
  @ApiProperty({ type: String }) name!: string;
  @ApiProperty({ type: String, description: "`master`, or the token's id" }) owner!: string;
  @ApiProperty({
    type: String,
    enum: ['partial', 'complete', 'in_use'],
    description: 'in_use: it is removed when the messages that carry it have arrived',
  })
  status!: 'partial' | 'complete' | 'in_use';
  @ApiProperty({ type: Number, description: 'how many bytes are there' }) offset!: number;
  @ApiPropertyOptional({ type: Number, description: 'absent while a single request that does not say so comes in' })
  length?: number;
  @ApiPropertyOptional({ type: String, description: 'for inputFileLocal; absent while it is partial' }) path?: string;
  @ApiProperty({ type: String, format: 'date-time' }) created_at!: string;
  @ApiPropertyOptional({
    type: String,
    format: 'date-time',
    description: 'when it is removed unless it is touched before; absent while it is in use',
  })
  expires_at?: string;
}
