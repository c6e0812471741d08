import { numberMember, objectMember, stringMember, type TdObject } from '../../telegram/index.js';
import type { SessionStatus } from './session.entity.js';

/** The link of a QR login. */
export interface QrCode {
  readonly link: string;
  readonly expiresAt: Date;
}

/** What there is to know of the second step. */
export interface PasswordStep {
  /** May be empty. */
  readonly hint: string;
  readonly hasRecoveryEmail: boolean;
  /** Where a code was sent; empty while none was asked for. */
  readonly emailPattern: string;
}

/** Telegram's links are good for half a minute; TDLib asks for the next one when it is over, and tells nobody how long that is. */
const QR_LIFETIME_MS = 30_000;
const MIN_QR_LIFETIME_MS = 1_000;
const MAX_QR_LIFETIME_MS = 60_000;

/** What a login waits for, read from td_api's authorization states. */
export class LoginDetails {
  private codeInfo: TdObject | undefined;
  private passwordStep: PasswordStep | undefined;
  private qrCode: QrCode | undefined;
  private qrSince = 0;
  private steps = 0;
  private qrLifetimeMs = QR_LIFETIME_MS;

  constructor(private readonly now: () => number = Date.now) {}

  /** How many steps TDLib has shown; the same one may come again, as the mail's code comes after the address's. */
  get stepCount(): number {
    return this.steps;
  }

  /** td_api's authenticationCodeInfo with `resend_at` added. */
  get code(): TdObject | undefined {
    return this.codeInfo;
  }

  get password(): PasswordStep | undefined {
    return this.passwordStep;
  }

  get qr(): QrCode | undefined {
    return this.qrCode;
  }

  /** @returns the status for a state in which TDLib waits for somebody; undefined for every other state */
  follow(state: TdObject): SessionStatus | undefined {
    const status = this.read(state);
    if (status !== undefined) {
      this.steps += 1;
    }
    return status;
  }

  private read(state: TdObject): SessionStatus | undefined {
    switch (state['@type']) {
      case 'authorizationStateWaitCode':
        this.codeInfo = this.withResendTime(objectMember(state, 'code_info'));
        return 'awaiting_code';
      case 'authorizationStateWaitPassword':
        this.passwordStep = {
          hint: stringMember(state, 'password_hint'),
          hasRecoveryEmail: state['has_recovery_email_address'] === true,
          emailPattern: stringMember(state, 'recovery_email_address_pattern'),
        };
        return 'awaiting_password';
      case 'authorizationStateWaitOtherDeviceConfirmation':
        this.showQr(stringMember(state, 'link'));
        return 'awaiting_qr';
      case 'authorizationStateWaitEmailAddress':
        return 'awaiting_email';
      case 'authorizationStateWaitEmailCode':
        return 'awaiting_email_code';
      case 'authorizationStateWaitRegistration':
        return 'awaiting_registration';
      default:
        return undefined;
    }
  }

  private showQr(link: string): void {
    if (link === this.qrCode?.link) {
      return;
    }
    const now = this.now();
    if (this.qrCode !== undefined) {
      this.qrLifetimeMs = Math.min(MAX_QR_LIFETIME_MS, Math.max(MIN_QR_LIFETIME_MS, now - this.qrSince));
    }
    this.qrSince = now;
    this.qrCode = { link, expiresAt: new Date(now + this.qrLifetimeMs) };
  }

  /** `timeout` counts from when TDLib told it; a reader needs the moment itself. */
  private withResendTime(codeInfo: TdObject | undefined): TdObject | undefined {
    const timeoutMs = codeInfo === undefined ? 0 : numberMember(codeInfo, 'timeout') * 1_000;
    return codeInfo && { ...codeInfo, resend_at: new Date(this.now() + timeoutMs).toISOString() };
  }
}
