/** What the console shows of td_api's `user` object. */
export interface Account {
  readonly id: number;
  readonly name: string | undefined;
  readonly username: string | undefined;
  readonly phone: string | undefined;
  readonly isVerified: boolean;
}

const isRecord = (value: unknown): value is Record<string, unknown> => typeof value === 'object' && value !== null;
const text = (value: unknown): string | undefined => (typeof value === 'string' && value !== '' ? value : undefined);

/** Reads td_api's `user`; anything else is no account. */
export function readAccount(me: unknown): Account | undefined {
  if (!isRecord(me) || typeof me['id'] !== 'number') return undefined;
  const names = isRecord(me['usernames']) ? me['usernames'] : {};
  const active = Array.isArray(names['active_usernames']) ? text(names['active_usernames'][0]) : undefined;
  const verification = isRecord(me['verification_status']) ? me['verification_status'] : {};
  return {
    id: me['id'],
    name: text([text(me['first_name']), text(me['last_name'])].filter((part) => part !== undefined).join(' ')),
    username: active ?? text(names['editable_username']),
    phone: text(me['phone_number']),
    isVerified: verification['is_verified'] === true,
  };
}
