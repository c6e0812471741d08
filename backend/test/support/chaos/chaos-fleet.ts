import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { EmbeddedPostgres } from '../../../src/common/db/embedded-postgres.js';
import { ProductProcess } from '../process.js';
import { startTelegram, type TestTelegram } from '../telegram.js';
import { until } from '../until.js';
import { Wire } from '../wire.js';
import type { Fault } from './fault-plan.js';

/** How many processes there are. */
export interface FleetSize {
  readonly workers: number;
  readonly gateways: number;
}

interface Worker {
  readonly id: string;
  process: ProductProcess;
  /** Between it and whoever asks it for something. */
  readonly wire: Wire;
  readonly advertised: string;
  /** Whether it is to be started again when it ends. */
  isWatched: boolean;
}

/** An address that answers nobody; the wire leads elsewhere as soon as the process is there. */
const NOWHERE = new URL('http://127.0.0.1:1');
const FREEZES = `--import=${join(__dirname, '..', 'freeze-on-signal.mjs')}`;
const PASSWORD = 'of-the-chaos';
/** Dead ones are counted until PostgreSQL restarts. */
const MAX_CONNECTIONS = 500;
const LOOK_MS = 100;
const POSTGRES_AWAY_MS = 5_000;
/** How long one may take that is slow because of what else happens. */
const PATIENCE_MS = 120_000;

/**
 * Gateways and workers on one volume and a PostgreSQL of their own, with wires between them, and a supervisor that starts again what
 * ended.
 */
export class ChaosFleet {
  /** What happened, and when. */
  readonly record: string[] = [];
  /** Ends of processes that nothing explains. */
  readonly unexpected: string[] = [];
  private readonly workers = new Map<string, Worker>();
  private readonly gateways: ProductProcess[] = [];
  /** What processes have written that are gone. */
  private readonly ended: string[] = [];
  private databaseUrl = '';
  private began = performance.now();
  private turn = 0;
  private isOver = false;
  private supervising: Promise<void> = Promise.resolve();

  private constructor(
    readonly telegram: TestTelegram,
    private readonly dir: string,
    private postgres: EmbeddedPostgres,
    private readonly database: Wire,
  ) {}

  static async start({ workers, gateways }: FleetSize): Promise<ChaosFleet> {
    const telegram = await startTelegram();
    const dir = mkdtempSync(join(tmpdir(), 'tgcontrol-chaos-'));
    const postgres = await startPostgres(dir);
    const fleet = new ChaosFleet(telegram, dir, postgres, new Wire(new URL(postgres.url)));
    try {
      fleet.databaseUrl = await fleet.database.open();
      for (let number = 1; number <= workers; number += 1) await fleet.addWorker(`w${number}`);
      for (let number = 1; number <= gateways; number += 1) {
        fleet.gateways.push(await ProductProcess.start('gateway', fleet.envOf({})));
      }
    } catch (error) {
      await fleet.stop();
      throw error;
    }
    fleet.supervising = fleet.supervise();
    return fleet;
  }

  /** The gateways take turns. */
  get gateway(): ProductProcess {
    const next = this.gateways[(this.turn += 1) % this.gateways.length];
    if (next === undefined) throw new Error('there is no gateway');
    return next;
  }

  /** Time in the record counts from here. */
  begin(): void {
    this.began = performance.now();
  }

  note(text: string): void {
    this.record.push(`${((performance.now() - this.began) / 1_000).toFixed(1).padStart(6)} s  ${text}`);
  }

  /** What the processes have written. */
  get outputs(): readonly string[] {
    return [...this.ended, ...this.processes.map(({ output }) => output)];
  }

  /** Asks until there is an answer that is not about the fleet. @returns its `result` */
  settled(what: string, method: string, path: string, body?: object): Promise<Record<string, unknown>> {
    return until(
      what,
      async () => {
        const answer = await this.gateway.ask(method, path, body);
        if (answer.body.result === undefined) throw new Error(JSON.stringify(answer.body));
        return answer.body.result;
      },
      PATIENCE_MS,
    );
  }

  /** Resolves when it is over. @param sessions paths that may be moved */
  async commit(fault: Fault, sessions: readonly string[]): Promise<void> {
    const id = `w${fault.worker}`;
    const worker = this.workers.get(id);
    const session = sessions[Math.floor(fault.choice * sessions.length)];
    if (worker === undefined || session === undefined) throw new Error('there is nothing to harm');
    const { seconds } = fault;
    const lasting = `for ${seconds.toFixed(1)} s`;
    switch (fault.kind) {
      case 'kill':
        this.note(`SIGKILL to ${id}`);
        await this.replace(worker, () => worker.process.end('SIGKILL'));
        return;
      case 'end': {
        this.note(`SIGTERM to ${id}`);
        await this.replace(worker, async () => {
          const code = await worker.process.end('SIGTERM');
          if (code !== 0) this.lookAtEnd(worker);
        });
        return;
      }
      case 'stop':
        this.note(`SIGSTOP to ${id} ${lasting}`);
        worker.process.signal('SIGSTOP');
        await sleep(seconds * 1_000);
        worker.process.signal('SIGCONT');
        return;
      case 'freeze':
        this.note(`the event loop of ${id} is blocked for good`);
        await this.replace(worker, async () => {
          worker.process.signal('SIGUSR2');
          // While the database is away nobody takes its sessions, and it is left alone.
          await until('the watchdog', () => worker.process.hasEnded, PATIENCE_MS);
        });
        return;
      case 'postgres':
        this.note('PostgreSQL restarts, 5 s away');
        await this.postgres.stop();
        await sleep(POSTGRES_AWAY_MS);
        this.postgres = await startPostgres(this.dir);
        this.database.leadTo(new URL(this.postgres.url));
        return;
      case 'deadConnections':
        this.note('all connections to PostgreSQL die without a word');
        this.database.abandon();
        return;
      case 'cut':
        this.note(`nobody can connect to ${id} ${lasting}`);
        await this.withoutWire(worker, seconds);
        return;
      case 'silence':
        this.note(`nothing passes between ${id} and the gateways ${lasting}`);
        worker.wire.freeze(true);
        await sleep(seconds * 1_000);
        worker.wire.freeze(false);
        // What was on its way is lost, so that the connections are of no use any more.
        await this.withoutWire(worker, 0);
        return;
      case 'join':
        this.note(`a worker joins, and leaves after ${seconds.toFixed(1)} s`);
        await this.addWorker('guest');
        await sleep(seconds * 1_000);
        await this.removeWorker('guest');
        return;
      case 'move': {
        const { status } = await this.gateway.ask('POST', `${session}/move`, {});
        this.note(`a session is told to move: ${status}`);
        return;
      }
      case 'drain':
        this.note(`${id} is drained ${lasting}`);
        await this.gateway.ask('POST', `/v1/workers/${id}/drain`);
        await sleep(seconds * 1_000);
        await until(
          'the end of the drain',
          async () => (await this.gateway.ask('POST', `/v1/workers/${id}/undrain`)).status < 500,
          PATIENCE_MS,
        );
        return;
    }
  }

  async stop(): Promise<void> {
    this.isOver = true;
    await this.supervising;
    await Promise.all(this.processes.map((each) => each.end('SIGTERM').catch(() => each.end('SIGKILL'))));
    for (const { wire } of this.workers.values()) wire.cut();
    this.database.cut();
    await this.postgres.stop();
    await this.telegram.stop();
    rmSync(this.dir, { recursive: true, force: true });
  }

  private get processes(): readonly ProductProcess[] {
    return [...this.gateways, ...[...this.workers.values()].map((worker) => worker.process)];
  }

  private envOf(env: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
    return {
      ...this.telegram.env,
      DATABASE_URL: this.databaseUrl,
      DATA_DIR: join(this.dir, 'data'),
      LOG_LEVEL: process.env['FLEET_CHAOS_LOG_LEVEL'] ?? 'fatal',
      ...env,
    };
  }

  /** Without the database a process does not start; a supervisor tries again. */
  private startProcess(id: string, advertised: string): Promise<ProductProcess> {
    const env = this.envOf({ WORKER_ID: id, WORKER_ADVERTISE: advertised, NODE_OPTIONS: FREEZES });
    return until(`${id} to start`, () => ProductProcess.start('worker', env), PATIENCE_MS);
  }

  private async addWorker(id: string): Promise<void> {
    const wire = new Wire(NOWHERE);
    const { origin } = new URL(await wire.open());
    const started = await this.startProcess(id, origin);
    wire.leadTo(new URL(started.url));
    this.workers.set(id, { id, process: started, wire, advertised: origin, isWatched: true });
  }

  private async removeWorker(id: string): Promise<void> {
    const worker = this.workers.get(id);
    if (worker === undefined) return;
    worker.isWatched = false;
    await worker.process.end('SIGTERM');
    this.workers.delete(id);
    worker.wire.cut();
  }

  /** Has it end, and starts it again. */
  private async replace(worker: Worker, end: () => Promise<unknown>): Promise<void> {
    // It may have ended by itself a moment ago, and be on its way back.
    await until(`${worker.id} to be there`, () => worker.isWatched, PATIENCE_MS);
    worker.isWatched = false;
    await end();
    await this.startAgain(worker);
  }

  private async startAgain(worker: Worker): Promise<void> {
    this.ended.push(worker.process.output);
    worker.process = await this.startProcess(worker.id, worker.advertised);
    worker.wire.leadTo(new URL(worker.process.url));
    worker.isWatched = true;
  }

  private async withoutWire(worker: Worker, seconds: number): Promise<void> {
    worker.wire.cut();
    await sleep(seconds * 1_000);
    await worker.wire.open(Number(new URL(worker.advertised).port));
  }

  /** Nothing but its own watchdog may end a process. */
  private lookAtEnd({ id, process: ended }: Worker): void {
    if (!ended.output.includes('was not renewed')) this.unexpected.push(`${id} ended: ${ended.output.slice(-2_000)}`);
  }

  private async supervise(): Promise<void> {
    while (!this.isOver) {
      for (const worker of this.workers.values()) {
        if (!worker.isWatched || !worker.process.hasEnded) continue;
        worker.isWatched = false;
        this.note(`${worker.id} has ended by itself`);
        this.lookAtEnd(worker);
        await this.startAgain(worker);
      }
      await sleep(LOOK_MS);
    }
  }
}

function startPostgres(dir: string): Promise<EmbeddedPostgres> {
  return EmbeddedPostgres.start({ dir: join(dir, 'postgres'), password: PASSWORD, maxConnections: MAX_CONNECTIONS });
}
