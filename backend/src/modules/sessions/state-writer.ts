import type { AppLogger } from '../../common/log/app-logger.js';
import type { Held } from './held-session.js';
import { reportOf } from './session-state.js';
import type { SessionsRepository } from './sessions.repository.js';

const WRITE_RETRY_MS = 1_000;

/** What the writer has to know of those whose states it writes. */
export interface StateWriterEvents {
  /** Another claim has taken the session: nothing was written. */
  lost(held: Held): void;
  /** A process that ends tries once only. */
  isStopping(): boolean;
}

/** Writes to the registry what the clients of this process show: for each session one write at a time, the newest state last. */
export class StateWriter {
  constructor(
    private readonly repository: SessionsRepository,
    private readonly logger: AppLogger,
    private readonly events: StateWriterEvents,
  ) {}

  /** @param release gives the session up with this write */
  write(held: Held, release = false): void {
    if (!held.writes) {
      return;
    }
    held.dirty = true;
    if (held.writing === undefined || release) {
      held.writing = this.writeAll(held, held.writing, release).finally(() => {
        held.writing = undefined;
      });
    }
  }

  private async writeAll(held: Held, before: Promise<void> | undefined, release: boolean): Promise<void> {
    await before;
    while (held.dirty || release) {
      held.dirty = false;
      try {
        const isOurs = await this.repository.report(held.lease, { ...reportOf(held), release });
        if (!isOurs && held.writes) {
          held.writes = false;
          this.events.lost(held);
        }
        return;
      } catch (error) {
        this.logger.failure('the state of a session was not written', error, { sessionId: held.session.id });
        held.dirty = true;
        if (this.events.isStopping()) {
          return;
        }
        await new Promise((resolve) => setTimeout(resolve, WRITE_RETRY_MS).unref());
      }
    }
  }
}
