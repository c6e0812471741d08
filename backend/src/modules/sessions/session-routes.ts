import { Injectable } from '@nestjs/common';
import { Remembered } from '../../common/db/remembered.js';
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

  /** A worker did not answer as expected: the next question is answered by the database. */
  forget(id: string): void {
    this.known.forget(id);
  }
}
