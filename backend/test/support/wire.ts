import { connect, createServer, type Server, type Socket } from 'node:net';

interface Connection {
  readonly client: Socket;
  readonly server: Socket;
  /** Neither bytes nor an end pass any more. */
  isDead: boolean;
}

/** A way to a server that can be cut (connections end), frozen (bytes stop) or left dead, and restored. */
export class Wire {
  private readonly connections = new Set<Connection>();
  private isFrozen = false;
  private server: Server | undefined;

  constructor(private target: URL) {}

  /** Where new connections go. */
  leadTo(target: URL): void {
    this.target = target;
  }

  /**
   * @param host where it listens; what it leads to is on the loopback
   * @returns the target's URL with the wire in the place of its host and port
   */
  async open(port = 0, host = '127.0.0.1'): Promise<string> {
    this.server = createServer((client) => this.take(client));
    await new Promise<void>((resolve) => this.server?.listen(port, host, resolve));
    const url = new URL(this.target);
    url.hostname = host;
    url.port = String((this.server.address() as { port: number }).port);
    return url.href;
  }

  cut(): void {
    this.server?.close();
    for (const { client, server } of this.connections) {
      client.destroy();
      server.destroy();
    }
    this.connections.clear();
  }

  freeze(isFrozen: boolean): void {
    this.isFrozen = isFrozen;
  }

  /** What is connected is cut off without either side being told, until {@link cut}; new connections are good. */
  abandon(): void {
    for (const connection of this.connections) connection.isDead = true;
  }

  private take(client: Socket): void {
    const server = connect(Number(this.target.port), this.target.hostname);
    const connection: Connection = { client, server, isDead: false };
    this.connections.add(connection);
    for (const [from, to] of [
      [client, server],
      [server, client],
    ] as const) {
      const end = (): void => {
        if (connection.isDead) return;
        to.destroy();
        this.connections.delete(connection);
      };
      from.on('data', (chunk) => this.isFrozen || connection.isDead || to.write(chunk));
      from.on('close', end);
      from.on('error', end);
    }
  }
}
