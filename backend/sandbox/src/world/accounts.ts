import { RpcError } from '../rpc.js';
import { RefusedError } from './errors.js';
import type { PasswordVerifier } from './srp.js';
import { randomLong, randomToken } from './random.js';

/** How an account names somebody in its contact list. */
export interface ContactCard {
  readonly firstName: string;
  readonly lastName: string;
}

/** A frozen account can read but not write (https://core.telegram.org/api/auth#frozen-accounts). */
export interface Freeze {
  /** Unix seconds. */
  readonly since: number;
  readonly until: number;
  readonly appealUrl: string;
}

/** A user or a bot. */
export interface Account {
  readonly id: number;
  readonly kind: 'user' | 'bot';
  readonly accessHash: bigint;
  /** Digits only; absent for bots. */
  readonly phone: string | undefined;
  /** Of bots only. */
  readonly token: string | undefined;
  firstName: string;
  lastName: string;
  username: string | undefined;
  about: string | undefined;
  /** False until `auth.signUp`: the number is free and gets codes. */
  registered: boolean;
  premium: boolean;
  banned: boolean;
  freeze: Freeze | undefined;
  password: PasswordVerifier | undefined;
  /** Always the next login code, instead of a random one. */
  fixedCode: string | undefined;
  /** Where login codes go instead of SMS; the empty string means "must be set up first". */
  email: string | undefined;
  /** Where a code goes that lets a forgotten 2FA password be replaced. */
  recoveryEmail: string | undefined;
  /** Its clients get no updates pushed, as if Telegram had lost sight of them; what they ask for is answered. */
  deaf: boolean;
  /** The data centre of the last login; files are offered from there, so that no second authorization is needed. */
  homeDc: number;
  readonly contacts: Map<number, ContactCard>;
  readonly blocked: Set<number>;
}

/** What may be said about an account when it is made. */
export interface AccountOptions {
  readonly firstName?: string | undefined;
  readonly lastName?: string | undefined;
  readonly username?: string | undefined;
  readonly premium?: boolean | undefined;
  readonly registered?: boolean | undefined;
  readonly fixedCode?: string | undefined;
  readonly email?: string | undefined;
  readonly recoveryEmail?: string | undefined;
  readonly password?: PasswordVerifier | undefined;
}

export interface AccountsState {
  nextUserId: number;
  nextBotId: number;
  readonly byId: Map<number, Account>;
}

/** The account that writes login codes (https://core.telegram.org/api/auth). */
export const SERVICE_ACCOUNT_ID = 777_000;

/** Above 2^31, so that whoever squeezes ids into 32 bits fails in a test. */
const FIRST_USER_ID = 6_000_000_001;
const FIRST_BOT_ID = 7_000_000_001;

/** Digits of a phone number as it comes from a client, a form or a test. */
export function normalizePhone(phone: string): string {
  return phone.replace(/\D/g, '');
}

/** Users and bots by id, phone number and token. */
export class Accounts {
  state: AccountsState = Accounts.emptyState();

  static emptyState(): AccountsState {
    const state: AccountsState = { nextUserId: FIRST_USER_ID, nextBotId: FIRST_BOT_ID, byId: new Map() };
    const service = blankAccount(SERVICE_ACCOUNT_ID, 'user', '42777', undefined);
    service.firstName = 'Telegram';
    state.byId.set(service.id, service);
    return state;
  }

  /** @throws RefusedError when the number is malformed or taken. */
  createUser(phone: string, options: AccountOptions = {}): Account {
    const digits = normalizePhone(phone);
    if (!/^\d{5,15}$/.test(digits)) throw new RefusedError('phone_invalid', `not a phone number: ${phone}`);
    if (this.findByPhone(digits)) throw new RefusedError('phone_taken', `the phone number is taken: ${phone}`);
    const account = blankAccount(this.state.nextUserId++, 'user', digits, undefined);
    return this.add(account, options);
  }

  /**
   * A bot's id is the number before its token's colon, as at Telegram.
   * @throws RefusedError when the token is malformed or its id is taken.
   */
  createBot(username: string, options: AccountOptions & { readonly token?: string | undefined } = {}): Account {
    const token = options.token ?? `${String(this.state.nextBotId++)}:${randomToken(35)}`;
    const id = Number(/^(\d{1,15}):[\w-]+$/.exec(token)?.[1]);
    if (!Number.isSafeInteger(id)) throw new RefusedError('token_invalid', 'a bot token looks like 123456:ABC');
    if (this.state.byId.has(id)) throw new RefusedError('token_taken', `the id of this token is taken: ${String(id)}`);
    return this.add(blankAccount(id, 'bot', undefined, token), { firstName: username, ...options, username });
  }

  find(id: number): Account | undefined {
    return this.state.byId.get(id);
  }

  /** @throws RpcError `400 USER_ID_INVALID` */
  get(id: number): Account {
    const account = this.find(id);
    if (!account) throw new RpcError(400, 'USER_ID_INVALID');
    return account;
  }

  findByPhone(phone: string): Account | undefined {
    const digits = normalizePhone(phone);
    return this.all().find((account) => account.phone === digits);
  }

  findByToken(token: string): Account | undefined {
    const account = this.find(Number(token.split(':', 1)[0]));
    return account?.token === token ? account : undefined;
  }

  all(): Account[] {
    return [...this.state.byId.values()];
  }

  /** Both have each other in their contact lists. */
  areMutualContacts(a: Account, b: Account): boolean {
    return a.contacts.has(b.id) && b.contacts.has(a.id);
  }

  private add(account: Account, options: AccountOptions): Account {
    account.firstName = options.firstName ?? account.firstName;
    account.lastName = options.lastName ?? '';
    account.username = options.username;
    account.premium = options.premium ?? false;
    account.registered = options.registered ?? true;
    account.fixedCode = options.fixedCode;
    account.email = options.email;
    account.recoveryEmail = options.recoveryEmail;
    account.password = options.password;
    this.state.byId.set(account.id, account);
    return account;
  }
}

function blankAccount(
  id: number,
  kind: Account['kind'],
  phone: string | undefined,
  token: string | undefined,
): Account {
  return {
    id,
    kind,
    accessHash: randomLong(),
    phone,
    token,
    firstName: kind === 'bot' ? 'Bot' : 'User',
    lastName: '',
    username: undefined,
    about: undefined,
    registered: true,
    premium: false,
    banned: false,
    freeze: undefined,
    password: undefined,
    fixedCode: undefined,
    email: undefined,
    recoveryEmail: undefined,
    deaf: false,
    homeDc: 1,
    contacts: new Map(),
    blocked: new Set(),
  };
}
