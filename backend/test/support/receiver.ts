import { createServer, type IncomingHttpHeaders, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { until } from './until.js';

/** A request that a receiver of webhooks got. */
export interface Received {
  readonly headers: IncomingHttpHeaders;
  /** As it came. */
  readonly text: string;
  readonly update: Record<string, unknown>;
  readonly at: number;
}

type Answer = (response: ServerResponse, received: Received) => void;

const OK: Answer = (response) => response.end('ok');

/** A receiver of webhooks on loopback. */
export class Receiver {
  readonly received: Received[] = [];
  /** How it answers from now on. */
  answer: Answer = OK;
  connections = 0;

  private constructor(private readonly server: Server) {
    server.on('connection', () => (this.connections += 1));
    server.on('request', (request, response) => {
      const chunks: Buffer[] = [];
      request.on('data', (chunk: Buffer) => chunks.push(chunk));
      request.on('end', () => {
        const text = Buffer.concat(chunks).toString('utf8');
        const update = JSON.parse(text) as Record<string, unknown>;
        const received = { headers: request.headers, text, update, at: Date.now() };
        this.received.push(received);
        this.answer(response, received);
      });
    });
  }

  static async start(port = 0): Promise<Receiver> {
    const server = createServer();
    await new Promise<void>((resolve) => server.listen(port, '127.0.0.1', resolve));
    return new Receiver(server);
  }

  get port(): number {
    return (this.server.address() as AddressInfo).port;
  }

  get url(): string {
    return `http://127.0.0.1:${this.port}/hook`;
  }

  /** The texts of new messages that came, in their order. */
  get texts(): readonly string[] {
    return this.received.flatMap(({ update }) => textOf(update) ?? []);
  }

  /** The requests about the message of this text, once there are so many. */
  about(text: string, count = 1, timeoutMs?: number): Promise<readonly Received[]> {
    const found = (): readonly Received[] | false => {
      const all = this.received.filter(({ update }) => textOf(update) === text);
      return all.length >= count && all;
    };
    return until(`${count} deliveries of ${text}`, found, timeoutMs);
  }

  async stop(): Promise<void> {
    this.server.closeAllConnections();
    await new Promise((resolve) => this.server.close(resolve));
  }
}

/** The text of the message in an updateNewMessage. */
export function textOf(update: Readonly<Record<string, unknown>>): string | undefined {
  const message = update['message'] as { content?: { text?: { text?: string } } } | undefined;
  return message?.content?.text?.text;
}
