import { Injectable, type OnModuleInit } from '@nestjs/common';
import type { WorkerAddress } from '../../common/cluster/index.js';
import {
  KindMismatchError,
  NoLiveWorkerError,
  NotFoundError,
  SessionNotReadyError,
} from '../../common/errors/index.js';
import { Notifications } from '../../common/db/notifications.js';
import { Remembered } from '../../common/db/remembered.js';
import type { SessionKind } from './session.dto.js';
import { type SessionRoute, SessionsRepository } from './sessions.repository.js';

/** A change is told at once by NOTIFY; this is for the case that one is lost. */
const FRESH_MS = 5_000;

/** Which worker has a session. Remembered until the database tells of a change, so that calls do no database work. */
@Injectable()
export class SessionRoutes implements OnModuleInit {
  private readonly known: Remembered<SessionRoute>;
  private readonly waiting = new Map<string, Set<() => void>>();

  constructor(
    repository: SessionsRepository,
    private readonly notifications: Notifications,
  ) {
    this.known = new Remembered((id) => repository.route(id), { freshMs: FRESH_MS, usableMs: 60_000, maxKeys: 10_000 });
  }

  onModuleInit(): void {
    this.notifications.subscribe('session_routed', (id) => {
      if (id === undefined) this.known.doubt();
      else this.known.forget(id);
      for (const each of id === undefined ? this.waiting.keys() : [id]) this.tell(each);
    });
    this.notifications.subscribe('worker_routed', (id) => {
      if (id !== undefined) this.known.forgetWhere(({ owner }) => owner?.id === id);
    });
  }

  /** @returns undefined when there is no such session */
  find(id: string): Promise<SessionRoute | undefined> {
    return this.known.get(id);
  }

  /**
   * The worker that has a session.
   * @param kind absent where any will do
   * @throws NotFoundError, KindMismatchError, SessionNotReadyError, NoLiveWorkerError
   */
  async ownerOf(id: string, kind?: SessionKind): Promise<WorkerAddress> {
    const route = await this.find(id);
    if (route === undefined) {
      throw new NotFoundError('session', id);
    }
    if (kind !== undefined && route.kind !== kind) {
      throw new KindMismatchError(kind, route.kind);
    }
    if (route.owner !== undefined) {
      return route.owner;
    }
    // Nobody holds it: because it has ended, or because its worker is gone.
    throw route.status === 'authorized'
      ? new NoLiveWorkerError('the session is not held by a live worker')
      : new SessionNotReadyError(route.status);
  }

  /** A worker did not answer as expected: the next question is answered by the database. */
  forget(id: string): void {
    this.known.forget(id);
  }

  /** As {@link forget}, where the database's last answer is older than so many milliseconds. */
  forgetOlder(id: string, ageMs: number): void {
    this.known.forgetOlder(id, ageMs);
  }

  /** Settles when the session's route is told to be another one, or after so many milliseconds. */
  changed(id: string, withinMs: number): Promise<void> {
    return new Promise((resolve) => {
      const waiting = this.waiting.get(id) ?? new Set();
      this.waiting.set(id, waiting);
      const done = (): void => {
        clearTimeout(timer);
        waiting.delete(done);
        if (waiting.size === 0 && this.waiting.get(id) === waiting) this.waiting.delete(id);
        resolve();
      };
      const timer = setTimeout(done, withinMs);
      waiting.add(done);
    });
  }

  private tell(id: string): void {
    for (const done of [...(this.waiting.get(id) ?? [])]) done();
  }
}
