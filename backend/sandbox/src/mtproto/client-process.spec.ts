import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { connect, createServer, type AddressInfo, type Server, type Socket } from 'node:net';
import { clientProcess } from './client-process.js';

async function listen(): Promise<{ server: Server; port: number }> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  return { server, port: (server.address() as AddressInfo).port };
}

describe('clientProcess', () => {
  it('tells two clients apart that have the same port, and finds nobody for a connection that is over', async () => {
    const [one, other] = [await listen(), await listen()];
    const free = await listen();
    const local = free.port;
    await once(free.server.close(), 'close');
    const client = connect({ port: one.port, host: '127.0.0.1', localPort: local });
    await once(client, 'connect');
    // Another process with the same port, towards another server.
    const accepted = once(other.server, 'connection');
    const script = `require('node:net').connect({ port: ${other.port}, host: '127.0.0.1', localPort: ${local} })`;
    const child = spawn(process.execPath, ['-e', script], { stdio: 'inherit' });
    const [socket] = (await accepted) as [Socket];
    expect(clientProcess({ local, remote: one.port })).toBe(process.pid);
    expect(clientProcess({ local, remote: other.port })).toBe(child.pid);

    const gone = once(child, 'exit');
    child.kill();
    await gone;
    expect(clientProcess({ local, remote: other.port })).toBeUndefined();
    client.destroy();
    socket.destroy();
    await Promise.all([one, other].map(({ server }) => once(server.close(), 'close')));
  });
});
