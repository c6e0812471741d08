import { deserialize, serialize } from 'node:v8';
import type { AccountsState } from './accounts.js';
import type { AuthorizationsState } from './authorizations.js';
import type { ChatsState } from './chats.js';
import type { CodesState } from './codes.js';
import type { FaultsState } from './faults.js';
import type { FilesState } from './files.js';
import type { LoginTokensState } from './login-tokens.js';
import type { PostingState } from './posting.js';
import type { RulesState } from './rules.js';
import type { ScheduledState } from './scheduled.js';

/** Raised when a stored state changes its shape. */
const VERSION = 1;

/** Everything a world knows but the bytes of its files. */
export interface WorldState {
  readonly clockOffsetMs: number;
  readonly accounts: AccountsState;
  readonly authorizations: AuthorizationsState;
  readonly chats: ChatsState;
  readonly codes: CodesState;
  readonly faults: FaultsState;
  readonly files: FilesState;
  readonly loginTokens: LoginTokensState;
  readonly posting: PostingState;
  readonly rules: RulesState;
  readonly scheduled: ScheduledState;
}

/** A stored state was written by another version of the sandbox. */
export class SnapshotVersionError extends Error {
  constructor(found: unknown) {
    super(`this state has version ${String(found)}, and only version ${String(VERSION)} can be read`);
    this.name = 'SnapshotVersionError';
  }
}

/**
 * The structured clone algorithm keeps maps, bigints and, above all, identity: the copies of a message go on sharing one
 * content (https://nodejs.org/api/v8.html#serialization-api).
 */
export function freezeState(state: WorldState): Buffer {
  return serialize({ version: VERSION, state });
}

/** @throws SnapshotVersionError */
export function thawState(frozen: Buffer): WorldState {
  const { version, state } = deserialize(frozen) as { version: unknown; state: WorldState };
  if (version !== VERSION) throw new SnapshotVersionError(version);
  return state;
}
