import { Injectable } from '@nestjs/common';
import { databaseFailure } from '../../common/db/database-failure.js';
import { type SessionRoute, SessionsRepository } from './sessions.repository.js';

const FRESH_MS = 1_000;
/** With the database away a known route serves so much longer. */
const USABLE_MS = 60_000;
const MAX_ROUTES = 10_000;

interface Known {
  readonly route: SessionRoute | undefined;
  readonly at: number;
}

/** Which worker has a session. Kept for a second, so that calls do no database work. */
@Injectable()
export class SessionRoutes {
  private readonly known = new Map<string, Known>();
  private readonly asking = new Map<string, Promise<SessionRoute | undefined>>();

  constructor(private readonly repository: SessionsRepository) {}

  /** @returns undefined when there is no such session */
  async find(id: string): Promise<SessionRoute | undefined> {
    const known = this.known.get(id);
    if (known !== undefined && Date.now() - known.at < FRESH_MS) {
      return known.route;
    }
    try {
      return await this.ask(id);
    } catch (error) {
      if (known !== undefined && databaseFailure(error) !== undefined && Date.now() - known.at < USABLE_MS) {
        return known.route;
      }
      throw error;
    }
  }

  /** A worker did not answer as expected: the next question is answered by the database. */
  forget(id: string): void {
    this.known.delete(id);
  }

  private ask(id: string): Promise<SessionRoute | undefined> {
    let asking = this.asking.get(id);
    if (asking === undefined) {
      const at = Date.now();
      asking = this.repository
        .route(id)
        .then((route) => {
          if (this.known.size >= MAX_ROUTES) {
            this.known.clear();
          }
          this.known.set(id, { route, at });
          return route;
        })
        .finally(() => this.asking.delete(id));
      this.asking.set(id, asking);
    }
    return asking;
  }
}
