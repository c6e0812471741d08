import { AppError, TdlibError } from '../../common/errors/index.js';
import type { TdObject } from '../../telegram/index.js';
import type { SessionStatus } from './session.entity.js';
import { ConnectionFailedError } from './sessions.errors.js';

/** What a client is opened for: which way it answers when TDLib asks who it is. */
export type LoginPlan =
  /** `isAutomatic`: nobody asked for it. The stored token brings a bot back whose authorization is gone. */
  | { readonly kind: 'bot'; readonly token: string; readonly isAutomatic?: boolean }
  /** E.164 digits. */
  | { readonly kind: 'phone'; readonly phone: string }
  | { readonly kind: 'qr' }
  /** The database has an authorization; TDLib must not ask. */
  | { readonly kind: 'resume' };

/** An answer to what TDLib waits for. */
export interface LoginAnswer {
  /** The status in which it makes sense. */
  readonly status: SessionStatus;
  readonly query: TdObject;
}

/** What is known of a session when its client is opened. */
export interface SessionStart {
  readonly status: SessionStatus;
  readonly since: Date;
  /** What a session that logs in again was before, and is again when that fails. */
  readonly former?: { readonly status: SessionStatus; readonly since: Date };
  /** The account that it is registered with: its Telegram id, or else its number. */
  readonly account?: { readonly id?: string; readonly phone?: string };
}

/** Whether nobody has asked for the login, so that nobody is told how it ends. */
export function isAutomatic(plan: LoginPlan): boolean {
  return plan.kind === 'bot' && plan.isAutomatic === true;
}

/** The query that begins a login. */
export function identification(plan: Exclude<LoginPlan, { kind: 'resume' }>): TdObject {
  switch (plan.kind) {
    case 'bot':
      return { '@type': 'checkAuthenticationBotToken', token: plan.token };
    case 'phone':
      return { '@type': 'setAuthenticationPhoneNumber', phone_number: `+${plan.phone}` };
    case 'qr':
      return { '@type': 'requestQrCodeAuthentication' };
  }
}

/**
 * What is kept of a failed login with the session, in the words of the reference product. Holders of scoped tokens read it, so
 * that it names no network: where nobody was reached is told by the health.
 * @param error Telegram's refusal, or an error of ours whose words may be shown
 */
export function describeFailure(error: Error): string {
  if (error instanceof TdlibError) {
    return `tdlib ${error.tdCode}: ${error.message}`;
  }
  if (error instanceof ConnectionFailedError) {
    return 'Telegram could not be reached';
  }
  return error.message;
}

/** The same of whatever was thrown: what is no refusal and not ours may name files, and is for the log alone. */
export function describeThrown(error: unknown): string {
  return error instanceof AppError ? describeFailure(error) : 'the session could not be opened';
}
