import { createSocket } from 'node:dgram';
import { readdirSync, readFileSync, readlinkSync } from 'node:fs';
import { createServer, type AddressInfo, type Server } from 'node:net';
import { Driver } from './driver.js';
import { TransportFixture } from './transport-fixture.js';
import { until } from './until.js';

/** TDLib starts to look for other servers when MTProto was silent for five seconds. */
const RECOVERY_MS = 8_000;

/** The kernel's tables of this network namespace; other processes' sockets are told apart by their inode. */
const TABLES = ['tcp', 'tcp6', 'udp', 'udp6'] as const;
const REMOTE_ADDRESS = 2;
const INODE = 9;

describe('a client of the sandbox', () => {
  const fixture = new TransportFixture();
  let silentProxy: Server | undefined;
  beforeAll(() => fixture.start());
  afterAll(async () => {
    await fixture.stop();
    silentProxy?.close();
  });

  it('would be seen if it had a connection to elsewhere', async () => {
    const socket = createSocket('udp4');
    // TEST-NET-1 of RFC 5737; connecting a UDP socket sends nothing.
    await new Promise<void>((resolve) => socket.connect(53, '192.0.2.1', resolve));
    expect(foreignPeers()).toEqual(['010200C0:0035']);
    socket.close();
  });

  it('connects to nothing but loopback while it is served', async () => {
    const driver = await fixture.openBot(5001);
    expect(foreignPeers()).toEqual([]);
    await driver.close();
  });

  it('connects to nothing but loopback when the server stays silent and it looks for others', async () => {
    silentProxy = createServer((socket) => {
      // Lets everybody through and then says nothing, which is what makes TDLib look elsewhere.
      socket.on('error', () => socket.destroy());
      socket.once('data', () => {
        socket.write(Buffer.of(5, 0));
        socket.once('data', () => socket.write(Buffer.of(5, 0, 0, 1, 0, 0, 0, 0, 0, 0)));
      });
    });
    const { port } = await new Promise<AddressInfo>((resolve) => {
      silentProxy?.listen(0, '127.0.0.1', () => resolve(silentProxy?.address() as AddressInfo));
    });
    const driver = await Driver.open(fixture.transport.libraryPath, { proxy: `socks5://127.0.0.1:${port}` });
    void driver.request({ '@type': 'checkAuthenticationBotToken', token: '5002:a' }).catch(() => undefined);
    const started = performance.now();
    const seen = new Set<string>();
    await until(() => {
      for (const peer of foreignPeers()) seen.add(peer);
      return performance.now() - started > RECOVERY_MS;
    }, 'the time in which TDLib would look elsewhere');
    expect([...seen]).toEqual([]);
    await driver.close();
  });
});

/** Remote addresses of this process's sockets that are neither loopback nor unconnected. */
function foreignPeers(): string[] {
  const own = ownSockets();
  return TABLES.flatMap((table) => readFileSync(`/proc/self/net/${table}`, 'utf8').split('\n').slice(1))
    .map((line) => line.trim().split(/\s+/))
    .filter((columns) => own.has(columns[INODE] ?? ''))
    .map((columns) => columns[REMOTE_ADDRESS] ?? '')
    .filter((remote) => !isLocal(remote.slice(0, remote.indexOf(':'))));
}

/** Inodes of the sockets this process has open. */
function ownSockets(): Set<string> {
  const inodes = readdirSync('/proc/self/fd').map((fd) => {
    try {
      return /^socket:\[(\d+)\]$/.exec(readlinkSync(`/proc/self/fd/${fd}`))?.[1];
    } catch {
      return undefined; // closed in the meantime
    }
  });
  return new Set(inodes.filter((inode) => inode !== undefined));
}

/** Addresses are hexadecimal, each 32-bit word in the machine's byte order. */
function isLocal(address: string): boolean {
  const unconnected = /^0+$/.test(address);
  const ipv4 = address.length === 8 && address.endsWith('7F');
  const mapped = address.startsWith('0000000000000000FFFF0000') && address.endsWith('7F');
  const ipv6 = address === '00000000000000000000000001000000';
  return unconnected || ipv4 || mapped || ipv6;
}
