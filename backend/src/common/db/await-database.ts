import { setTimeout as sleep } from 'node:timers/promises';
import { DatabaseUnavailableError, StartupError, causesOf } from '../errors/index.js';
import { DatabaseClient } from './database-client.js';

const CONNECT_TIMEOUT_MS = 5_000;
const AGAIN_MS = 500;
/** So often it is said that the start still waits. */
const SAY_EVERY_MS = 10_000;

export interface AwaitOptions {
  /** How long it is tried, in milliseconds. */
  readonly waitMs: number;
  readonly warn: (message: string) => void;
  /** Ends the wait, because the process is to end. */
  readonly signal?: AbortSignal | undefined;
}

/**
 * Resolves when PostgreSQL takes connections: what starts together with it, or is started again while it is away, need not fail.
 * A refusal, such as that of a wrong password, is no absence and is not waited for.
 * @throws DatabaseUnavailableError when it has not answered within the time; StartupError when the process is to end; the driver's
 *   own error for a refusal
 */
export async function awaitDatabase(url: string, { waitMs, warn, signal }: AwaitOptions): Promise<void> {
  const deadline = performance.now() + waitMs;
  let sayAt = 0;
  for (;;) {
    try {
      await connectOnce(url);
      return;
    } catch (error) {
      const now = performance.now();
      if (!(error instanceof DatabaseUnavailableError) || now >= deadline) throw error;
      if (now >= sayAt) {
        sayAt = now + SAY_EVERY_MS;
        const left = Math.ceil((deadline - now) / 1000);
        warn(`the database of DATABASE_URL does not answer; waiting up to ${left} s for it: ${causesOf(error.cause)}`);
      }
      await sleep(Math.min(AGAIN_MS, deadline - now), undefined, { signal }).catch(() => undefined);
      if (signal?.aborted) throw new StartupError('ended while it waited for the database');
    }
  }
}

async function connectOnce(url: string): Promise<void> {
  const client = new DatabaseClient({
    connectionString: url,
    application_name: 'tgcontrol start',
    connectionTimeoutMillis: CONNECT_TIMEOUT_MS,
  });
  try {
    await client.connect();
  } finally {
    // Not awaited: a server that was cut off never says goodbye.
    client.end().catch(() => undefined);
  }
}
