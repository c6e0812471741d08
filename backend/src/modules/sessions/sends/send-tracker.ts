import { setTimeout as sleep } from 'node:timers/promises';
import { Injectable, type OnApplicationShutdown } from '@nestjs/common';
import { messageOf } from '../../../common/errors/index.js';
import { AppLogger } from '../../../common/log/app-logger.js';
import type { TdClient } from '../../../telegram/index.js';
import type { SessionKind } from '../session.dto.js';
import type { Lease } from '../sessions.repository.js';
import { LeftSends } from './left-sends.js';
import { SendJournal } from './send-journal.js';
import { type LeasedSend, SendsRepository } from './sends.repository.js';
import { type SendsWriter, SessionSends } from './session-sends.js';
import { stateOf, type TrackedSend } from './tracked-send.js';

/** What has changed waits so long for more: the journal has it, and one statement writes many. */
const GATHER_MS = 250;
const RETRY_MS = 1_000;
const MAX_ROWS = 1_000;
const SWEEP_EARLY_MS = 15_000;
/** A session that closes does not wait longer for the database: its journal keeps what is not stored. */
const CLOSE_TIMEOUT_MS = 3_000;
/** TDLib answers getMe from its memory. */
const BARRIER_TIMEOUT_MS = 10_000;
/** Without network nothing can be looked for; what is left then is looked for at the next opening. */
const LOOK_AGAIN_MS = 10_000;
const LOOK_ATTEMPTS = 30;

/** The sends of this process's sessions, on their way to the database in batches. */
@Injectable()
export class SendTracker implements SendsWriter, OnApplicationShutdown {
  private readonly sessions = new Map<string, SessionSends>();
  private readonly dirty = new Map<TrackedSend, SessionSends>();
  private readonly logger: AppLogger;
  private readonly sweeping: NodeJS.Timeout;
  private readonly left: LeftSends;
  private writing: Promise<void> = Promise.resolve();
  private gathering: NodeJS.Timeout | undefined;
  private isFailing = false;
  private isStopped = false;

  constructor(
    private readonly repository: SendsRepository,
    logger: AppLogger,
  ) {
    this.logger = logger.for(SendTracker.name);
    this.left = new LeftSends(repository);
    this.sweeping = setInterval(() => this.sweepEarly(), SWEEP_EARLY_MS).unref();
  }

  /** The sends of a session that is open here. */
  of(sessionId: string): SessionSends | undefined {
    return this.sessions.get(sessionId);
  }

  /**
   * To be called before the session's client starts: its first updates may be outcomes.
   * @param hasPast whether the session had a client before
   */
  begin(kind: SessionKind, lease: Lease, hasPast: boolean): SessionSends {
    const sends = new SessionSends(kind, lease, hasPast, this);
    this.sessions.set(lease.sessionId, sends);
    return sends;
  }

  /**
   * To be called when the client has started, and so holds the session's directory: until then a former holder may have
   * written to its journal. Calls have to wait until it is known what became of the former client's sends.
   * @param whenReady settles with the client once it takes calls, with undefined when it never will
   */
  async load(sends: SessionSends, directory: string, whenReady: Promise<TdClient | undefined>): Promise<void> {
    const { journal, left } = SendJournal.open(directory);
    try {
      const ids = left.map(({ id }) => id);
      const hasPast = sends.recovering !== undefined || ids.length > 0;
      const stored = hasPast ? await this.repository.undecidedOf(sends.lease.sessionId, ids) : [];
      sends.load(journal, stored, left);
    } catch (error) {
      journal.close();
      throw error;
    }
    void this.recover(sends, whenReady);
  }

  /**
   * Stores what is known of the session's sends. Call when its client is closed, and before the lease is given up.
   * @param isOver whether the session never opens again: what is in flight then stays unknown
   */
  async close(sends: SessionSends, isOver: boolean): Promise<void> {
    if (sends.isClosed) {
      return;
    }
    sends.end(isOver);
    if (sends.isBusy) {
      let timer: NodeJS.Timeout | undefined;
      const timeout = new Promise<void>((resolve) => {
        timer = setTimeout(resolve, CLOSE_TIMEOUT_MS);
      });
      await Promise.race([this.flush().catch(() => undefined), timeout]);
      clearTimeout(timer);
    }
    if (this.sessions.get(sends.lease.sessionId) === sends) {
      this.sessions.delete(sends.lease.sessionId);
    }
    this.forget(sends);
    sends.close();
  }

  mark(send: TrackedSend, of: SessionSends): void {
    this.dirty.set(send, of);
    this.gather(GATHER_MS);
  }

  failed(reason: unknown, sessionId: string): void {
    this.logger.warn(`the journal of sends was not written: ${messageOf(reason)}`, { sessionId });
  }

  /** Resolves when everything that was known before the call is in the database. */
  flush(): Promise<void> {
    this.writing = this.writing.catch(() => undefined).then(() => this.write());
    return this.writing;
  }

  onApplicationShutdown(): void {
    this.isStopped = true;
    clearInterval(this.sweeping);
    clearTimeout(this.gathering);
  }

  private gather(afterMs: number): void {
    if (this.gathering !== undefined || this.isStopped) {
      return;
    }
    this.gathering = setTimeout(() => {
      this.gathering = undefined;
      this.flush().catch((error: unknown) => {
        if (!this.isFailing) {
          this.isFailing = true;
          this.logger.warn(`sends are not stored for now, their journals keep them: ${messageOf(error)}`);
        }
        this.gather(RETRY_MS);
      });
    }, afterMs).unref();
  }

  private async write(): Promise<void> {
    if (this.dirty.size === 0) {
      return;
    }
    const batch = [...this.dirty];
    this.dirty.clear();
    const sessions = new Set(batch.map(([, of]) => of));
    for (const sends of sessions) {
      sends.journal?.rotate();
    }
    // As they are now: what changes while they are written is marked anew.
    const rows = batch.map(([send, { lease }]): LeasedSend => ({ state: stateOf(send), lease }));
    const written = new Set<string>();
    try {
      for (let at = 0; at < rows.length; at += MAX_ROWS) {
        for (const sessionId of await this.repository.save(rows.slice(at, at + MAX_ROWS))) {
          written.add(sessionId);
        }
      }
    } catch (error) {
      for (const [send, of] of batch) {
        if (!of.isClosed) {
          this.dirty.set(send, of);
        }
      }
      throw error;
    }
    this.isFailing = false;
    for (const [send, of] of batch) {
      if (!this.dirty.has(send)) {
        of.stored(send);
      }
    }
    for (const sends of sessions) {
      // Under a lost lease nothing was written: the journal is left to the next holder.
      if (written.has(sends.lease.sessionId)) {
        sends.journal?.stored();
      }
    }
  }

  private forget(sends: SessionSends): void {
    for (const [send, of] of this.dirty) {
      if (of === sends) {
        this.dirty.delete(send);
      }
    }
  }

  private async recover(sends: SessionSends, whenReady: Promise<TdClient | undefined>): Promise<void> {
    if (sends.recovering === undefined) {
      return;
    }
    const client = await whenReady;
    let isKnown = false;
    try {
      // TDLib tells what it sends again before it answers the first request after its start.
      await client?.request({ '@type': 'getMe' }, { timeoutMs: BARRIER_TIMEOUT_MS });
      isKnown = client !== undefined;
    } catch (error) {
      this.logger.warn(`what was being sent is not known: ${messageOf(error)}`, { sessionId: sends.lease.sessionId });
    }
    const left = sends.recovered(isKnown);
    if (client !== undefined && left.length > 0) {
      await this.conclude(sends, left, client);
    }
  }

  private async conclude(sends: SessionSends, left: readonly TrackedSend[], client: TdClient): Promise<void> {
    for (let attempt = 0; attempt < LOOK_ATTEMPTS && !sends.isClosed; attempt += 1) {
      try {
        await this.left.conclude(client, sends, left, () => this.flush());
        return;
      } catch (error) {
        this.logger.warn(`messages that may have been sent were not looked for yet: ${messageOf(error)}`, {
          sessionId: sends.lease.sessionId,
        });
        await sleep(LOOK_AGAIN_MS, undefined, { ref: false });
      }
    }
  }

  private sweepEarly(): void {
    for (const sends of this.sessions.values()) {
      sends.sweepEarly();
    }
  }
}
