import type { Transport } from '../rpc.js';
import { acceptLoginToken } from '../api/login.js';
import { endSessions } from '../api/sessions.js';
import type { Account } from '../world/accounts.js';
import { createVerifier } from '../world/srp.js';
import type { DeliveredCode } from '../world/codes.js';
import type { World } from '../world/world.js';
import { forgetEvents } from '../world/boxes.js';
import { UnknownError } from './unknown-error.js';

/** A person to be made. */
export interface NewAccount {
  readonly phone: string;
  readonly firstName?: string | undefined;
  readonly lastName?: string | undefined;
  readonly username?: string | undefined;
  /** 2FA password. */
  readonly password?: string | undefined;
  readonly passwordHint?: string | undefined;
  /** Every login code of this number, instead of random ones. */
  readonly code?: string | undefined;
  /** Where login codes go; the empty string makes the client set an address up first. */
  readonly email?: string | undefined;
  /** Where a code goes that replaces a forgotten 2FA password. */
  readonly recoveryEmail?: string | undefined;
  readonly premium?: boolean | undefined;
  /** False makes a free number that signs up at its first login. */
  readonly registered?: boolean | undefined;
}

/** What may be changed about an account. */
export interface AccountChange {
  readonly firstName?: string | undefined;
  readonly lastName?: string | undefined;
  readonly premium?: boolean | undefined;
  /** A new 2FA password; `null` removes it. */
  readonly password?: string | null | undefined;
  readonly code?: string | null | undefined;
  /** Stops, or starts again, all pushes to the account's clients. */
  readonly deaf?: boolean | undefined;
}

/** An account as the control API shows it. */
export interface AccountInfo {
  readonly userId: number;
  readonly kind: 'user' | 'bot';
  readonly phone: string | undefined;
  readonly username: string | undefined;
  readonly firstName: string;
  readonly premium: boolean;
  readonly banned: boolean;
  readonly frozen: boolean;
  readonly registered: boolean;
  /** Logged-in clients. */
  readonly sessions: number;
}

const FREEZE_SECONDS = 7 * 24 * 3600;

/** People and bots, and what Telegram may do to them. */
export class AccountControl {
  constructor(
    private readonly world: World,
    private readonly transport: Transport,
  ) {}

  /** @throws RefusedError when the number is malformed or taken. */
  createAccount(account: NewAccount): { readonly userId: number; readonly phone: string } {
    const { password, passwordHint, code, ...rest } = account;
    if (account.username !== undefined) this.world.usernames.assertFree(account.username);
    const created = this.world.accounts.createUser(account.phone, {
      ...rest,
      fixedCode: code,
      password: password === undefined ? undefined : createVerifier(password, passwordHint),
    });
    return { userId: created.id, phone: created.phone ?? '' };
  }

  /** @throws RefusedError when the username or the token's id is taken. */
  createBot(bot: {
    readonly username: string;
    readonly token?: string | undefined;
    readonly firstName?: string | undefined;
  }): {
    readonly userId: number;
    readonly token: string;
  } {
    this.world.usernames.assertFree(bot.username);
    const { token, firstName } = bot;
    const created = this.world.accounts.createBot(bot.username, { token, firstName: firstName ?? bot.username });
    return { userId: created.id, token: created.token ?? '' };
  }

  accounts(): AccountInfo[] {
    return this.world.accounts.all().map((account) => this.describe(account));
  }

  /** @throws UnknownError */
  account(id: number): AccountInfo {
    return this.describe(this.get(id));
  }

  /** Login codes sent for a number, newest first. */
  codes(phone: string): readonly DeliveredCode[] {
    return this.world.codes.deliveredTo(phone);
  }

  /** @throws UnknownError */
  update(id: number, change: AccountChange): AccountInfo {
    const account = this.get(id);
    account.firstName = change.firstName ?? account.firstName;
    account.lastName = change.lastName ?? account.lastName;
    account.premium = change.premium ?? account.premium;
    account.deaf = change.deaf ?? account.deaf;
    if (change.password !== undefined) {
      account.password = change.password === null ? undefined : createVerifier(change.password);
    }
    if (change.code !== undefined) account.fixedCode = change.code ?? undefined;
    this.world.notify(id, { type: 'user', userId: id });
    return this.describe(account);
  }

  /** Every client is logged out, and nobody can log in again. @throws UnknownError */
  ban(id: number): void {
    this.get(id).banned = true;
    endSessions(this.world, this.transport, id, 'USER_DEACTIVATED_BAN');
  }

  /** @throws UnknownError */
  unban(id: number): void {
    this.get(id).banned = false;
  }

  /** Clients learn of it by their configuration. @throws UnknownError */
  freeze(id: number, untilSeconds = this.world.clock.seconds() + FREEZE_SECONDS): void {
    const since = this.world.clock.seconds();
    this.get(id).freeze = { since, until: untilSeconds, appealUrl: 'https://t.me/spambot' };
    this.world.notify(id, { type: 'config' });
  }

  /** @throws UnknownError */
  unfreeze(id: number): void {
    this.get(id).freeze = undefined;
    this.world.notify(id, { type: 'config' });
  }

  /** As if the account had pressed "Terminate all sessions" elsewhere. @returns how many were ended. @throws UnknownError */
  terminateSessions(id: number, reason = 'SESSION_REVOKED'): number {
    return endSessions(this.world, this.transport, this.get(id).id, reason);
  }

  /** The account scans a QR code that a client shows. @throws UnknownError, RpcError */
  scanQr(id: number, link: string): void {
    acceptLoginToken(this.world, this.transport, link, this.get(id).id);
  }

  /** The next difference of the account's box is too long. @throws UnknownError */
  forgetUpdates(id: number): void {
    forgetEvents(this.world.posting.box(this.get(id).id));
  }

  /** Puts accounts into each other's contact lists. @throws UnknownError */
  makeContacts(id: number, otherId: number): void {
    for (const [a, b] of [
      [this.get(id), this.get(otherId)],
      [this.get(otherId), this.get(id)],
    ] as const) {
      a.contacts.set(b.id, { firstName: b.firstName, lastName: b.lastName });
      this.world.notify(a.id, { type: 'contacts' });
    }
  }

  private get(id: number): Account {
    const account = this.world.accounts.find(id);
    if (!account) throw new UnknownError('account', id);
    return account;
  }

  private describe(account: Account): AccountInfo {
    return {
      userId: account.id,
      kind: account.kind,
      phone: account.phone,
      username: account.username,
      firstName: account.firstName,
      premium: account.premium,
      banned: account.banned,
      frozen: account.freeze !== undefined,
      registered: account.registered,
      sessions: this.transport.keysOf(account.id).length,
    };
  }
}
