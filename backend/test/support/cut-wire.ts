import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net';

/** A wire to a server on this machine that is cut again and again, as the bytes of a client pass. */
export class CutWire {
  cuts = 0;

  private constructor(
    private readonly server: Server,
    private readonly sockets: Set<Socket>,
  ) {}

  /** @param afterBytes how many bytes each connection takes until it is cut, for the first `cuts` of them */
  static async open(target: number, cuts: number, afterBytes: () => number): Promise<CutWire> {
    const sockets = new Set<Socket>();
    const server = createServer((client) => {
      const product = connect(target, '127.0.0.1');
      let left = wire.cuts < cuts ? afterBytes() : Number.POSITIVE_INFINITY;
      for (const socket of [client, product]) {
        sockets.add(socket);
        socket.on('error', () => undefined);
        socket.on('close', () => {
          client.destroy();
          product.destroy();
          sockets.delete(socket);
        });
      }
      client.on('data', (piece: Buffer) => {
        left -= piece.length;
        if (left <= 0) {
          wire.cuts += 1;
          client.resetAndDestroy();
          return;
        }
        if (!product.write(piece)) {
          client.pause();
          product.once('drain', () => client.resume());
        }
      });
      product.pipe(client);
    });
    const wire = new CutWire(server, sockets);
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    return wire;
  }

  get url(): string {
    return `http://127.0.0.1:${(this.server.address() as AddressInfo).port}`;
  }

  async close(): Promise<void> {
    for (const socket of this.sockets) socket.destroy();
    await new Promise((resolve) => this.server.close(resolve));
  }
}
