import { Injectable } from '@nestjs/common';
import type { WorkerAddress } from '../../common/cluster/index.js';
import {
  KindMismatchError,
  NoLiveWorkerError,
  NotFoundError,
  SessionNotReadyError,
} from '../../common/errors/index.js';
import { Remembered } from '../../common/db/remembered.js';
import type { SessionKind } from './session.dto.js';
import { type SessionRoute, SessionsRepository } from './sessions.repository.js';

/** Which worker has a session. Kept for a second, so that calls do no database work. */
@Injectable()
export class SessionRoutes {
  private readonly known: Remembered<SessionRoute>;

  constructor(repository: SessionsRepository) {
    this.known = new Remembered((id) => repository.route(id), { freshMs: 1_000, usableMs: 60_000, maxKeys: 10_000 });
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
}
