import { writeFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { ChaosFleet } from './support/chaos/chaos-fleet.js';
import { ChaosLoad } from './support/chaos/chaos-load.js';
import { FAULTS, type FaultKind, faultSteps } from './support/chaos/fault-plan.js';

const setting = (name: string, otherwise: number): number => Number(process.env[`FLEET_CHAOS_${name}`] ?? otherwise);

/** In short; the long way is `npm run chaos`. */
const SECONDS = setting('SECONDS', 12);
const SESSIONS = setting('SESSIONS', 4);
const WORKERS = setting('WORKERS', 2);
const GATEWAYS = setting('GATEWAYS', 1);
/** The same one makes the same faults in the same order. */
const SEED = setting('SEED', 1);
/** The longest fault. */
const FAULT_SECONDS = setting('FAULT_SECONDS', 3);
const POOL_BOTS = setting('POOL_BOTS', 2);
/** How often a fault begins while another one lasts. */
const TOGETHER = setting('TOGETHER', 0);
/** A run of a few seconds has no time for more. */
const IN_SHORT: readonly FaultKind[] = ['kill', 'postgres', 'stop', 'end', 'cut', 'move'];
const KINDS = process.env['FLEET_CHAOS_FAULTS']?.split(',') ?? (SECONDS < 60 ? IN_SHORT : FAULTS);
/** A file for what the processes have written, which is more with FLEET_CHAOS_LOG_LEVEL=warn. */
const LOG = process.env['FLEET_CHAOS_LOG'];
const PAUSE_MS = 500;

jest.setTimeout(900_000 + SECONDS * 2_000);

describe('a fleet in chaos', () => {
  let fleet: ChaosFleet;

  beforeAll(async () => {
    fleet = await ChaosFleet.start({ workers: WORKERS, gateways: GATEWAYS });
  });

  afterAll(() => fleet.stop());

  it('uses no key twice, doubles and loses no send, stores every update and object, and has every session back', async () => {
    const load = await ChaosLoad.prepare(fleet, { sessions: SESSIONS, poolBots: POOL_BOTS });
    fleet.begin();
    load.begin();
    let faults = 0;
    const began = performance.now();
    const isOver = (): boolean => performance.now() - began >= SECONDS * 1_000;
    try {
      const kinds = FAULTS.filter((kind) => KINDS.includes(kind));
      const plan = { seed: SEED, kinds, workers: WORKERS, seconds: FAULT_SECONDS, together: TOGETHER };
      for (const step of faultSteps(plan)) {
        if (isOver()) break;
        await Promise.all(step.map((fault) => fleet.commit(fault, load.paths)));
        faults += step.length;
        await sleep(PAUSE_MS);
      }
      fleet.note('over');
      await load.end();
      fleet.note('all that was begun has ended');
    } finally {
      const size = `${SESSIONS} sessions, ${WORKERS} workers, ${GATEWAYS} gateways`;
      const record = [`seed ${SEED}: ${faults} faults, ${size}`, ...fleet.record, ...load.summary, ...fleet.unexpected];
      process.stdout.write(`${record.join('\n')}\n`);
      if (LOG !== undefined) writeFileSync(LOG, fleet.outputs.join('\n'));
    }
    await load.hasEverySession();
    expect(fleet.telegram.control.keyConflicts()).toEqual([]);
    expect(fleet.unexpected).toEqual([]);
    await load.hasEachSendOnce();
    await load.hasEveryUpdate();
    await load.hasEveryObject();
  });
});
