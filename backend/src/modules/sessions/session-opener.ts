import { Injectable } from '@nestjs/common';
import { SecretBox } from '../../common/crypto/secret-box.js';
import { AppConfig, type ProxySettings } from '../../config/index.js';
import { type TdClient, TelegramEngine } from '../../telegram/index.js';
import { LocalAppVault } from '../apps/index.js';
import { LocalProxyVault } from '../proxies/index.js';
import { ChatResolver } from './chat-resolver.js';
import type { Held } from './held-session.js';
import { LiveSession, type LoginPlan } from './live-session.js';
import { SendTracker } from './sends/send-tracker.js';
import { SessionDirectories } from './session-directories.js';
import type { SessionEntity } from './session.entity.js';
import { SessionUpdates } from './session-updates.js';
import type { Lease } from './sessions.repository.js';

/** How a session is opened. */
export interface Opening {
  readonly row: SessionEntity;
  readonly plan: LoginPlan;
  readonly lease: Lease;
  /** Whether what happens to it is written from the start. */
  readonly writes: boolean;
  /** The client exists; it has not started yet. */
  readonly opened: (held: Held) => void;
  readonly changed: (held: Held) => void;
  readonly closed: (held: Held) => void;
}

const MAX_CALLS_IN_FLIGHT = 1_000;
/** A session that was opened becomes ready, or ends, long before. */
const RECOVERY_TIMEOUT_MS = 24 * 3_600_000;

/** Makes TDLib clients of sessions: finds their secrets, their proxy and their folder. */
@Injectable()
export class SessionOpener {
  constructor(
    private readonly config: AppConfig,
    private readonly engine: TelegramEngine,
    private readonly apps: LocalAppVault,
    private readonly proxies: LocalProxyVault,
    private readonly box: SecretBox,
    private readonly directories: SessionDirectories,
    private readonly sends: SendTracker,
    private readonly updates: SessionUpdates,
  ) {}

  /**
   * Starts the session's client. When it fails after `opened` was called, the caller closes what it got there.
   * @throws TdlibError TDLib's refusal, for example of a database that another process holds
   */
  async open({ row, plan, lease, writes, opened, changed, closed }: Opening): Promise<Held> {
    const { apiId, apiHash } = await this.apps.credentials(row.appId);
    const proxy = await this.effectiveProxy(row.proxyId);
    const { database, files } = await this.directories.make(row.id);
    const key = this.box.open(row.dbKeySealed, { table: 'sessions', column: 'db_key_sealed', id: row.id });
    // The session exists before what holds it: it may already want to tell something then.
    const begun: { held?: Held } = {};
    const tell = (event: (held: Held) => void): void => {
      if (begun.held !== undefined) {
        event(begun.held);
      }
    };
    const session = new LiveSession(
      row.id,
      row.kind,
      plan,
      { changed: () => tell(changed), closed: () => tell(closed) },
      () => begun.held?.network ?? networkOf(proxy),
      row,
    );
    const sends = this.sends.begin(row.kind, lease, row.status !== 'connecting');
    const client = await this.engine.open({
      onUpdate: (type, update) => {
        session.receive(type, update);
        sends.receive(type, update);
        this.updates.publish(row.id, type, update);
      },
      onBanned: session.noteBan,
      proxy,
      maxCallsInFlight: MAX_CALLS_IN_FLIGHT,
      parameters: {
        use_test_dc: this.config.telegram.testDc,
        database_directory: database,
        files_directory: files,
        database_encryption_key: key.toString('base64'),
        use_file_database: true,
        use_chat_info_database: true,
        use_message_database: true,
        use_secret_chats: false,
        api_id: apiId,
        api_hash: apiHash,
        system_language_code: 'en',
        device_model: 'tgcontrol',
        system_version: '1',
        application_version: '0.1',
      },
    });
    session.attach(client);
    const held: Held = {
      session,
      client,
      sends,
      lease,
      resolver: new ChatResolver(),
      proxyId: row.proxyId,
      network: networkOf(proxy),
      hasProxy: proxy !== undefined,
      writes,
      writing: undefined,
      dirty: false,
    };
    begun.held = held;
    opened(held);
    await client.start();
    await this.sends.load(sends, this.directories.of(row.id), whenReady(held));
    return held;
  }

  /**
   * How a session goes on from its database. Should the database have lost the authorization, a bot can log in by itself; a
   * user cannot.
   */
  resumption({ id, botTokenSealed }: SessionEntity): LoginPlan {
    if (botTokenSealed === null) {
      return { kind: 'resume' };
    }
    const token = this.box.open(botTokenSealed, { table: 'sessions', column: 'bot_token_sealed', id });
    return { kind: 'bot', token: token.toString('utf8') };
  }

  /** The proxy that a session with this one registered uses. @throws NotFoundError */
  async effectiveProxy(proxyId: string | null): Promise<ProxySettings | undefined> {
    return proxyId === null ? this.config.telegram.defaultProxy : this.proxies.settings(proxyId);
  }

  /** Puts a proxy in place, live. */
  async useProxy(held: Held, proxyId: string | null): Promise<void> {
    const proxy = await this.effectiveProxy(proxyId);
    await held.client.useProxy(proxy);
    held.proxyId = proxyId;
    held.network = networkOf(proxy);
    held.hasProxy = proxy !== undefined;
  }
}

/** @returns undefined when the session ends before it takes calls */
async function whenReady({ session, client }: Held): Promise<TdClient | undefined> {
  await session.waitFor(() => session.isReady || session.hasEnded, RECOVERY_TIMEOUT_MS);
  return session.isReady ? client : undefined;
}

function networkOf(proxy: ProxySettings | undefined): string {
  return proxy === undefined ? 'the direct connection' : `the proxy ${proxy.type} ${proxy.host}:${proxy.port}`;
}
