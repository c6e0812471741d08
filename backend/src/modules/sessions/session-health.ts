import { objectMember, stringMember, type TdObject } from '../../telegram/index.js';
import type { SessionStatus } from './session.entity.js';

/** How well a session is connected, apart from its status. */
export interface Health {
  readonly level: 'ok' | 'degraded' | 'down';
  /** In words; absent when all is well. */
  readonly cause?: string;
}

const OK: Health = { level: 'ok' };

/** Why a session does not work that is not meant to: by its operator's wish, or because its authorization is gone. */
const AT_REST: Readonly<Partial<Record<SessionStatus, string>>> = {
  stopped: 'stopped by its operator',
  logged_out: 'Telegram has ended the authorization',
  banned: 'Telegram has banned the account',
  expired: 'the authorization is gone from here',
  error: 'the login has failed',
};

/**
 * The health of a session whose status alone says that it does not work; undefined for the other statuses, where its connection
 * decides.
 * @param lastError why it ended, in words
 */
export function healthAtRest(status: SessionStatus, lastError: string | undefined): Health | undefined {
  const words = AT_REST[status];
  return words === undefined
    ? undefined
    : { level: 'down', cause: status === 'stopped' ? words : (lastError ?? words) };
}

/** Ordinary reconnects are over before this; only what lasts longer is worth telling. */
export const HEALTH_GRACE_MS = 5_000;

/**
 * Follows a client's updateConnectionState. A state is reported once it has lasted, a good one at once. The caller gives the
 * timer, so that tests drive it.
 */
export class HealthMonitor {
  private current: Health = OK;
  private connected: Health = OK;
  private suspicion: Health | undefined;
  private pending: (() => void) | undefined;
  private state = '';
  private changedAt: Date;

  /**
   * @param network what the session connects through, in words
   * @param later runs a function after a time and gives back its cancelling
   */
  constructor(
    private readonly network: () => string,
    private readonly changed: () => void,
    private readonly later: (work: () => void, afterMs: number) => () => void,
    private readonly now: () => Date = () => new Date(),
  ) {
    this.changedAt = now();
  }

  /** Since when the health is what it is. */
  get since(): Date {
    return this.changedAt;
  }

  get health(): Health {
    return this.current;
  }

  /** Whether the client's last word was that it is connected. */
  get isConnected(): boolean {
    return this.state === 'connectionStateReady' || this.state === 'connectionStateUpdating';
  }

  /** @param update updateConnectionState */
  connection(update: TdObject): void {
    const state = objectMember(update, 'state');
    const type = state === undefined ? '' : stringMember(state, '@type');
    if (type === this.state) {
      return;
    }
    this.state = type;
    this.cancel();
    if (this.isConnected) {
      this.setConnected(OK);
      return;
    }
    this.pending = this.later(() => this.setConnected(this.describe(type)), HEALTH_GRACE_MS);
  }

  /** Why the session is not trusted although it is connected; undefined when it is. */
  suspect(cause: string | undefined): void {
    this.suspicion = cause === undefined ? undefined : { level: 'degraded', cause };
    this.update();
  }

  /** Forgets a running timer; call when the client closes. */
  cancel(): void {
    this.pending?.();
    this.pending = undefined;
  }

  private describe(type: string): Health {
    switch (type) {
      case 'connectionStateConnectingToProxy':
        return { level: 'down', cause: `cannot connect to ${this.network()}` };
      case 'connectionStateConnecting':
        return { level: 'down', cause: `no answer from Telegram through ${this.network()}` };
      default:
        return { level: 'down', cause: 'no network' };
    }
  }

  private setConnected(health: Health): void {
    this.connected = health;
    this.update();
  }

  private update(): void {
    const health = this.connected.level === 'ok' ? (this.suspicion ?? OK) : this.connected;
    if (health.level !== this.current.level || health.cause !== this.current.cause) {
      if (health.level !== this.current.level) {
        this.changedAt = this.now();
      }
      this.current = health;
      this.changed();
    }
  }
}
