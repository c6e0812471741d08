import { randomLong } from './random.js';

/** One logged-in client: an entry of "Active sessions". */
export interface Authorization {
  /** Names the entry in `account.resetAuthorization`. */
  readonly hash: bigint;
  readonly keyId: bigint;
  readonly accountId: number;
  /** Unix seconds. */
  readonly createdAt: number;
  activeAt: number;
  readonly apiId: number;
  readonly deviceModel: string;
  readonly systemVersion: string;
  readonly appVersion: string;
}

export interface AuthorizationsState {
  readonly byKey: Map<bigint, Authorization>;
  /** Why a key that was logged in no longer is: the 401 its next call gets. */
  readonly revoked: Map<bigint, string>;
}

/** Who is logged in with which key. The key itself also knows its owner; here is what people see of it. */
export class Authorizations {
  state: AuthorizationsState = Authorizations.emptyState();

  static emptyState(): AuthorizationsState {
    return { byKey: new Map(), revoked: new Map() };
  }

  add(authorization: Omit<Authorization, 'hash'>): Authorization {
    const entry = { ...authorization, hash: randomLong() };
    this.state.byKey.set(entry.keyId, entry);
    this.state.revoked.delete(entry.keyId);
    return entry;
  }

  ofKey(keyId: bigint): Authorization | undefined {
    return this.state.byKey.get(keyId);
  }

  ofAccount(accountId: number): Authorization[] {
    return [...this.state.byKey.values()].filter((entry) => entry.accountId === accountId);
  }

  remove(keyId: bigint): void {
    this.state.byKey.delete(keyId);
  }

  /** Ends the authorization; the client is told `reason` with a 401 when it calls next. */
  revoke(keyId: bigint, reason: string): void {
    this.remove(keyId);
    this.state.revoked.set(keyId, reason);
  }

  revocation(keyId: bigint): string | undefined {
    return this.state.revoked.get(keyId);
  }
}
