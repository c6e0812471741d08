import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { freePort, startNode, until, type Started } from './process.js';

const ROOT = resolve(__dirname, '../../..');
const START_MS = 150_000;

/** The acts of the sandbox Telegram that the suites need. */
export interface Telegram {
  createBot(username: string): Promise<{ token: string; userId: number }>;
  createAccount(account: {
    phone: string;
    first_name?: string;
    username?: string;
    password?: string;
    password_hint?: string;
    recovery_email?: string;
  }): Promise<number>;
  /** Ends every authorization of the account, as its owner does from another device. */
  endSessions(userId: number): Promise<void>;
  /** The newest login code, as the account reads it in its service chat. */
  code(phone: string): Promise<string>;
  /** Scans a QR login's link with a device of the account. */
  scan(userId: number, link: string): Promise<void>;
  /** Posts a message as somebody else does, with an attached file if there is one. */
  post(message: {
    from: number;
    chat_id: number;
    text?: string;
    photo?: { bytes: string; name: string };
    document?: { bytes: string; name: string; mime_type?: string };
  }): Promise<void>;
  /** Makes a channel; its first administrator is its owner. @returns the id of its chat */
  createChannel(title: string, admins: readonly number[]): Promise<number>;
  /** Makes the next call of an MTProto method fail as Telegram would make it fail. */
  refuseOnce(method: string, error: { code: number; message: string }): Promise<void>;
}

/** The whole product of one suite: sandbox, PostgreSQL, gateway, worker and console, with a disk of its own. */
export interface Product {
  readonly url: string;
  readonly token: string;
  readonly telegram: Telegram;
  /** Calls the API as its owner, past the console; throws when it is refused. */
  api(method: string, path: string, body?: unknown): Promise<unknown>;
  stop(): Promise<void>;
}

async function answer(response: Response): Promise<unknown> {
  const text = await response.text();
  if (!response.ok) throw new Error(`${response.url} answered ${response.status}: ${text}`);
  const body: unknown = JSON.parse(text);
  return typeof body === 'object' && body !== null && 'result' in body ? body.result : body;
}

function send(url: string, method: string, body?: unknown, headers: Record<string, string> = {}): Promise<Response> {
  return fetch(url, {
    method,
    headers: { ...headers, 'content-type': 'application/json' },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
}

async function startSandbox(dir: string): Promise<{ process: Started; control: string; env: Record<string, string> }> {
  const port = await freePort();
  const process = startNode(
    [join(ROOT, 'backend/sandbox/dist/main.js'), '--dir', dir, '--control-port', String(port)],
    {},
  );
  const control = `http://127.0.0.1:${port}`;
  await until(
    `the sandbox (${process.output()})`,
    async () => (await fetch(`${control}/stats`)).ok || undefined,
    START_MS,
  );
  const env = Object.fromEntries(
    readFileSync(join(dir, 'env'), 'utf8')
      .split('\n')
      .map((line) => line.split(/=(.*)/s, 2))
      .filter((pair): pair is [string, string] => pair.length === 2),
  );
  return { process, control, env };
}

const readCode = (codes: unknown): string | undefined => {
  const newest: unknown = Array.isArray(codes) ? codes[0] : undefined;
  if (typeof newest === 'string') return newest;
  if (typeof newest !== 'object' || newest === null || !('code' in newest)) return undefined;
  return typeof newest.code === 'string' ? newest.code : undefined;
};

function telegramAt(control: string): Telegram {
  return {
    createBot: async (username) => {
      const bot = await answer(await send(`${control}/bots`, 'POST', { username }));
      if (typeof bot !== 'object' || bot === null || !('token' in bot) || typeof bot.token !== 'string') {
        throw new Error('the sandbox made a bot without a token');
      }
      return { token: bot.token, userId: Number(bot.token.split(':', 1)[0]) };
    },
    createAccount: async (account) => {
      const made = await answer(await send(`${control}/accounts`, 'POST', account));
      if (typeof made !== 'object' || made === null || !('user_id' in made))
        throw new Error('an account without an id');
      return Number(made.user_id);
    },
    scan: async (userId, link) => {
      await answer(await send(`${control}/accounts/${userId}/scan-qr`, 'POST', { link }));
    },
    endSessions: async (userId) => {
      await answer(await send(`${control}/accounts/${userId}/terminate-sessions`, 'POST', {}));
    },
    post: async (message) => {
      await answer(await send(`${control}/messages`, 'POST', message));
    },
    createChannel: async (title, admins) => {
      const made = await answer(await send(`${control}/chats`, 'POST', { type: 'channel', title, admins }));
      if (typeof made !== 'object' || made === null || !('chat_id' in made)) throw new Error('a chat without an id');
      return Number(made.chat_id);
    },
    refuseOnce: async (method, error) => {
      await answer(await send(`${control}/faults`, 'POST', { method, error, times: 1 }));
    },
    code: (phone) =>
      until(`a login code for ${phone}`, async () =>
        readCode(await answer(await fetch(`${control}/accounts/${phone}/codes`))),
      ),
  };
}

/** Starts everything on free ports of the loopback. @param settings beyond those that every suite has */
export async function startProduct(settings: Readonly<Record<string, string>> = {}): Promise<Product> {
  const dir = mkdtempSync(join(tmpdir(), 'tgcontrol-browser-'));
  const running: Started[] = [];
  const stop = async (): Promise<void> => {
    for (const process of running.reverse()) await process.stop();
    rmSync(dir, { recursive: true, force: true });
  };
  try {
    const sandbox = await startSandbox(join(dir, 'sandbox'));
    running.push(sandbox.process);
    const port = await freePort();
    const url = `http://127.0.0.1:${port}`;
    const data = join(dir, 'data');
    const backend = startNode([join(ROOT, 'backend/dist/main.js')], {
      ...sandbox.env,
      ROLE: 'all',
      LISTEN_ADDR: `127.0.0.1:${port}`,
      DATA_DIR: data,
      CONSOLE_DIR: join(ROOT, 'console/out'),
      PACE_PER_SECOND: '0',
      ...settings,
    });
    running.push(backend);
    await until(
      'the gateway',
      async () => {
        if (backend.child.exitCode !== null) throw new Error(backend.output());
        return (await fetch(`${url}/readyz`)).ok || undefined;
      },
      START_MS,
    );
    const secrets: unknown = JSON.parse(readFileSync(join(data, 'secrets.json'), 'utf8'));
    if (typeof secrets !== 'object' || secrets === null || !('api_token' in secrets)) throw new Error('no API token');
    const token = String(secrets.api_token);
    return {
      url,
      token,
      telegram: telegramAt(sandbox.control),
      api: async (method, path, body) =>
        answer(await send(`${url}${path}`, method, body, { authorization: `Bearer ${token}` })),
      stop,
    };
  } catch (error) {
    await stop();
    throw error;
  }
}
