import { Transform } from 'class-transformer';
import { IsBoolean, IsIn, IsNotEmpty, IsOptional, IsString, Matches, MaxLength } from 'class-validator';
import { ApiProperty, ApiPropertyOptional, MayBeAbsent } from '../../common/http/index.js';
import { SESSION_STATUSES, type SessionStatus } from './session.entity.js';

/** Whether a session is a bot's or a user account's; part of its path. */
export type SessionKind = 'bot' | 'user';

const TD_OBJECT = { type: 'object', additionalProperties: true } as const;
const UUID = { type: 'string', format: 'uuid' } as const;

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

  @ApiPropertyOptional({ ...UUID, description: 'Its proxy; without one DEFAULT_PROXY holds, or none.' })
  @MayBeAbsent()
  @IsString()
  proxy_id?: string;

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

  @ApiPropertyOptional({ ...UUID, description: 'Its proxy; without one DEFAULT_PROXY holds, or none.' })
  @MayBeAbsent()
  @IsString()
  proxy_id?: string;

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

/** Changes a session; what is absent stays. */
export class PatchSessionDto {
  @ApiPropertyOptional({ description: 'Empty clears it.' })
  @IsOptional()
  @IsString()
  @MaxLength(200)
  label?: string;

  @ApiPropertyOptional({ description: 'Applied at once; empty clears it, and DEFAULT_PROXY holds again.' })
  @IsOptional()
  @IsString()
  proxy_id?: string;
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
export class QrDto {
  @ApiProperty({ description: 'To be shown as a QR code; TDLib replaces it when it expires.' })
  link!: string;
}

/** The fields of an answer, without its class. */
type Plain<T> = { [Field in keyof T]: T[Field] };

/** What a session's own client knows of it. */
export class LiveStateDto {
  @ApiProperty(UUID) id!: string;
  @ApiProperty({ enum: ['bot', 'user'] }) kind!: SessionKind;
  @ApiProperty({ enum: SESSION_STATUSES }) status!: SessionStatus;
  @ApiProperty({ type: 'string', format: 'date-time', description: 'Since when it has this status.' }) since!: string;
  @ApiProperty({ enum: ['ok', 'degraded', 'down'] }) health!: 'ok' | 'degraded' | 'down';
  @ApiPropertyOptional({ description: 'Why the health is not ok, in words.' }) health_cause?: string;
  @ApiPropertyOptional({ description: "Telegram's last refusal, or why the session ended." }) last_error?: string;
  @ApiPropertyOptional({ ...TD_OBJECT, description: "td_api's authenticationCodeInfo, and `resend_at`." })
  code_info?: Record<string, unknown>;
  @ApiPropertyOptional({ description: 'The hint of the second-step password; may be empty.' }) password_hint?: string;
  @ApiPropertyOptional({ type: () => QrDto }) qr?: QrDto;
  @ApiPropertyOptional({ ...TD_OBJECT, description: "td_api's user of the account." }) me?: Record<string, unknown>;
  @ApiPropertyOptional({ description: 'Absent until known, and for bots.' }) is_premium?: boolean;
  @ApiProperty() frozen!: boolean;
  @ApiProperty() spam_limited!: boolean;
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
  @ApiProperty({ type: 'string', format: 'date-time' }) created_at!: string;
}

/** A row of the list of sessions. */
export class SessionListItemDto {
  @ApiProperty(UUID) id!: string;
  @ApiProperty({ enum: ['bot', 'user'] }) kind!: SessionKind;
  @ApiProperty({ enum: SESSION_STATUSES }) status!: SessionStatus;
  @ApiProperty({ type: 'string', format: 'date-time' }) since!: string;
  @ApiProperty({ enum: ['ok', 'degraded', 'down'] }) health!: 'ok' | 'degraded' | 'down';
  @ApiPropertyOptional() health_cause?: string;
  @ApiPropertyOptional() last_error?: string;
  @ApiPropertyOptional() phone?: string;
  @ApiPropertyOptional() username?: string;
  @ApiPropertyOptional() label?: string;
  @ApiPropertyOptional() worker_id?: string;
  @ApiProperty({ type: 'string', format: 'date-time' }) created_at!: string;
  @ApiProperty(UUID) app_id!: string;
  @ApiPropertyOptional() app_label?: string;
  @ApiPropertyOptional(UUID) proxy_id?: string;
  @ApiPropertyOptional({ example: 'socks5 10.0.0.5:1080' }) proxy?: string;
  @ApiPropertyOptional() is_premium?: boolean;
  @ApiProperty() frozen!: boolean;
  @ApiProperty() spam_limited!: boolean;
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

/** {@link LiveStateDto} as a value that is passed on. */
export type LiveState = Plain<LiveStateDto>;

/** {@link SessionStateDto} as a value that is passed on. */
export type SessionState = Plain<SessionStateDto>;
