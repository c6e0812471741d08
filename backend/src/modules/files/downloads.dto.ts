import { IsIn, IsInt, IsOptional, IsString, MaxLength } from 'class-validator';
import { Type } from 'class-transformer';
import { ValidationFailedError } from '../../common/errors/index.js';
import { ApiPropertyOptional, MayBeAbsent } from '../../common/http/index.js';

/** How a download is asked for, beside its path. */
export class DownloadQueryDto {
  @ApiPropertyOptional({ type: String, description: 'names the file instead of file_id, which is ignored then' })
  @MayBeAbsent()
  @IsString()
  @MaxLength(1024)
  remote_id?: string;

  @ApiPropertyOptional({
    type: Number,
    description: 'with message_id: where the file is from, should its reference expire',
  })
  @MayBeAbsent()
  @Type(() => Number)
  @IsInt()
  chat_id?: number;

  @ApiPropertyOptional({ type: Number })
  @MayBeAbsent()
  @Type(() => Number)
  @IsInt()
  message_id?: number;

  @ApiPropertyOptional({ type: String, enum: ['1'], description: "remove TDLib's copy once every byte was delivered" })
  @IsOptional()
  @IsIn(['0', '1', 'true', 'false', ''])
  delete?: string;

  /** @throws ValidationFailedError for one without the other */
  toMessage(): { readonly chatId: number; readonly messageId: number } | undefined {
    const { chat_id: chatId, message_id: messageId } = this;
    if (chatId === undefined && messageId === undefined) return undefined;
    if (chatId === undefined || messageId === undefined) {
      const path = chatId === undefined ? 'chat_id' : 'message_id';
      throw new ValidationFailedError([{ path, message: 'chat_id and message_id belong together' }]);
    }
    return { chatId, messageId };
  }
}
