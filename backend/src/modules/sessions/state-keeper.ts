import { setTimeout as sleep } from 'node:timers/promises';
import { type BeforeApplicationShutdown, Injectable, type OnApplicationBootstrap } from '@nestjs/common';
import { SessionStates } from '../states/index.js';
import { HeldSessions } from './held-sessions.js';
import { SessionDirectories } from './session-directories.js';

const EVERY_MS = 500;

/** Saves the states of open sessions to STATE_STORE from time to time, while they work. */
@Injectable()
export class StateKeeper implements OnApplicationBootstrap, BeforeApplicationShutdown {
  private readonly stopping = new AbortController();
  private running: Promise<void> = Promise.resolve();

  constructor(
    private readonly sessions: HeldSessions,
    private readonly directories: SessionDirectories,
    private readonly states: SessionStates,
  ) {}

  onApplicationBootstrap(): void {
    if (this.states.isOn) this.running = this.loop();
  }

  async beforeApplicationShutdown(): Promise<void> {
    this.stopping.abort();
    await this.running;
  }

  private async loop(): Promise<void> {
    const { signal } = this.stopping;
    while (!signal.aborted) {
      // Whom the store or the session itself holds up holds up nobody else: how many are saved at once is bounded.
      const due = this.sessions.all.filter(
        ({ session, writes, lease }) => writes && session.isReady && this.states.isDue(lease),
      );
      await Promise.all(due.map(({ lease }) => this.directories.save(lease, 'running')));
      await sleep(EVERY_MS, undefined, { signal }).catch(() => undefined);
    }
  }
}
