import { Worker } from 'node:worker_threads';
import type { LeaseClock } from './lease-clock.js';

/** What the thread gets. */
export interface WatchdogData {
  readonly memory: SharedArrayBuffer;
  readonly databaseUrl: string;
  readonly workerId: string;
  /** Whether a lease that is not renewed ends the process also while nobody can reach the database. */
  readonly isAlwaysFatal: boolean;
}

/** It holds a connection's buffers and hardly more. */
const THREAD_HEAP_MB = 32;

/**
 * Starts the thread that ends this process when its lease is not renewed (`lease-watch.ts`). It has its own event loop, so that
 * a frozen one cannot stop it, and nothing of TDLib.
 * @param isAlwaysFatal see {@link WatchdogData.isAlwaysFatal}
 * @returns what ends the thread
 */
export function startLeaseWatchdog(
  clock: LeaseClock,
  databaseUrl: string,
  workerId: string,
  isAlwaysFatal: boolean,
): () => Promise<void> {
  const thread = new Worker(new URL('./lease-watchdog-thread.js', import.meta.url), {
    workerData: { memory: clock.memory, databaseUrl, workerId, isAlwaysFatal } satisfies WatchdogData,
    resourceLimits: { maxOldGenerationSizeMb: THREAD_HEAP_MB },
    execArgv: [],
  });
  thread.unref();
  return async () => {
    await thread.terminate();
  };
}
