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
