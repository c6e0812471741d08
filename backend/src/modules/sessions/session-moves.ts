import { setTimeout as sleep } from 'node:timers/promises';
import { type BeforeApplicationShutdown, Injectable, type OnApplicationBootstrap } from '@nestjs/common';
import { messageOf, NoLiveWorkerError, NotFoundError } from '../../common/errors/index.js';
import { AppLogger } from '../../common/log/app-logger.js';
import { WorkerDirectory, WorkerLease, type WorkerRow } from '../workers/index.js';
import { bestTarget, canTake, fairMoves } from './fair-share.js';
import { HeldSessions } from './held-sessions.js';
import { SessionMovingError, WorkerUnsuitableError } from './sessions.errors.js';

const EVERY_MS = 1_000;
/** A fair share comes in small steps, a drain as fast as sessions close. */
const BALANCE_STEP = 2;
const DRAIN_STEP = 8;

/** Brings sessions of this worker to others: one that was asked for, what is above a fair share, and all of them in a drain. */
@Injectable()
export class SessionMoves implements OnApplicationBootstrap, BeforeApplicationShutdown {
  private readonly logger: AppLogger;
  private readonly stopping = new AbortController();
  private running: Promise<void> = Promise.resolve();

  constructor(
    private readonly sessions: HeldSessions,
    private readonly directory: WorkerDirectory,
    private readonly lease: WorkerLease,
    logger: AppLogger,
  ) {
    this.logger = logger.for(SessionMoves.name);
  }

  onApplicationBootstrap(): void {
    this.running = this.loop();
  }

  async beforeApplicationShutdown(): Promise<void> {
    this.stopping.abort();
    await this.running;
  }

  /** Whether this worker is drained and there is one that can take its sessions. */
  async isGivingUp(): Promise<boolean> {
    const workers = await this.directory.all();
    const self = this.selfIn(workers);
    return self?.draining === true && bestTarget(self, workers) !== undefined;
  }

  /**
   * Hands a session of this worker over. It is closed and given free when this resolves; the other worker opens it at once.
   * @param to the worker's id; the one with the fewest sessions when absent
   * @returns the worker's id
   * @throws NotFoundError, WorkerUnsuitableError, NoLiveWorkerError, SessionMovingError, SessionNotReadyError
   */
  async move(id: string, to: string | undefined): Promise<string> {
    if (to === this.lease.workerId) return to;
    const held = this.sessions.get(id);
    held?.session.readyClient();
    this.directory.expire();
    const target = this.targetOf(await this.directory.all(), to);
    if (held === undefined || !(await this.sessions.handOver(id, target))) {
      throw new SessionMovingError(false);
    }
    this.logger.info('a session was handed over', { sessionId: id, to: target });
    return target;
  }

  private targetOf(workers: readonly WorkerRow[], to: string | undefined): string {
    const self = this.selfIn(workers);
    if (self === undefined) throw new NoLiveWorkerError('this worker is not registered');
    if (to === undefined) {
      const best = bestTarget(self, workers);
      if (best === undefined) throw new NoLiveWorkerError('no other worker with this DATA_DIR has room');
      return best.id;
    }
    const target = workers.find(({ id }) => id === to);
    if (target === undefined) throw new NotFoundError('worker', to);
    if (!canTake(target, self)) throw new WorkerUnsuitableError(to, whyNot(target, self));
    return to;
  }

  private async loop(): Promise<void> {
    const { signal } = this.stopping;
    for (;;) {
      try {
        await sleep(EVERY_MS, undefined, { signal });
      } catch {
        return;
      }
      try {
        await this.share();
      } catch (error) {
        this.logger.warn(`sessions were not shared out: ${messageOf(error)}`);
      }
    }
  }

  private async share(): Promise<void> {
    const workers = await this.directory.all();
    const self = this.selfIn(workers);
    if (self === undefined || !this.lease.mayServe || this.stopping.signal.aborted) return;
    const targets = fairMoves(self, workers, self.draining ? DRAIN_STEP : BALANCE_STEP);
    if (targets.length === 0) return;
    // Those that do something last.
    const idle = this.sessions.all
      .filter(({ session, leaving }) => session.isReady && !leaving)
      .toSorted((a, b) => a.client.callsInFlight - b.client.callsInFlight);
    const moves = targets.flatMap((to, n) => {
      const held = idle[n];
      return held === undefined ? [] : [{ id: held.session.id, to }];
    });
    await Promise.all(
      moves.map(async ({ id, to }) => {
        if (await this.sessions.handOver(id, to)) {
          this.logger.info('a session was handed over', { sessionId: id, to });
        }
      }),
    );
    // The next look must see what has gone.
    this.directory.expire();
  }

  private selfIn(workers: readonly WorkerRow[]): WorkerRow | undefined {
    return workers.find(({ id }) => id === this.lease.workerId);
  }
}

function whyNot(target: WorkerRow, self: WorkerRow): string {
  if (!target.alive) return 'it is dead';
  if (target.draining) return 'it is being drained';
  return target.volume === self.volume
    ? 'it has no room for more sessions, or no memory'
    : 'it has another DATA_DIR, so it has not the session';
}
