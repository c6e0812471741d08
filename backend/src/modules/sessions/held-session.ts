import type { TdClient } from '../../telegram/index.js';
import type { ChatResolver } from './chat-resolver.js';
import type { LiveSession } from './live-session.js';
import type { SessionSends } from './sends/session-sends.js';
import type { SessionStatus } from './session.entity.js';
import { type Lease, PENDING_STATUSES } from './sessions.repository.js';

/** One open client with what belongs to it. */
export interface Held {
  readonly session: LiveSession;
  readonly lease: Lease;
  readonly resolver: ChatResolver;
  readonly client: TdClient;
  readonly sends: SessionSends;
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
}

/** Statuses in which a session has no use for its client any more. */
export const ENDED: ReadonlySet<SessionStatus> = new Set(['error', 'expired', 'logged_out', 'banned']);

/** Statuses of a login that goes on. */
export const PENDING: ReadonlySet<SessionStatus> = new Set(PENDING_STATUSES);
