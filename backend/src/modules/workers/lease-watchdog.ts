import { Worker } from 'node:worker_threads';
import type { LeaseClock } from './lease-clock.js';

/** What the thread gets. */
export interface WatchdogData {
  readonly memory: SharedArrayBuffer;
  readonly databaseUrl: string;
  readonly workerId: string;
}

/** It holds a connection's buffers and hardly more. */
const THREAD_HEAP_MB = 32;

/**
 * Starts the thread that ends this process when its lease is not renewed (`lease-watch.ts`). It has its own event loop, so that
 * a frozen one cannot stop it, and nothing of TDLib.
 * @returns what ends the thread
 */
export function startLeaseWatchdog(clock: LeaseClock, databaseUrl: string, workerId: string): () => Promise<void> {
  const thread = new Worker(new URL('./lease-watchdog-thread.js', import.meta.url), {
    workerData: { memory: clock.memory, databaseUrl, workerId } satisfies WatchdogData,
    resourceLimits: { maxOldGenerationSizeMb: THREAD_HEAP_MB },
    execArgv: [],
  });
  thread.unref();
  return async () => {
    await thread.terminate();
  };
}
