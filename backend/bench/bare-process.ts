import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fastify from 'fastify';
import * as tdl from 'tdl';

/** One client of bare tdl. */
interface BareClient {
  readonly directory: string;
  /** Base64; absent for a new database. */
  readonly key?: string;
  /** Logs in with it when the database has no authorization. */
  readonly token?: string;
}

// What the product is compared with: tdl's own client, and the thinnest route over it that answers a call.
const { library, proxy, clients, port, chats } = JSON.parse(process.argv[2] ?? '{}') as {
  readonly library: string;
  readonly proxy: string;
  readonly clients: readonly BareClient[];
  readonly port?: number;
  /** Where each client sends to. */
  readonly chats?: readonly number[];
};

tdl.configure({ tdjson: library, verbosityLevel: 1 });

async function open({ directory, key, token }: BareClient): Promise<tdl.Client> {
  const client = tdl.createClient({
    apiId: 12345,
    apiHash: '0123456789abcdef0123456789abcdef',
    databaseDirectory: join(directory, 'db'),
    filesDirectory: join(directory, 'files'),
    ...(key !== undefined && { databaseEncryptionKey: key }),
    tdlibParameters: {
      use_file_database: true,
      use_chat_info_database: true,
      use_message_database: true,
      use_secret_chats: false,
      device_model: 'tgcontrol',
    },
  });
  client.on('error', () => undefined);
  const { hostname, port: proxyPort, username, password } = new URL(proxy);
  await client.invoke({
    _: 'addProxy',
    proxy: {
      _: 'proxy',
      server: hostname,
      port: Number(proxyPort),
      type: { _: 'proxyTypeSocks5', username, password },
    },
    enable: true,
  });
  if (token !== undefined) {
    await client.loginAsBot(token);
  }
  await client.invoke({ _: 'getMe' });
  return client;
}

const opened: tdl.Client[] = [];
for (const client of clients) {
  opened.push(await open(client));
}

/** What became of a message, as far as the benchmark asks. */
type Outcome = { readonly status: 'sent'; readonly message_id: number } | { readonly status: 'failed' };

/** Sends and waits for the outcome, which may come before the answer. */
function sender(client: tdl.Client): (query: Parameters<tdl.Client['invoke']>[0]) => Promise<object> {
  const early = new Map<string, Outcome>();
  const waiting = new Map<string, (outcome: Outcome) => void>();
  client.on('update', (update) => {
    if (update._ !== 'updateMessageSendSucceeded' && update._ !== 'updateMessageSendFailed') {
      return;
    }
    const key = `${update.message.chat_id}:${update.old_message_id}`;
    const outcome: Outcome =
      update._ === 'updateMessageSendFailed' ? { status: 'failed' } : { status: 'sent', message_id: update.message.id };
    const resolve = waiting.get(key);
    if (resolve === undefined) {
      early.set(key, outcome);
    } else {
      waiting.delete(key);
      resolve(outcome);
    }
  });
  return async (query) => {
    const result = (await client.invoke(query)) as { readonly chat_id: number; readonly id: number };
    const key = `${result.chat_id}:${result.id}`;
    const outcome = early.get(key) ?? (await new Promise<Outcome>((resolve) => waiting.set(key, resolve)));
    early.delete(key);
    return { ok: true, result, sends: [{ temporary_id: result.id, ...outcome }] };
  };
}

const [first] = opened;
const server = fastify();
if (first !== undefined && port !== undefined) {
  server.post('/call', async (request) => {
    const { method, params } = request.body as { method: string; params?: Record<string, unknown> };
    const result: unknown = await first.invoke({ _: method, ...params } as Parameters<tdl.Client['invoke']>[0]);
    return { ok: true, result };
  });
  const senders = opened.map(sender);
  for (const [number, chatId] of (chats ?? []).entries()) {
    await opened[number]?.invoke({ _: 'getChat', chat_id: chatId });
  }
  server.post('/send/:number', async (request) => {
    const { method, params } = request.body as { method: string; params?: Record<string, unknown> };
    const { number } = request.params as { number: string };
    const content = params?.['input_message_content'] as { text: { text: string } };
    return senders[Number(number)]?.({
      _: method,
      ...params,
      // tdl's own spelling of td_api.
      input_message_content: { _: 'inputMessageText', text: { _: 'formattedText', text: content.text.text } },
    } as Parameters<tdl.Client['invoke']>[0]);
  });
  await server.listen({ port, host: '127.0.0.1' });
}

let newMessages = 0;
for (const client of opened) {
  client.on('update', ({ _: type }) => {
    newMessages += type === 'updateNewMessage' ? 1 : 0;
  });
}

/** Tells how many messages have come. */
process.on('message', () => process.send?.({ newMessages }));
process.on('SIGTERM', () => {
  void server
    .close()
    .then(() => Promise.all(opened.map((client) => client.close())))
    .then(() => process.exit(0));
});
process.send?.({ directory: mkdtempSync(join(tmpdir(), 'tgcontrol-bench-')) });
