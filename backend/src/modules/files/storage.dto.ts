import { IsIn, IsInt, IsOptional, Max, Min } from 'class-validator';
import { ApiProperty, ApiPropertyOptional, MayBeAbsent } from '../../common/http/index.js';

/** TDLib counts seconds and files in 32 bits. */
const MAX_SECONDS = 2 ** 31 - 1;
/** What was touched a moment ago is likely to be wanted again, by whoever touched it. */
export const MIN_IMMUNITY_S = 60;

/** A number of files and what they take together. */
export class FilesTotalDto {
  @ApiProperty({ type: Number, description: 'bytes on the disk' }) bytes!: number;
  @ApiProperty({ type: Number }) count!: number;
}

/** The files of one kind. */
export class FilesOfTypeDto extends FilesTotalDto {
  @ApiProperty({ type: String, description: "td_api's FileType without its prefix", example: 'Document' })
  type!: string;
}

/** What a session has on the disk of its worker. */
export class SessionStorageDto {
  @ApiProperty({ type: String, format: 'uuid' }) session_id!: string;
  @ApiProperty({ type: String, enum: ['bot', 'user'] }) kind!: 'bot' | 'user';
  @ApiProperty({ type: FilesTotalDto, description: 'files that came from Telegram, whole or in part' })
  files!: FilesTotalDto;
  @ApiProperty({ type: Number, description: "TDLib's databases, in bytes" }) database_bytes!: number;
  @ApiProperty({ type: FilesTotalDto, description: 'uploads that calls of the session use at the moment' })
  uploads!: FilesTotalDto;
  @ApiPropertyOptional({ type: FilesOfTypeDto, isArray: true, description: 'with by_type=1; the largest first' })
  by_type?: FilesOfTypeDto[];
}

/** How much is asked about a session's disk use. */
export class StorageQueryDto {
  @ApiPropertyOptional({
    type: String,
    enum: ['1'],
    description: 'look at every file on the disk, which takes a while',
  })
  @IsOptional()
  @IsIn(['0', '1', 'true', 'false', ''])
  by_type?: string;

  get isByType(): boolean {
    return this.by_type === '1' || this.by_type === 'true';
  }
}

/** What may remain of a session's files; what is absent is as the server is set. */
export class OptimizeStorageDto {
  @ApiPropertyOptional({ type: Number, minimum: 0, description: 'remove the least recently used beyond so many bytes' })
  @MayBeAbsent()
  @IsInt()
  @Min(0)
  size?: number;

  @ApiPropertyOptional({ type: Number, minimum: 0, description: 'remove what nobody has used for so many seconds' })
  @MayBeAbsent()
  @IsInt()
  @Min(0)
  @Max(MAX_SECONDS)
  ttl?: number;

  @ApiPropertyOptional({ type: Number, minimum: 0, description: 'remove the least recently used beyond so many files' })
  @MayBeAbsent()
  @IsInt()
  @Min(0)
  @Max(MAX_SECONDS)
  count?: number;

  @ApiPropertyOptional({
    type: Number,
    minimum: MIN_IMMUNITY_S,
    description: 'what was used within so many seconds stays in any case',
  })
  @MayBeAbsent()
  @IsInt()
  @Min(MIN_IMMUNITY_S)
  @Max(MAX_SECONDS)
  immunity_delay?: number;
}

/** What was removed, and what is left. */
export class StorageOptimizedDto {
  @ApiProperty({ type: FilesTotalDto }) removed!: FilesTotalDto;
  @ApiProperty({ type: FilesTotalDto }) files!: FilesTotalDto;
}

/** The disk of one worker. */
export class WorkerStorageDto {
  @ApiProperty({ type: String }) worker_id!: string;
  @ApiPropertyOptional({ type: Number, description: 'of the disk that has the sessions; absent with error' })
  free_bytes?: number;
  @ApiPropertyOptional({ type: Number }) total_bytes?: number;
  @ApiPropertyOptional({ type: SessionStorageDto, isArray: true, description: 'of the open sessions; largest first' })
  sessions?: SessionStorageDto[];
  @ApiPropertyOptional({ type: String, description: 'why the worker did not tell' }) error?: string;
}

/** What uploads take, and what they may. */
export class UploadsStorageDto extends FilesTotalDto {
  @ApiProperty({ type: Number, description: 'UPLOAD_QUOTA' }) quota_bytes!: number;
  @ApiProperty({ type: Number, description: 'UPLOAD_QUOTA_PER_TOKEN' }) quota_per_token_bytes!: number;
  @ApiProperty({ type: Number, description: 'of the disk that has the uploads' }) free_bytes!: number;
  @ApiProperty({ type: Number }) total_bytes!: number;
  @ApiProperty({ type: Number, description: 'MIN_FREE_DISK' }) min_free_bytes!: number;
}

/** What everything takes. */
export class StorageDto {
  @ApiProperty({ type: UploadsStorageDto, description: 'bytes counts declared lengths' }) uploads!: UploadsStorageDto;
  @ApiProperty({ type: WorkerStorageDto, isArray: true }) workers!: WorkerStorageDto[];
}
