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
const { library, proxy, clients, port } = JSON.parse(process.argv[2] ?? '{}') as {
  readonly library: string;
  readonly proxy: string;
  readonly clients: readonly BareClient[];
  readonly port?: number;
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

const [first] = opened;
const server = fastify();
if (first !== undefined && port !== undefined) {
  server.post('/call', async (request) => {
    const { method, params } = request.body as { method: string; params?: Record<string, unknown> };
    const result: unknown = await first.invoke({ _: method, ...params } as Parameters<tdl.Client['invoke']>[0]);
    return { ok: true, result };
  });
  await server.listen({ port, host: '127.0.0.1' });
}

process.on('SIGTERM', () => {
  void server
    .close()
    .then(() => Promise.all(opened.map((client) => client.close())))
    .then(() => process.exit(0));
});
process.send?.({ directory: mkdtempSync(join(tmpdir(), 'tgcontrol-bench-')) });
