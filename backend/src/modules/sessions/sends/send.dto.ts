import { Type } from 'class-transformer';
import { IsIn, IsInt, IsOptional, Matches, Max, Min } from 'class-validator';
import { ValidationFailedError } from '../../../common/errors/index.js';
import { ApiProperty, ApiPropertyOptional, PageQueryDto, type PageRequest } from '../../../common/http/index.js';
import { MAX_WAIT_SECONDS } from './call-options.js';
import { SEND_STATUSES, type SendError, type SendStatus } from './send.entity.js';
import type { SendState } from './tracked-send.js';

const ID = /^-?\d{1,40}$/;
const STATUS = { enum: SEND_STATUSES, type: String } as const;
const CHAT_ID = { type: 'integer', format: 'int64', example: -1001234567890 } as const;
const MESSAGE_ID = { type: 'integer', format: 'int64' } as const;
const ERROR = {
  type: 'object',
  required: ['code', 'message', 'source'],
  properties: {
    code: { oneOf: [{ type: 'integer' }, { type: 'string' }], description: "TDLib's number, or `deleted`" },
    message: { type: 'string' },
    source: { type: 'string', enum: ['tdlib', 'gateway'] },
  },
  additionalProperties: false,
} satisfies Parameters<typeof ApiProperty>[0];

/** One message of one chat. */
export interface MessageName {
  readonly chatId: number;
  readonly messageId: number;
}

/** What part of the list of sends is asked for. */
export interface SendsRequest extends PageRequest {
  readonly status?: SendStatus;
  /** Of these chats only; undefined for all. A worker finds them out by itself, from who asks. */
  readonly chats?: readonly number[] | undefined;
}

/** Which sends are asked for: one by its ids, or without ids the newest. */
export class SendsQueryDto extends PageQueryDto {
  @ApiPropertyOptional({ ...CHAT_ID, description: 'The chat of one send; with message_id.' })
  @IsOptional()
  @Matches(ID, { message: 'chat_id must be an integer' })
  chat_id?: string;

  @ApiPropertyOptional({ ...MESSAGE_ID, description: 'The temporary or the final id of one send; with chat_id.' })
  @IsOptional()
  @Matches(ID, { message: 'message_id must be an integer' })
  message_id?: string;

  @ApiPropertyOptional({
    type: 'integer',
    minimum: 1,
    maximum: MAX_WAIT_SECONDS,
    description: 'So many seconds at most the answer waits for what Telegram decides.',
  })
  @IsOptional()
  @Type(() => Number)
  @IsInt()
  @Min(1)
  @Max(MAX_WAIT_SECONDS)
  wait?: number;

  @ApiPropertyOptional({ ...STATUS, description: 'Of the list only the sends with this status.' })
  @IsOptional()
  @IsIn(SEND_STATUSES)
  state?: SendStatus;

  /** What part of the list is asked for. @throws ValidationFailedError for a cursor that is none of ours */
  toListRequest(): SendsRequest {
    return { ...this.toRequest(), ...(this.state !== undefined && { status: this.state }) };
  }

  /** The message that is asked for; undefined for the list. @throws ValidationFailedError naming the missing or wrong half */
  toName(): MessageName | undefined {
    const { chat_id, message_id } = this;
    if (chat_id === undefined && message_id === undefined) {
      return undefined;
    }
    const given = { chat_id, message_id };
    const issues = (['chat_id', 'message_id'] as const).flatMap((path) => {
      const text = given[path];
      if (text === undefined) {
        return [{ path, message: `${path} is required: both ids name a send, none of them lists the newest` }];
      }
      return Number.isSafeInteger(Number(text))
        ? []
        : [{ path, message: `${path} must be between -(2^53 - 1) and 2^53 - 1` }];
    });
    if (issues.length > 0) {
      throw new ValidationFailedError(issues);
    }
    return { chatId: Number(chat_id), messageId: Number(message_id) };
  }

  get waitMs(): number {
    return (this.wait ?? 0) * 1_000;
  }
}

/** What became of a message. */
export class SendDto {
  @ApiProperty(STATUS) status!: SendStatus;
  @ApiPropertyOptional({ ...CHAT_ID, description: 'Present once it is decided.' }) chat_id?: number;
  @ApiPropertyOptional({ ...MESSAGE_ID, description: 'The lasting id, once it is sent.' }) message_id?: number;
  @ApiPropertyOptional({ ...ERROR, description: 'Why it failed.' }) error?: SendError;
}

/** A message of the list of sends. */
export class SendListItemDto {
  @ApiProperty(CHAT_ID) chat_id!: number;
  @ApiProperty({ ...MESSAGE_ID, description: "The id in the call's answer." }) temporary_id!: number;
  @ApiProperty(STATUS) status!: SendStatus;
  @ApiPropertyOptional({ ...MESSAGE_ID, description: 'The lasting id, once it is sent.' }) message_id?: number;
  @ApiPropertyOptional({ ...ERROR, description: 'Why it failed.' }) error?: SendError;
  @ApiProperty({ type: 'string', format: 'date-time' }) created_at!: string;
  @ApiPropertyOptional({ type: 'string', format: 'date-time' }) decided_at?: string;
}

/** The schema of {@link CallSend}s beside a call's result. */
export const SENDS_BESIDE: Record<string, object> = {
  sends: {
    type: 'array',
    description: 'With `wait`: what became of the messages that the call sent.',
    items: {
      type: 'object',
      required: ['temporary_id', 'status'],
      properties: {
        temporary_id: MESSAGE_ID,
        status: { type: 'string', enum: SEND_STATUSES },
        message_id: MESSAGE_ID,
        error: ERROR,
      },
    },
  },
};

/** A message that a call has sent, beside the call's result. */
export interface CallSend {
  readonly temporary_id: number;
  readonly status: SendStatus;
  readonly message_id?: number;
  readonly error?: SendError;
}

/** As `GET …/sends` answers for one message: while it is pending there is nothing else to tell. */
export function toSendDto({ status, chatId, messageId, error }: SendState): SendDto {
  if (status === 'pending') {
    return { status };
  }
  return {
    status,
    chat_id: chatId,
    ...(messageId !== undefined && { message_id: messageId }),
    ...(error !== undefined && { error }),
  };
}

export function toCallSend({ temporaryId, status, messageId, error }: SendState): CallSend {
  return {
    temporary_id: temporaryId,
    status,
    ...(messageId !== undefined && { message_id: messageId }),
    ...(error !== undefined && { error }),
  };
}

export function toListItem(send: SendState): SendListItemDto {
  return {
    chat_id: send.chatId,
    ...toCallSend(send),
    created_at: send.createdAt.toISOString(),
    ...(send.decidedAt !== undefined && { decided_at: send.decidedAt.toISOString() }),
  };
}
