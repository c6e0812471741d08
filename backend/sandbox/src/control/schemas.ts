/** JSON schemas of request bodies and queries: the only check between a caller's JSON and the typed control object. */

type Schema = Readonly<Record<string, unknown>>;

function object(properties: Record<string, Schema>, required: readonly string[] = []): Schema {
  return { type: 'object', properties, required, additionalProperties: false };
}

const string: Schema = { type: 'string' };
const boolean: Schema = { type: 'boolean' };
const integer: Schema = { type: 'integer' };
const natural: Schema = { type: 'integer', minimum: 0 };
const positive: Schema = { type: 'integer', minimum: 1 };
const ids: Schema = { type: 'array', items: integer };
const nullableString: Schema = { type: ['string', 'null'] };
const file = object({ bytes: string, path: string, size: natural, name: string, mime_type: string });
const behaviour: Schema = { enum: ['ok', 'refuse', 'hang', 'slow'] };

export const newAccount = object(
  {
    phone: string,
    first_name: string,
    last_name: string,
    username: string,
    password: string,
    password_hint: string,
    code: string,
    email: string,
    recovery_email: string,
    premium: boolean,
    registered: boolean,
  },
  ['phone'],
);

export const accountChange = object({
  first_name: string,
  last_name: string,
  premium: boolean,
  password: nullableString,
  code: nullableString,
  deaf: boolean,
});

export const newBot = object({ username: string, token: string, first_name: string }, ['username']);
export const freeze = object({ until: natural });
export const scanQr = object({ link: string }, ['link']);
export const terminate = object({ reason: string });
export const contact = object({ user_id: integer }, ['user_id']);

export const newChat = object(
  {
    type: { enum: ['private', 'group', 'supergroup', 'channel'] },
    title: string,
    username: string,
    members: ids,
    admins: ids,
  },
  ['type'],
);

export const newMember = object({ user_id: integer, rights: { type: 'array', items: string } }, ['user_id']);
export const slowMode = object({ seconds: natural }, ['seconds']);

export const newMessage = object(
  {
    from: integer,
    chat_id: integer,
    text: string,
    document: file,
    photo: file,
    as: { enum: ['reply', 'edit', 'delete'] },
    message_id: integer,
    date: natural,
  },
  ['chat_id'],
);

export const messageFilter = object({ chat_id: integer, account: integer }, ['chat_id']);

export const newFault = object({
  method: string,
  account: integer,
  phone: string,
  chat_id: integer,
  error: object({ code: integer, message: string }, ['code', 'message']),
  delay_ms: natural,
  hang: boolean,
  drop: boolean,
  lose_answer: { enum: [true, false, 'keep-session', 'forget-session'] },
  times: positive,
});

export const newRule = object(
  {
    method: string,
    per: { enum: ['account', 'account_chat'] },
    kind: { enum: ['user', 'bot'] },
    max: natural,
    window_s: positive,
    wait_s: positive,
  },
  ['method', 'per', 'max', 'window_s'],
);

export const newProxy = object({
  kind: { enum: ['socks5', 'mtproto'] },
  secret: { type: 'string', pattern: '^dd[0-9a-f]{32}$' },
  port: natural,
  username: string,
  password: string,
  behaviour,
  kbit: positive,
});
export const proxyChange = object({ behaviour, kbit: positive });
export const clockChange = object({ advance_s: { type: 'number' } }, ['advance_s']);
export const journalFilter = object({ method: string, account: integer, after: natural, limit: positive });
export const restore = object({ id: string });
export const numericId = object({ id: integer }, ['id']);
export const memberId = object({ id: integer, userId: integer }, ['id', 'userId']);
