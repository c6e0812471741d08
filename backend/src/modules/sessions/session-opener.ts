import { setTimeout as sleep } from 'node:timers/promises';
import { Injectable } from '@nestjs/common';
import pLimit from 'p-limit';
import { SecretBox } from '../../common/crypto/secret-box.js';
import { AppConfig, type ProxySettings } from '../../config/index.js';
import {
  renewConnection,
  requireUnlocked,
  type TdClient,
  TelegramEngine,
  testConnection,
} from '../../telegram/index.js';
import { LocalAppVault } from '../apps/index.js';
import { LimitsKeeper } from '../limits/index.js';
import { LocalProxyVault } from '../proxies/index.js';
import { ChatResolver } from './chat-resolver.js';
import { Downloads } from './downloads.js';
import type { Held } from './held-session.js';
import { LiveSession } from './live-session.js';
import type { LoginPlan, SessionStart } from './login-plan.js';
import type { SessionSends } from './sends/session-sends.js';
import { SendTracker } from './sends/send-tracker.js';
import { SessionDirectories } from './session-directories.js';
import { SessionTaps } from './session-taps.js';
import type { SessionEntity } from './session.entity.js';
import { SessionUpdates } from './session-updates.js';
import { type SilenceClock, SilenceWatch } from './silence-watch.js';
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

/** How long Telegram may take to answer a session that has heard nothing for long. */
const PROBE_TIMEOUT_MS = 10_000;
/** How long what was missed may take to come. */
const RENEWAL_MS = 3_000;
const RENEWALS_AT_ONCE = 8;

const CLOCK: SilenceClock = {
  now: Date.now,
  later: (work, afterMs) => {
    const timer = setTimeout(work, afterMs);
    timer.unref();
    return () => clearTimeout(timer);
  },
};

/** Makes TDLib clients of sessions: finds their secrets, their proxy and their folder. */
@Injectable()
export class SessionOpener {
  private readonly renewals = pLimit(RENEWALS_AT_ONCE);

  constructor(
    private readonly config: AppConfig,
    private readonly engine: TelegramEngine,
    private readonly apps: LocalAppVault,
    private readonly proxies: LocalProxyVault,
    private readonly box: SecretBox,
    private readonly directories: SessionDirectories,
    private readonly sends: SendTracker,
    private readonly updates: SessionUpdates,
    private readonly taps: SessionTaps,
    private readonly limits: LimitsKeeper,
  ) {}

  /**
   * Starts the session's client. When it fails after `opened` was called, the caller closes what it got there.
   * @throws TdlibError TDLib's refusal, for example of a database that another process holds
   */
  async open({ row, plan, lease, writes, opened, changed, closed }: Opening): Promise<Held> {
    const { apiId, apiHash } = await this.apps.credentials(row.appId);
    const proxy = await this.effectiveProxy(row.proxyId);
    const { database, files } = await this.directories.make(row.id);
    await requireUnlocked(database);
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
      startOf(row),
    );
    // Only a login has no past, unless it goes on with the database of a session that has expired.
    const hasPast = row.status !== 'connecting' || row.formerStatus === 'expired';
    const tap = await this.taps.open({ kind: row.kind, lease, directory: this.directories.of(row.id) });
    const limits = await this.limits.open(
      { sessionId: row.id, kind: row.kind },
      { changed: () => tell(changed), started: (cooldown) => tap.limited(cooldown) },
    );
    const sends = this.sends.begin(row.kind, lease, hasPast);
    const client = await this.engine.open({
      onUpdate: (type, update) => {
        // First what must not be lost with the process.
        tap.receive(type, update);
        session.receive(type, update);
        sends.receive(type, update);
        limits.receive(type, update);
        this.updates.publish(row.id, type, update);
        begun.held?.silence.receive(type, update);
      },
      onAuthorizationLost: session.noteLoss,
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
      limits,
      tap,
      silence: this.watch(client, session, sends),
      lease,
      resolver: new ChatResolver(),
      downloads: new Downloads(),
      proxyId: row.proxyId,
      network: networkOf(proxy),
      hasProxy: proxy !== undefined,
      writes,
      writing: undefined,
      dirty: false,
      leaving: false,
      callsEnd: undefined,
    };
    begun.held = held;
    opened(held);
    await client.start();
    const ready = whenReady(held);
    tap.started(ready);
    await this.sends.load(sends, this.directories.of(row.id), ready);
    return held;
  }

  private watch(client: TdClient, session: LiveSession, sends: SessionSends): SilenceWatch {
    return new SilenceWatch(
      this.config.telegram.deafAfterMs,
      {
        isIdle: () => client.callsInFlight === 0 && !sends.isBusy,
        probe: () => testConnection(client, PROBE_TIMEOUT_MS),
        renew: () => this.renewals(() => renewConnection(client, () => sleep(RENEWAL_MS, undefined, { ref: false }))),
        suspect: (cause) => session.monitor.suspect(cause),
      },
      CLOCK,
    );
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
    return { kind: 'bot', token: token.toString('utf8'), isAutomatic: true };
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

function startOf(row: SessionEntity): SessionStart {
  const id = row.botId ?? row.accountId ?? undefined;
  const phone = row.formerStatus === null ? undefined : (row.phone ?? undefined);
  return {
    status: row.status,
    since: row.since,
    ...(row.formerStatus !== null && { former: { status: row.formerStatus, since: row.formerSince ?? row.since } }),
    account: { ...(id !== undefined && { id }), ...(phone !== undefined && { phone }) },
  };
}

function networkOf(proxy: ProxySettings | undefined): string {
  return proxy === undefined ? 'the direct connection' : `the proxy ${proxy.type} ${proxy.host}:${proxy.port}`;
}
