import { once } from 'node:events';
import { type AddressInfo, createServer } from 'node:net';
import { DatabaseClient } from './database-client.js';

/** A message of PostgreSQL's protocol. */
function message(type: string, body: Buffer): Buffer {
  const head = Buffer.alloc(5);
  head.write(type);
  head.writeInt32BE(body.length + 4, 1);
  return Buffer.concat([head, body]);
}

const AUTHENTICATED = message('R', Buffer.alloc(4));
const READY = message('Z', Buffer.from('I'));
/** What every connection is told when PostgreSQL is stopped. */
const ENDED = message('E', Buffer.from('SFATAL\0VFATAL\0C57P01\0Mterminating connection\0\0'));

describe('DatabaseClient', () => {
  it('ends no process when it is cut at the moment it stands, before anybody listens', async () => {
    const server = createServer((socket) => {
      socket.once('data', () => socket.write(Buffer.concat([AUTHENTICATED, READY, ENDED])));
    }).listen(0, '127.0.0.1');
    await once(server, 'listening');
    const { port } = server.address() as AddressInfo;
    const client = new DatabaseClient({ host: '127.0.0.1', port, user: 'nobody', database: 'none' });
    await client.connect();
    await expect(client.query('SELECT 1')).rejects.toThrow(/not queryable/);
    await client.end().catch(() => undefined);
    await once(server.close(), 'close');
  });
});
