import { mkdirSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { Api } from './api/api.js';
import { Control } from './control/control.js';
import { startControlServer, type ControlServer } from './control/http.js';
import { addDefaultProxy } from './proxy/default-proxy.js';
import { writeEnvFile, type SandboxEnv } from './tdlib/env-file.js';
import { sharedLibraryDirectory } from './tdlib/library-directory.js';
import { SandboxTransport } from './transport.js';
import { World } from './world/world.js';

/** How a sandbox is started; only the directory is needed. */
export interface SandboxOptions {
  /** World, keys and files are kept here, and the env file is written here. Started again, the sandbox goes on where it was. */
  readonly dir: string;
  /** Port of the HTTP control API on 127.0.0.1; 0 for any free one. Without it there is none. */
  readonly controlPort?: number;
  /** Address that the control API listens on. Whoever reaches it may do anything to the sandbox. */
  readonly controlHost?: string;
  /** Port of the default SOCKS5 proxy; the last one of this directory, or any free one, when absent. */
  readonly proxyPort?: number;
  /** Where the patched library is kept; by default one directory for all sandboxes of the user. */
  readonly libraryDir?: string;
  /** Gets a line for whatever a client did wrong and whatever went wrong here. */
  readonly log?: (line: string) => void;
}

const KEYS_FOLDER = 'keys';
const ENV_FILE = 'env';
const PROXY_FILE = 'proxy.json';

/** An offline Telegram on loopback that the real TDLib talks to. */
export class Sandbox {
  private constructor(
    /** What a client has to be started with. */
    readonly env: SandboxEnv,
    /** Everything a test or an operator can do to the sandbox. */
    readonly control: Control,
    private readonly world: World,
    private readonly transport: SandboxTransport,
    private readonly controlServer: ControlServer | undefined,
  ) {}

  /**
   * @throws UnpatchableLibraryError when the installed TDLib is not known
   * @throws Error when a port is taken
   */
  static async start(options: SandboxOptions): Promise<Sandbox> {
    const dir = resolve(options.dir);
    mkdirSync(dir, { recursive: true });
    const world = World.open(dir);
    const api = new Api(world);
    const transport = await SandboxTransport.start({
      directory: join(dir, KEYS_FOLDER),
      libraryDirectory: options.libraryDir ?? sharedLibraryDirectory(dir),
      clock: world.clock,
      handler: api,
      faults: world.gate,
      observer: world.journal,
      ...(options.log && { log: options.log }),
    });
    api.attach(transport);
    const control = new Control(world, transport);
    const proxy = await addDefaultProxy(
      (proxyOptions) => transport.addProxy(proxyOptions),
      join(dir, PROXY_FILE),
      options.proxyPort,
    );
    const controlServer =
      options.controlPort === undefined
        ? undefined
        : await startControlServer(control, options.controlPort, options.controlHost);
    const env: SandboxEnv = { TDLIB_PATH: transport.libraryPath, DEFAULT_PROXY: proxy.url };
    writeEnvFile(join(dir, ENV_FILE), env);
    return new Sandbox(env, control, world, transport, controlServer);
  }

  /** Port of the HTTP control API, if there is one. */
  get controlPort(): number | undefined {
    return this.controlServer?.port;
  }

  /**
   * Closes all connections and ports and writes the world down. Close the clients first: TDLib goes looking for other
   * servers when its own is gone.
   */
  async stop(): Promise<void> {
    await this.controlServer?.close();
    await this.transport.stop();
    await this.world.close();
  }
}
