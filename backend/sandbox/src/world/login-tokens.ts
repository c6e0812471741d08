import { randomBytes } from 'node:crypto';
import { RpcError } from '../rpc.js';
import type { VirtualClock } from './clock.js';

/** A QR code on a screen (https://core.telegram.org/api/qr-login). */
export interface LoginToken {
  readonly token: Buffer;
  readonly keyId: bigint;
  readonly apiId: number;
  /** Unix seconds. */
  readonly expires: number;
}

export interface LoginTokensState {
  readonly byToken: Map<string, LoginToken>;
  /** The account that scanned a key's code. */
  readonly accepted: Map<bigint, number>;
  /** Seconds a new link is good for. */
  lifetime: number;
}

/** Telegram's links are good for about half a minute. */
const LIFETIME_SECONDS = 30;

/** QR links from showing to scanning. */
export class LoginTokens {
  state: LoginTokensState = LoginTokens.emptyState();

  constructor(private readonly clock: VirtualClock) {}

  static emptyState(): LoginTokensState {
    return { byToken: new Map(), accepted: new Map(), lifetime: LIFETIME_SECONDS };
  }

  issue(keyId: bigint, apiId: number): LoginToken {
    const token = { token: randomBytes(32), keyId, apiId, expires: this.clock.seconds() + this.state.lifetime };
    this.state.byToken.set(token.token.toString('base64url'), token);
    return token;
  }

  /**
   * The account scanned the code.
   * @param link the token, or a `tg://login?token=…` link with it.
   * @throws RpcError `400 AUTH_TOKEN_INVALID` or `400 AUTH_TOKEN_EXPIRED`
   */
  accept(link: string, accountId: number): LoginToken {
    const name = /token=([\w-]+)/.exec(link)?.[1] ?? link;
    const token = this.state.byToken.get(name);
    if (!token) throw new RpcError(400, 'AUTH_TOKEN_INVALID');
    if (token.expires < this.clock.seconds()) throw new RpcError(400, 'AUTH_TOKEN_EXPIRED');
    this.state.byToken.delete(name);
    this.state.accepted.set(token.keyId, accountId);
    return token;
  }

  /** The account that scanned this key's code; asked once. */
  takeAccepted(keyId: bigint): number | undefined {
    const accountId = this.state.accepted.get(keyId);
    this.state.accepted.delete(keyId);
    return accountId;
  }
}
