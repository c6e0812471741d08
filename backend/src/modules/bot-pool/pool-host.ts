import type { DispatcherStatus } from './dispatcher/dispatcher.js';
import type { StoredPart } from './dispatcher/part.js';
import type { PoolPart } from './pool-part.js';

/** A message that carries a part, and has been noted as a blob. */
export interface KeptPart extends StoredPart {
  /** Of the blob: that of the part, or another one if the part had to be stored anew. */
  readonly id: string;
}

/**
 * Whoever runs a pool's dispatcher: one worker, by its lease. In a gateway every question goes there. A pool that has just been
 * made, and one whose worker has died, is run by nobody for a moment: all methods wait for that, and then refuse.
 */
export abstract class PoolHost {
  /**
   * Stores a part, and notes the message as a blob. Aborted, it still tells what became of it: a message that
   * was stored just then is the caller's to delete.
   * @throws PoolClosedError, PoolSaturatedError, NoUsableBotError, PartDeadlineError, PartAttemptsError, PartRefusedError,
   *   PartAbortedError
   */
  abstract store(poolId: string, part: PoolPart, signal: AbortSignal): Promise<KeptPart>;

  /**
   * Whether an upload may begin: what would be refused later is refused before its body is read.
   * @param maxWaitMs how long its first part may have to wait
   * @throws PoolClosedError, PoolPausedError, PoolSaturatedError, NoUsableBotError
   */
  abstract admit(poolId: string, maxWaitMs?: number): Promise<void>;

  /** A bot has left the pool: what it is sending is taken back at once, and goes to another one. */
  abstract evict(poolId: string, botId: string): Promise<void>;

  /** The key that the pool's messages are encrypted with: 32 bytes. @throws PoolClosedError, MasterKeyMismatchError */
  abstract key(poolId: string): Promise<Buffer>;

  /** @throws PoolClosedError */
  abstract status(poolId: string): Promise<DispatcherStatus>;
}
