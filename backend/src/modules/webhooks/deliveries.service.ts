import { randomUUID } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { Notifications } from '../../common/db/notifications.js';
import { UnitOfWork } from '../../common/db/unit-of-work.js';
import { NotFoundError, ValidationFailedError } from '../../common/errors/index.js';
import { type Caller, existingId, Page } from '../../common/http/index.js';
import { DeliveriesRepository, type DeliveryRow } from './deliveries.repository.js';
import { type DeliveriesQueryDto, toCursor } from './delivery.dto.js';
import type { SubscriptionEntity } from './subscription.entity.js';
import { type SessionPath, SubscriptionsService } from './subscriptions.service.js';
import { deliveryIdOf } from './update-facts.js';
import { SYSTEM_TYPES } from './update-types.js';
import { isKnowable, visibleStored, viewOfCaller } from './visible-update.js';

const DEFAULT_LIMIT = 100;

/** The log of a subscription's deliveries, and what its owner does with them. The worker that delivers is told by NOTIFY. */
@Injectable()
export class DeliveriesService {
  constructor(
    private readonly subscriptions: SubscriptionsService,
    private readonly repository: DeliveriesRepository,
    private readonly notifications: Notifications,
    private readonly unitOfWork: UnitOfWork,
  ) {}

  /** The newest first; a token sees none of chats that it may not see any more. @throws NotFoundError, KindMismatchError */
  async list(path: SessionPath, sub: string, query: DeliveriesQueryDto, caller: Caller): Promise<Page<DeliveryRow>> {
    const { id } = await this.subscriptions.existing(path, sub, caller);
    const limit = query.limit ?? DEFAULT_LIMIT;
    const rows = await this.repository.page(id, query.status, query.before, limit + 1);
    const last = rows[limit - 1];
    const view = viewOfCaller(caller);
    const known = rows
      .slice(0, limit)
      .filter(({ type, chat_id: chatId }) => isKnowable(view, type, chatId === null ? undefined : Number(chatId)));
    return new Page(known, rows.length > limit && last ? toCursor(last.seq) : undefined);
  }

  /** @throws NotFoundError, KindMismatchError */
  async get(
    path: SessionPath,
    sub: string,
    delivery: string,
    caller: Caller,
  ): Promise<DeliveryRow & { readonly payload: string }> {
    const { id } = await this.subscriptions.existing(path, sub, caller);
    const row = await this.repository.find(id, existingId('delivery', delivery));
    const payload = row && visibleStored(viewOfCaller(caller), row.payload);
    if (row === undefined || payload === undefined) throw new NotFoundError('delivery', delivery);
    return { ...row, payload };
  }

  /** Has one tried again from the first attempt on; the lane posts it only where its token may still see it. @throws NotFoundError, KindMismatchError, ValidationFailedError */
  async retry(path: SessionPath, sub: string, delivery: string, caller: Caller): Promise<string> {
    const subscription = await this.webhook(path, sub, caller);
    const id = existingId('delivery', delivery);
    if (caller.kind === 'token') await this.get(path, sub, delivery, caller);
    await this.unitOfWork.run(async () => {
      if (!(await this.repository.retry(subscription.id, id))) throw new NotFoundError('delivery', delivery);
      await this.tell(subscription);
    });
    return id;
  }

  /** Has all tried again that were given up of the updates since then. @throws NotFoundError, KindMismatchError */
  async recover(path: SessionPath, sub: string, since: Date, caller: Caller): Promise<number> {
    const subscription = await this.webhook(path, sub, caller);
    return this.unitOfWork.run(async () => {
      const count = await this.repository.recover(subscription.id, since);
      await this.tell(subscription);
      return count;
    });
  }

  /** Puts an event of our own in line, whatever the filters are. @throws NotFoundError, KindMismatchError */
  async test(path: SessionPath, sub: string, caller: Caller): Promise<string> {
    const subscription = await this.subscriptions.existing(path, sub, caller);
    const updateId = randomUUID();
    const id = deliveryIdOf(updateId, subscription.id);
    const update = { '@type': SYSTEM_TYPES.test, subscription_id: subscription.id, at: new Date().toISOString() };
    await this.unitOfWork.run(async () => {
      await this.repository.insertOne(
        { id: updateId, sessionId: subscription.sessionId, type: SYSTEM_TYPES.test, payload: JSON.stringify(update) },
        { id, subscriptionId: subscription.id, status: subscription.kind === 'stream' ? 'stored' : 'pending' },
      );
      await this.tell(subscription);
      await this.notifications.publish('events_stored', subscription.id);
    });
    return id;
  }

  private async webhook(path: SessionPath, sub: string, caller: Caller): Promise<SubscriptionEntity> {
    const subscription = await this.subscriptions.existing(path, sub, caller);
    if (subscription.kind === 'stream') {
      throw new ValidationFailedError([
        { path: '', message: 'nothing of a stream is delivered: read its events again' },
      ]);
    }
    return subscription;
  }

  private tell({ id }: SubscriptionEntity): Promise<void> {
    return this.notifications.publish('delivery_wanted', id);
  }
}
