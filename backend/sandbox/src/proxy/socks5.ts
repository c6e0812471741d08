import type { Socket } from 'node:net';

const VERSION = 5;
const AUTH_NONE = 0;
const AUTH_PASSWORD = 2;
const AUTH_NOT_ACCEPTABLE = 0xff;
const COMMAND_CONNECT = 1;
const ADDRESS_IPV4 = 1;
const ADDRESS_NAME = 3;
const ADDRESS_IPV6 = 4;
const REPLY_OK = 0;
/** "Connection refused" of RFC 1928, section 6. */
const REPLY_REFUSED = 5;

/** Credentials of RFC 1929. */
export interface Credentials {
  readonly username: string;
  readonly password: string;
}

/** The client asks for a connection; `accept` or `refuse` must follow, or nothing for a proxy that hangs. */
export interface ConnectRequest {
  readonly credentials: Credentials | undefined;
  /** Where the client wants to be connected to; `host:port`. */
  readonly target: string;
  /** @returns bytes that came after the request already */
  accept(): Buffer;
  refuse(): void;
}

/** Decides who may use the proxy. */
export interface AccessRule {
  /** True when any user name exists; a client that has one is asked for it then. */
  knowsUsers(): boolean;
  isAllowed(credentials: Credentials | undefined): boolean;
}

/**
 * The server's side of SOCKS5 (RFC 1928) with user names (RFC 1929), up to the CONNECT request. A client that breaks the
 * protocol or has the wrong credentials is answered as the RFCs say and closed.
 */
export function serveSocks5(socket: Socket, access: AccessRule, onRequest: (request: ConnectRequest) => void): void {
  new Socks5Conversation(socket, access, onRequest).start();
}

type Step = 'greeting' | 'password' | 'request' | 'done';

class Socks5Conversation {
  private step: Step = 'greeting';
  private pending: Buffer = Buffer.alloc(0);
  private credentials: Credentials | undefined;

  constructor(
    private readonly socket: Socket,
    private readonly access: AccessRule,
    private readonly onRequest: (request: ConnectRequest) => void,
  ) {}

  start(): void {
    this.socket.on('error', () => this.socket.destroy());
    this.socket.on('data', this.receive);
  }

  private readonly receive = (data: Buffer): void => {
    this.pending = Buffer.concat([this.pending, data]);
    while (this.step !== 'done' && this.advance());
  };

  /** @returns false when more bytes are needed */
  private advance(): boolean {
    switch (this.step) {
      case 'greeting':
        return this.greeting();
      case 'password':
        return this.password();
      case 'request':
        return this.request();
      case 'done':
        return false;
    }
  }

  private greeting(): boolean {
    const [version, count] = this.pending;
    if (version === undefined || count === undefined) return false;
    if (version !== VERSION) return this.end();
    if (this.pending.length < 2 + count) return false;
    const methods = this.take(2 + count).subarray(2);
    if (methods.includes(AUTH_PASSWORD) && this.access.knowsUsers()) {
      this.step = 'password';
      this.socket.write(Buffer.of(VERSION, AUTH_PASSWORD));
      return true;
    }
    if (!methods.includes(AUTH_NONE) || !this.access.isAllowed(undefined))
      return this.end(Buffer.of(VERSION, AUTH_NOT_ACCEPTABLE));
    this.step = 'request';
    this.socket.write(Buffer.of(VERSION, AUTH_NONE));
    return true;
  }

  private password(): boolean {
    const nameLength = this.pending[1];
    if (nameLength === undefined || this.pending.length < 3 + nameLength) return false;
    const passwordLength = this.pending[2 + nameLength] ?? 0;
    if (this.pending.length < 3 + nameLength + passwordLength) return false;
    const message = this.take(3 + nameLength + passwordLength);
    this.credentials = {
      username: message.subarray(2, 2 + nameLength).toString('utf8'),
      password: message.subarray(3 + nameLength).toString('utf8'),
    };
    if (!this.access.isAllowed(this.credentials)) return this.end(Buffer.of(1, 1));
    this.step = 'request';
    this.socket.write(Buffer.of(1, 0));
    return true;
  }

  private request(): boolean {
    const length = requestLength(this.pending);
    if (length === undefined || this.pending.length < length) return false;
    const message = this.take(length);
    if (message[0] !== VERSION || message[1] !== COMMAND_CONNECT) return this.end();
    this.step = 'done';
    this.onRequest({
      credentials: this.credentials,
      target: targetOf(message),
      accept: () => {
        this.socket.off('data', this.receive);
        this.socket.write(reply(REPLY_OK));
        return this.pending;
      },
      refuse: () => {
        this.end(reply(REPLY_REFUSED));
      },
    });
    return true;
  }

  private take(length: number): Buffer {
    const taken = this.pending.subarray(0, length);
    this.pending = this.pending.subarray(length);
    return taken;
  }

  private end(lastWords?: Buffer): false {
    this.step = 'done';
    if (lastWords) this.socket.end(lastWords);
    else this.socket.destroy();
    return false;
  }
}

/** Length of a request whose beginning is there; undefined when even that is missing. */
function requestLength(data: Buffer): number | undefined {
  const nameLength = data[4];
  if (nameLength === undefined) return undefined;
  switch (data[3]) {
    case ADDRESS_IPV6:
      return 4 + 16 + 2;
    case ADDRESS_NAME:
      return 4 + 1 + nameLength + 2;
    default:
      return 4 + 4 + 2;
  }
}

function targetOf(request: Buffer): string {
  const address = request.subarray(4, -2);
  const port = request.readUInt16BE(request.length - 2);
  switch (request[3]) {
    case ADDRESS_IPV4:
      return `${address.join('.')}:${port}`;
    case ADDRESS_NAME:
      return `${address.subarray(1).toString('latin1')}:${port}`;
    default:
      return `[${address.toString('hex').replace(/(.{4})(?=.)/g, '$1:')}]:${port}`;
  }
}

/** TDLib reads exactly ten bytes: it expects an IPv4 address in the reply. */
function reply(code: number): Buffer {
  return Buffer.of(VERSION, code, 0, ADDRESS_IPV4, 0, 0, 0, 0, 0, 0);
}
