import { Transform } from 'class-transformer';
import { IsBoolean, IsIn, IsNotEmpty, IsOptional, IsString, Matches, MaxLength } from 'class-validator';
import { ApiProperty, ApiPropertyOptional, MayBeAbsent } from '../../common/http/index.js';
import { SESSION_STATUSES, type SessionStatus } from './session.entity.js';

/** Whether a session is a bot's or a user account's; part of its path. */
export type SessionKind = 'bot' | 'user';

const TD_OBJECT = { type: 'object', additionalProperties: true } as const;
const UUID = { type: 'string', format: 'uuid' } as const;
const DATE_TIME = { type: 'string', format: 'date-time' } as const;
const PROXY_ID = {
  ...UUID,
  nullable: true,
  description: 'Its proxy; without one, empty or null, DEFAULT_PROXY holds, or none.',
} as const;

/** Registers a bot and logs it in. */
export class CreateBotDto {
  @ApiProperty({ description: "The bot's token from @BotFather.", example: '123456:AA…' })
  @IsString()
  @IsNotEmpty()
  @MaxLength(300)
  token!: string;

  @ApiProperty({ ...UUID, description: 'Which api_id it uses.' })
  @IsString()
  @IsNotEmpty()
  app_id!: string;

  @ApiPropertyOptional(PROXY_ID)
  @IsOptional()
  @IsString()
  proxy_id?: string | null;

  @ApiPropertyOptional()
  @MayBeAbsent()
  @IsString()
  @MaxLength(200)
  label?: string;

  @ApiPropertyOptional({
    description: 'Makes a second session of a bot that has one; they share its updates unpredictably.',
  })
  @MayBeAbsent()
  @IsBoolean()
  allow_duplicate?: boolean;
}

/** Starts the login of a user account. */
export class CreateUserDto {
  @ApiProperty({ ...UUID, description: 'Which api_id it uses.' })
  @IsString()
  @IsNotEmpty()
  app_id!: string;

  @ApiPropertyOptional({ description: 'The phone number; not needed with method qr.', example: '+15550142' })
  @MayBeAbsent()
  @IsString()
  @MaxLength(60)
  phone?: string;

  @ApiPropertyOptional({ enum: ['phone', 'qr'], description: 'How the account proves itself; phone by default.' })
  @MayBeAbsent()
  @IsIn(['phone', 'qr'])
  method?: 'phone' | 'qr';

  @ApiPropertyOptional(PROXY_ID)
  @IsOptional()
  @IsString()
  proxy_id?: string | null;

  @ApiPropertyOptional()
  @MayBeAbsent()
  @IsString()
  @MaxLength(200)
  label?: string;
}

const compact = ({ value }: { value: unknown }): unknown =>
  typeof value === 'string' ? value.replace(/[\s\-–—.]/g, '') : value;

/** The login code, as the account received it. */
export class LoginCodeDto {
  @ApiProperty({ description: 'Spaces and dashes do not matter.', example: '12345' })
  @Transform(compact)
  @IsString()
  @IsNotEmpty()
  @MaxLength(64)
  code!: string;
}

/** The account's second-step password. */
export class LoginPasswordDto {
  @ApiProperty()
  @IsString()
  @IsNotEmpty()
  @MaxLength(1_000)
  password!: string;
}

/** The mail address that Telegram wants for this login. */
export class LoginEmailDto {
  @ApiProperty({ example: 'name@example.org' })
  @IsString()
  @Matches(/^\S+@\S+$/, { message: 'email must be an email address' })
  @MaxLength(320)
  email!: string;
}

/** The names of an account that does not exist yet. */
export class LoginRegisterDto {
  @ApiProperty()
  @IsString()
  @IsNotEmpty()
  @MaxLength(64)
  first_name!: string;

  @ApiPropertyOptional()
  @MayBeAbsent()
  @IsString()
  @MaxLength(64)
  last_name?: string;
}

/** Replaces a forgotten second-step password: first without a code, which Telegram then sends; then with it. */
export class LoginRecoverDto {
  @ApiPropertyOptional({ description: 'From the mail of Telegram. Without it, Telegram sends one.', example: '123456' })
  @Transform(compact)
  @MayBeAbsent()
  @IsString()
  @IsNotEmpty()
  @MaxLength(64)
  code?: string;

  @ApiPropertyOptional({ description: 'The new password; without it the account has none from then on.' })
  @MayBeAbsent()
  @IsString()
  @MaxLength(1_000)
  new_password?: string;

  @ApiPropertyOptional({ description: 'Shown to whoever is asked for the new password.' })
  @MayBeAbsent()
  @IsString()
  @MaxLength(200)
  new_hint?: string;
}

/** Logs a user in again under the same session id. */
export class UserLoginDto {
  @ApiPropertyOptional({
    enum: ['phone', 'qr'],
    description: 'How the account proves itself; by default with its number, where that is known, else by QR code.',
  })
  @MayBeAbsent()
  @IsIn(['phone', 'qr'])
  method?: 'phone' | 'qr';
}

/** Logs a bot in again under the same session id. */
export class BotLoginDto {
  @ApiPropertyOptional({ description: 'A new token of the same bot; without it the stored one is used.' })
  @MayBeAbsent()
  @IsString()
  @IsNotEmpty()
  @MaxLength(300)
  token?: string;
}

/** Changes a session; what is absent stays. */
export class PatchSessionDto {
  @ApiPropertyOptional({ description: 'Empty clears it.' })
  @IsOptional()
  @IsString()
  @MaxLength(200)
  label?: string;

  @ApiPropertyOptional({
    ...PROXY_ID,
    description: 'Applied at once; empty or null clears it, and DEFAULT_PROXY holds again.',
  })
  @IsOptional()
  @IsString()
  proxy_id?: string | null;
}

/** A td_api method with its parameters. */
export interface CallBody {
  readonly method?: unknown;
  readonly params?: unknown;
}

/** How a session is removed. */
export class DeleteSessionQueryDto {
  @ApiPropertyOptional({ type: 'boolean', description: 'Also ends the authorization at Telegram.' })
  @IsOptional()
  @IsIn(['true', 'false', '1', '0', ''])
  logout?: string;
}

/** A QR login's present link. */
export class MoveSessionDto {
  @ApiPropertyOptional({ description: 'the worker with the fewest sessions when absent' })
  @IsOptional()
  @IsString()
  @IsNotEmpty()
  worker_id?: string;
}

export class SessionMovedDto {
  @ApiProperty({ description: 'the worker that it goes to' }) worker_id!: string;
}

export class QrDto {
  @ApiProperty({ description: 'To be shown as a QR code; TDLib replaces it when it expires.' })
  link!: string;

  @ApiProperty({
    ...DATE_TIME,
    description:
      'About when the next link comes. TDLib does not tell: taken from how long the last link was good, at first 30 s.',
  })
  expires_at!: string;
}

/** The fields of an answer, without its class. */
type Plain<T> = { [Field in keyof T]: T[Field] };

/** What a session's own client knows of it. */
export class LiveStateDto {
  @ApiProperty(UUID) id!: string;
  @ApiProperty({ enum: ['bot', 'user'] }) kind!: SessionKind;
  @ApiProperty({ enum: SESSION_STATUSES }) status!: SessionStatus;
  @ApiProperty({ ...DATE_TIME, description: 'Since when it has this status.' }) since!: string;
  @ApiProperty({ enum: ['ok', 'degraded', 'down'] }) health!: 'ok' | 'degraded' | 'down';
  @ApiProperty({ ...DATE_TIME, description: 'Since when it has this health.' }) health_since!: string;
  @ApiPropertyOptional({ description: 'Why the health is not ok, in words.' }) health_cause?: string;
  @ApiPropertyOptional({ description: "Telegram's last refusal, or why the session ended." }) last_error?: string;
  @ApiPropertyOptional({ ...TD_OBJECT, description: "td_api's authenticationCodeInfo, and `resend_at`." })
  code_info?: Record<string, unknown>;
  @ApiPropertyOptional({ description: 'The hint of the second-step password; may be empty.' }) password_hint?: string;
  @ApiPropertyOptional({
    description:
      'While the password is awaited: whether a code can be sent by mail in its place, as login/recover does.',
  })
  has_recovery_email?: boolean;
  @ApiPropertyOptional({
    description: 'Where the code to recover the password was sent.',
    example: 'n***e@example.org',
  })
  email_pattern?: string;
  @ApiPropertyOptional({ type: () => QrDto }) qr?: QrDto;
  @ApiPropertyOptional({ ...TD_OBJECT, description: "td_api's user of the account." }) me?: Record<string, unknown>;
  @ApiPropertyOptional({ description: 'Absent until known, and for bots.' }) is_premium?: boolean;
  @ApiProperty({ description: 'Telegram lets the account read, but not write.' }) frozen!: boolean;
  @ApiPropertyOptional(DATE_TIME) frozen_since?: string;
  @ApiPropertyOptional({ ...DATE_TIME, description: 'When Telegram deletes the frozen account.' })
  deletion_date?: string;
  @ApiPropertyOptional({ description: 'Where its owner can appeal against the freeze.' }) appeal_link?: string;
  @ApiProperty({ description: 'Telegram refused to send to strangers (PEER_FLOOD) within the last 24 hours.' })
  spam_limited!: boolean;
  @ApiPropertyOptional(DATE_TIME) spam_limited_until?: string;
  @ApiPropertyOptional({ type: [String], description: 'What is allowed, but may not be meant.' }) warnings?: string[];
}

/** A session's state with what the registry has of it. */
export class SessionStateDto extends LiveStateDto {
  @ApiPropertyOptional() label?: string;
  @ApiPropertyOptional({ description: 'E.164 digits.' }) phone?: string;
  @ApiPropertyOptional() username?: string;
  @ApiProperty(UUID) app_id!: string;
  @ApiPropertyOptional(UUID) proxy_id?: string;
  @ApiPropertyOptional() worker_id?: string;
  @ApiPropertyOptional({ description: 'the worker that it is being handed over to' }) moving_to?: string;
  @ApiProperty(DATE_TIME) created_at!: string;
}

/** A row of the list of sessions. */
export class SessionListItemDto {
  @ApiProperty(UUID) id!: string;
  @ApiProperty({ enum: ['bot', 'user'] }) kind!: SessionKind;
  @ApiProperty({ enum: SESSION_STATUSES }) status!: SessionStatus;
  @ApiProperty(DATE_TIME) since!: string;
  @ApiProperty({ enum: ['ok', 'degraded', 'down'] }) health!: 'ok' | 'degraded' | 'down';
  @ApiProperty(DATE_TIME) health_since!: string;
  @ApiPropertyOptional() health_cause?: string;
  @ApiPropertyOptional() last_error?: string;
  @ApiPropertyOptional() phone?: string;
  @ApiPropertyOptional() username?: string;
  @ApiPropertyOptional() label?: string;
  @ApiPropertyOptional() worker_id?: string;
  @ApiPropertyOptional({ description: 'the worker that it is being handed over to' }) moving_to?: string;
  @ApiProperty(DATE_TIME) created_at!: string;
  @ApiProperty(UUID) app_id!: string;
  @ApiPropertyOptional() app_label?: string;
  @ApiPropertyOptional(UUID) proxy_id?: string;
  @ApiPropertyOptional({ example: 'socks5 10.0.0.5:1080' }) proxy?: string;
  @ApiPropertyOptional() is_premium?: boolean;
  @ApiProperty() frozen!: boolean;
  @ApiPropertyOptional(DATE_TIME) frozen_since?: string;
  @ApiPropertyOptional(DATE_TIME) deletion_date?: string;
  @ApiPropertyOptional() appeal_link?: string;
  @ApiProperty() spam_limited!: boolean;
  @ApiPropertyOptional(DATE_TIME) spam_limited_until?: string;
}

/** A bot that has logged in. */
export class BotCreatedDto {
  @ApiProperty(UUID) id!: string;
  @ApiProperty({ enum: SESSION_STATUSES }) status!: SessionStatus;
  @ApiProperty({ ...TD_OBJECT, description: "td_api's user." }) me!: Record<string, unknown>;
}

/** A login that has begun. */
export class UserCreatedDto extends LiveStateDto {}

/** That a session is gone here, and whether Telegram was told. */
export class SessionDeletedDto {
  @ApiProperty({ enum: ['deleted'] }) status!: 'deleted';
  @ApiProperty({ description: 'Whether the authorization was ended at Telegram as well.' }) logged_out!: boolean;
}

/** That a login does not go on. */
export class LoginCancelledDto {
  @ApiProperty({ enum: ['cancelled'] }) status!: 'cancelled';
}

/** {@link LiveStateDto} as a value that is passed on. */
export type LiveState = Plain<LiveStateDto>;

/** {@link SessionStateDto} as a value that is passed on. */
export type SessionState = Plain<SessionStateDto>;
