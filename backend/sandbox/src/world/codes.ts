import { RpcError } from '../rpc.js';
import type { Account } from './accounts.js';
import { normalizePhone } from './accounts.js';
import type { VirtualClock } from './clock.js';
import { randomDigits, randomToken } from './random.js';

/** How a login code travels (https://core.telegram.org/type/auth.SentCodeType). */
export type CodeRoute = 'app' | 'sms' | 'call' | 'email' | 'email-setup';

/** A code that replaces a 2FA password goes to the recovery address. */
export type DeliveryRoute = CodeRoute | 'recovery';

/** A code that was sent and may be entered. */
export interface LoginAttempt {
  readonly hash: string;
  readonly phone: string;
  readonly accountId: number;
  readonly apiId: number;
  code: string;
  route: CodeRoute;
  /** Unix seconds. */
  sentAt: number;
  /** The right code was given and a name is still missing (`auth.signUp`). */
  confirmed: boolean;
  /** An address that is being set up, and the code sent to it. */
  pendingEmail: { readonly address: string; readonly code: string } | undefined;
}

/** A code as its receiver reads it. */
export interface DeliveredCode {
  readonly code: string;
  readonly route: DeliveryRoute;
  /** Unix seconds. */
  readonly date: number;
}

export interface CodesState {
  readonly attempts: Map<string, LoginAttempt>;
  readonly delivered: Map<string, DeliveredCode[]>;
  /** Recovery codes by account. */
  readonly recovery: Map<number, string>;
}

/** Telegram's real limit is of this order; a test that needs an expired code moves the clock. */
const CODE_LIFETIME_SECONDS = 300;

/** Seconds until the next way of delivery is offered. */
export const RESEND_SECONDS = 60;

const CODE_LENGTH = 5;

/** What a resend changes: from the app to SMS, from SMS to a call, and no further. */
const NEXT_ROUTE: Partial<Record<CodeRoute, CodeRoute>> = { app: 'sms', sms: 'call' };

/** Login codes from sending to entering. */
export class Codes {
  state: CodesState = Codes.emptyState();

  constructor(private readonly clock: VirtualClock) {}

  static emptyState(): CodesState {
    return { attempts: new Map(), delivered: new Map(), recovery: new Map() };
  }

  /** Makes a code and delivers it; earlier codes of the same number stay good until they expire. */
  send(account: Account, phone: string, apiId: number, route: CodeRoute): LoginAttempt {
    const attempt: LoginAttempt = {
      hash: randomToken(18),
      phone: normalizePhone(phone),
      accountId: account.id,
      apiId,
      code: account.fixedCode ?? randomDigits(CODE_LENGTH),
      route,
      sentAt: this.clock.seconds(),
      confirmed: false,
      pendingEmail: undefined,
    };
    this.state.attempts.set(attempt.hash, attempt);
    if (route !== 'email-setup') this.deliver(attempt.phone, attempt.code, route);
    return attempt;
  }

  /** @throws RpcError `400 PHONE_CODE_HASH_EMPTY` or `400 PHONE_CODE_EXPIRED` */
  attempt(phone: string, hash: string): LoginAttempt {
    if (hash === '') throw new RpcError(400, 'PHONE_CODE_HASH_EMPTY');
    const attempt = this.state.attempts.get(hash);
    const isKnown = attempt?.phone === normalizePhone(phone);
    if (!isKnown || this.clock.seconds() > attempt.sentAt + CODE_LIFETIME_SECONDS) {
      throw new RpcError(400, 'PHONE_CODE_EXPIRED');
    }
    return attempt;
  }

  /** The same attempt by the next route, with a fresh lifetime. @throws RpcError `400 SEND_CODE_UNAVAILABLE` */
  resend(phone: string, hash: string): LoginAttempt {
    const attempt = this.attempt(phone, hash);
    const next = nextRoute(attempt.route);
    if (!next) throw new RpcError(400, 'SEND_CODE_UNAVAILABLE');
    attempt.route = next;
    this.restart(attempt);
    return attempt;
  }

  /** Sends the attempt's code again by its current route, for instance to an address that was just set up. */
  restart(attempt: LoginAttempt): void {
    attempt.sentAt = this.clock.seconds();
    this.deliver(attempt.phone, attempt.code, attempt.route);
  }

  /** @throws RpcError `400 PHONE_CODE_EMPTY` or `400 PHONE_CODE_INVALID` */
  check(attempt: LoginAttempt, code: string): void {
    if (code === '') throw new RpcError(400, 'PHONE_CODE_EMPTY');
    if (code !== attempt.code) throw new RpcError(400, 'PHONE_CODE_INVALID');
  }

  /** Sends a code to an address that is being set up as the login address. */
  startEmailSetup(attempt: LoginAttempt, address: string): number {
    const code = randomDigits(6);
    attempt.pendingEmail = { address, code };
    this.deliver(attempt.phone, code, 'email');
    return code.length;
  }

  /** Sends a code to the account's recovery address. */
  sendRecovery(account: Account): void {
    const code = randomDigits(6);
    this.state.recovery.set(account.id, code);
    this.deliver(account.phone ?? '', code, 'recovery');
  }

  /** @throws RpcError `400 CODE_EMPTY` or `400 CODE_INVALID` */
  checkRecovery(accountId: number, code: string): void {
    if (code === '') throw new RpcError(400, 'CODE_EMPTY');
    if (this.state.recovery.get(accountId) !== code) throw new RpcError(400, 'CODE_INVALID');
  }

  cancel(hash: string): void {
    this.state.attempts.delete(hash);
  }

  /** Codes sent for this number, newest first. */
  deliveredTo(phone: string): readonly DeliveredCode[] {
    return (this.state.delivered.get(normalizePhone(phone)) ?? []).toReversed();
  }

  private deliver(phone: string, code: string, route: DeliveryRoute): void {
    const delivered = this.state.delivered.get(phone) ?? [];
    delivered.push({ code, route, date: this.clock.seconds() });
    this.state.delivered.set(phone, delivered);
  }
}

/** What `auth.resendCode` would do, or undefined when there is nothing left. */
export function nextRoute(route: CodeRoute): CodeRoute | undefined {
  return NEXT_ROUTE[route];
}
