import { writeSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { workerData } from 'node:worker_threads';
import { OwnConnection } from '../../common/db/own-connection.js';
import { LeaseClock } from './lease-clock.js';
import { LeaseWatch } from './lease-watch.js';
import type { WatchdogData } from './lease-watchdog.js';

const { memory, databaseUrl, workerId, isAlwaysFatal } = workerData as WatchdogData;
const clock = new LeaseClock(memory);
const connection = new OwnConnection(databaseUrl, 1_000);

const watch = new LeaseWatch({
  leftMs: () => clock.leftMs,
  canOthersClaim: async () => {
    if (isAlwaysFatal) return true;
    try {
      // A standby lets nobody claim.
      const [row] = await connection.rows<{ standby: boolean }>('SELECT pg_is_in_recovery() AS standby');
      return row?.standby === false;
    } catch {
      return false;
    }
  },
  kill: (leftMs) => {
    // The thread's own standard error goes through the event loop that may be frozen.
    writeSync(
      2,
      `tgcontrol: the lease of worker ${workerId} was not renewed and ends in ${leftMs} ms: the process was stopped, its event ` +
        'loop was blocked or its database is away. It ends before others take its sessions over; start it again\n',
    );
    process.kill(process.pid, 'SIGKILL');
  },
});

for (;;) {
  const pauseMs = await watch.look();
  if (pauseMs === undefined) break;
  await sleep(pauseMs);
}
