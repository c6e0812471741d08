import type { TdClient } from '../../telegram/index.js';
import type { SessionLimits } from '../limits/index.js';
import type { ChatResolver } from './chat-resolver.js';
import type { Downloads } from './downloads.js';
import type { LiveSession } from './live-session.js';
import type { SessionSends } from './sends/session-sends.js';
import type { SessionTap } from './session-taps.js';
import type { SilenceWatch } from './silence-watch.js';
import type { SessionStatus } from './session.entity.js';
import { type Lease, PENDING_STATUSES } from './sessions.repository.js';

/** One open client with what belongs to it. */
export interface Held {
  readonly session: LiveSession;
  readonly lease: Lease;
  readonly resolver: ChatResolver;
  readonly downloads: Downloads;
  readonly client: TdClient;
  readonly sends: SessionSends;
  readonly limits: SessionLimits;
  readonly tap: SessionTap;
  readonly silence: SilenceWatch;
  /** The registered proxy it uses; null for DEFAULT_PROXY or none. */
  proxyId: string | null;
  /** What it connects through, in words; changes with its proxy. */
  network: string;
  hasProxy: boolean;
  /** Nothing is written while the row may still be taken back, and after the session is given up. */
  writes: boolean;
  /** A write is under way; another one follows when `dirty`. */
  writing: Promise<void> | undefined;
  dirty: boolean;
  /** It is being handed over: calls in flight may finish, new ones are for its next worker. */
  leaving: boolean;
  /** Runs while the session is down; its end gives up the calls in flight. */
  callsEnd: NodeJS.Timeout | undefined;
}

/** How long a call may wait for a session that has no connection. */
export const DOWN_CALL_MS = 10_000;

/** Statuses in which a session has no use for its client any more. */
export const ENDED: ReadonlySet<SessionStatus> = new Set(['error', 'expired', 'logged_out', 'banned']);

/** Statuses of a login that goes on. */
export const PENDING: ReadonlySet<SessionStatus> = new Set(PENDING_STATUSES);
