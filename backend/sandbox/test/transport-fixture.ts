import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { ProxyInfo } from '../src/rpc.js';
import { sharedLibraryDirectory } from '../src/tdlib/library-directory.js';
import { SandboxTransport } from '../src/transport.js';
import { closeAll, Driver, type DriverOptions } from './driver.js';
import { StubApi } from './stub-api.js';

/** The same as the whole sandbox uses: suites of both may run in one process, which loads only one library. */
const LIBRARIES = sharedLibraryDirectory(join(tmpdir(), 'tgcontrol-sandbox'));

/** A transport with the stub API behind it and one proxy in front of it. */
export class TransportFixture {
  readonly api = new StubApi();
  readonly log: string[] = [];
  private readonly directory = mkdtempSync(join(tmpdir(), 'sandbox-transport-'));
  private running: SandboxTransport | undefined;
  private entry: ProxyInfo | undefined;

  get transport(): SandboxTransport {
    if (!this.running) throw new Error('start the fixture first');
    return this.running;
  }

  get proxy(): ProxyInfo {
    if (!this.entry) throw new Error('start the fixture first');
    return this.entry;
  }

  async start(): Promise<void> {
    this.running = await SandboxTransport.start({
      directory: this.directory,
      libraryDirectory: LIBRARIES,
      clock: this.api,
      handler: this.api,
      faults: this.api,
      observer: this.api,
      sessionsPerClient: this.api.mainSessions,
      log: (line) => this.log.push(line),
    });
    const { port } = this.entry ?? {};
    this.entry = await this.running.addProxy({
      username: 'main',
      password: 'secret',
      ...(port !== undefined && { port }),
    });
  }

  /** A client whose bot is logged in; `botId` is also the account's id. */
  async openBot(botId: number, options: Partial<DriverOptions> = {}): Promise<Driver> {
    const driver = await this.open(options);
    await driver.loginBot(`${botId}:token`);
    return driver;
  }

  /** A client that goes through the fixture's proxy. */
  open(options: Partial<DriverOptions> = {}): Promise<Driver> {
    return Driver.open(this.transport.libraryPath, { proxy: this.proxy.url, ...options });
  }

  /** As if the server's process had ended and come back on the same port. */
  async restart(): Promise<void> {
    await this.running?.stop();
    await this.start();
  }

  /** Closes all clients first: TDLib would go looking for other servers. */
  async stop(): Promise<void> {
    await closeAll();
    await this.running?.stop();
    rmSync(this.directory, { recursive: true, force: true });
  }
}
