import { randomUUID } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { Notifications } from '../../common/db/notifications.js';
import { UnitOfWork } from '../../common/db/unit-of-work.js';
import { SYSTEM_TYPES } from './update-types.js';
import { UpdatesRepository } from './updates.repository.js';

/** What happens to the pool of a session, beside its `@type`. */
export interface PoolHappening {
  readonly type: 'poolBot' | 'poolStatus';
  readonly members: Readonly<Record<string, unknown>>;
}

/** For other modules: tells subscribers of a session what the product sees of it, in any process, whoever holds the session. */
@Injectable()
export class SystemEvents {
  constructor(
    private readonly updates: UpdatesRepository,
    private readonly notifications: Notifications,
    private readonly unitOfWork: UnitOfWork,
  ) {}

  /** Stores it for those subscriptions that name its type, in its place among the session's updates. */
  async tell(sessionId: string, { type, members }: PoolHappening): Promise<void> {
    const name = SYSTEM_TYPES[type];
    const payload = JSON.stringify({ '@type': name, ...members });
    await this.unitOfWork.run(async () => {
      const ids = await this.updates.storeEvent({ id: randomUUID(), sessionId, type: name, payload });
      for (const id of ids) {
        await this.notifications.publish('delivery_wanted', id);
        await this.notifications.publish('events_stored', id);
      }
    });
  }
}
