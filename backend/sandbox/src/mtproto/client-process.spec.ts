import { createServer, type AddressInfo } from 'node:net';
import { processWithPort } from './client-process.js';

describe('processWithPort', () => {
  it('finds the process that has a port open, and nobody for a port that is closed', async () => {
    const server = createServer();
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const { port } = server.address() as AddressInfo;
    expect(processWithPort(port)).toBe(process.pid);
    await new Promise((resolve) => server.close(resolve));
    expect(processWithPort(port)).toBeUndefined();
  });
});
