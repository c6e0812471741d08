import { connect, createServer, type Server, type Socket } from 'node:net';

/** A way to the database, or another server, that can be cut (connections end) or frozen (bytes stop), and restored. */
export class Wire {
  private readonly sockets = new Set<Socket>();
  private isFrozen = false;
  private server: Server | undefined;

  constructor(private readonly target: URL) {}

  /** @param host where it listens; what it leads to is on the loopback */
  async open(port = 0, host = '127.0.0.1'): Promise<string> {
    this.server = createServer((client) => {
      const server = connect(Number(this.target.port), this.target.hostname);
      for (const [from, to] of [
        [client, server],
        [server, client],
      ] as const) {
        this.sockets.add(from);
        from.on('data', (chunk) => this.isFrozen || to.write(chunk));
        from.on('close', () => to.destroy());
        from.on('error', () => to.destroy());
      }
    });
    await new Promise<void>((resolve) => this.server?.listen(port, host, resolve));
    const url = new URL(this.target);
    url.hostname = host;
    url.port = String((this.server.address() as { port: number }).port);
    return url.href;
  }

  cut(): void {
    this.server?.close();
    for (const socket of this.sockets) socket.destroy();
    this.sockets.clear();
  }

  freeze(isFrozen: boolean): void {
    this.isFrozen = isFrozen;
  }
}
