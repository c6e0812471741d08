import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { Injectable } from '@nestjs/common';
import { Notifications } from '../../common/db/notifications.js';
import { UnitOfWork } from '../../common/db/unit-of-work.js';
import { ConflictError, KindMismatchError, NotFoundError, ValidationFailedError } from '../../common/errors/index.js';
import { type Caller, existingId, Page, type PageRequest } from '../../common/http/index.js';
import { AppConfig } from '../../config/index.js';
import type { SessionKind } from '../sessions/index.js';
import { CompiledFilters, type UpdateFilters } from './filters.js';
import { makeSecret, SecretSealer } from './secret-sealer.js';
import type { DeliveryOrder, SubscriptionEntity, SubscriptionKind } from './subscription.entity.js';
import { type Owner, type SubscriptionProgress, SubscriptionsRepository } from './subscriptions.repository.js';
import { refusalOf, TargetAddresses } from './target-address.js';
import { chatOf } from './update-facts.js';
import { unknownTypes } from './update-types.js';
import { viewOfCaller, visibleUpdate } from './visible-update.js';

/** What is to be made. */
export interface SubscriptionDraft {
  readonly kind: SubscriptionKind;
  readonly url?: string | undefined;
  readonly secret?: string | undefined;
  readonly filters: UpdateFilters;
  readonly order?: DeliveryOrder | undefined;
  readonly maxConnections?: number | undefined;
}

/** What changes; what is absent stays. */
export interface SubscriptionChange {
  readonly url?: string | undefined;
  readonly filters?: UpdateFilters | undefined;
  readonly enabled?: boolean | undefined;
  readonly order?: DeliveryOrder | undefined;
  readonly maxConnections?: number | undefined;
  readonly rotatesSecret: boolean;
  /** With a rotation, instead of a made one. */
  readonly secret?: string | undefined;
}

/** What a creation or a change tells. */
export interface SubscriptionMade {
  readonly id: string;
  /** Only when it was made here. */
  readonly secret?: string;
  readonly warnings: readonly string[];
}

/** A subscription and how its deliveries go. */
export interface SubscriptionView {
  readonly subscription: SubscriptionEntity;
  readonly progress: SubscriptionProgress;
}

/** The session of a path, as it was written. */
export interface SessionPath {
  readonly kind: SessionKind;
  readonly id: string;
}

const DEFAULT_CONNECTIONS = 40;
/** An update is looked at once for each. */
const MAX_PER_SESSION = 100;
/** So that no token takes all the places of a session. */
const MAX_PER_TOKEN = 50;
const PREVIEWED = 100;
/** A worker hears of a new subscription within milliseconds. */
const LIVE_TIMEOUT_MS = 3_000;
const LIVE_POLL_MS = 20;
const OVERLAP_MS = 24 * 3_600_000;

/** The registry of subscriptions as the API has it. A scoped token sees its own, the master all. */
@Injectable()
export class SubscriptionsService {
  private readonly addresses: TargetAddresses;

  constructor(
    private readonly repository: SubscriptionsRepository,
    private readonly unitOfWork: UnitOfWork,
    private readonly notifications: Notifications,
    private readonly sealer: SecretSealer,
    config: AppConfig,
  ) {
    this.addresses = new TargetAddresses(config.webhookNetworks);
  }

  /** @throws NotFoundError, KindMismatchError, ValidationFailedError, ConflictError */
  async create(path: SessionPath, draft: SubscriptionDraft, caller: Caller): Promise<SubscriptionMade> {
    const sessionId = await this.sessionOf(path);
    const { kind, url = null, filters, order = 'none', maxConnections = DEFAULT_CONNECTIONS } = draft;
    this.requireFitting(draft);
    const id = randomUUID();
    const secret = kind === 'webhook' ? (draft.secret ?? makeSecret()) : undefined;
    const secretSealed = secret === undefined ? null : await this.sealer.seal(id, secret);
    const warnings = await warningsOf(filters);
    await this.unitOfWork.run(async () => {
      const owner = ownerOf(caller);
      const { count, seen, same } = await this.repository.neighbours(sessionId, url, owner);
      if (count >= MAX_PER_SESSION) throw tooMany('the session', MAX_PER_SESSION);
      if (owner !== undefined && seen >= MAX_PER_TOKEN) throw tooMany('your token on this session', MAX_PER_TOKEN);
      if (same > 0) warnings.push('another subscription of this session posts to the same URL: it gets both');
      const tokenId = owner ?? null;
      await this.repository.insert({ id, sessionId, tokenId, kind, url, secretSealed, filters, order, maxConnections });
      await this.notifications.publish('subscriptions_changed', sessionId);
    });
    await this.untilLive(id);
    return { id, ...(draft.secret === undefined && secret !== undefined && { secret }), warnings };
  }

  /** @throws NotFoundError, KindMismatchError */
  async get(path: SessionPath, id: string, caller: Caller): Promise<SubscriptionView> {
    const [view] = await this.views([await this.existing(path, id, caller)]);
    if (view === undefined) throw new NotFoundError('subscription', id);
    return view;
  }

  /** Oldest first, those that the caller may see. @throws NotFoundError, KindMismatchError */
  async list(path: SessionPath, request: PageRequest, caller: Caller): Promise<Page<SubscriptionView>> {
    const { items, nextCursor } = await this.repository.page(await this.sessionOf(path), request, ownerOf(caller));
    return new Page(await this.views(items), nextCursor);
  }

  /** Of all sessions, oldest first. */
  async listAll(request: PageRequest): Promise<Page<SubscriptionView>> {
    const { items, nextCursor } = await this.repository.pageOfAll(request);
    return new Page(await this.views(items), nextCursor);
  }

  /** @throws NotFoundError, KindMismatchError, ValidationFailedError */
  async change(path: SessionPath, id: string, change: SubscriptionChange, caller: Caller): Promise<SubscriptionMade> {
    const subscription = await this.existing(path, id, caller);
    const { url, filters, enabled, order, maxConnections, rotatesSecret } = change;
    this.requireFitting({ ...change, kind: subscription.kind, url: url ?? subscription.url ?? undefined });
    const isWebhook = subscription.kind === 'webhook';
    const issues = [
      ...(rotatesSecret && !isWebhook ? [{ path: 'rotate_secret', message: 'a stream has no secret' }] : []),
      ...(change.secret !== undefined && !rotatesSecret ? [{ path: 'secret', message: 'needs rotate_secret' }] : []),
    ];
    if (issues.length > 0) throw new ValidationFailedError(issues);
    const secret = rotatesSecret ? (change.secret ?? makeSecret()) : undefined;
    const secretSealed = secret === undefined ? undefined : await this.sealer.seal(subscription.id, secret);
    await this.unitOfWork.run(async () => {
      const isChanged = await this.repository.change(subscription.id, {
        ...(url !== undefined && { url }),
        ...(filters !== undefined && { filters }),
        ...(enabled !== undefined && { enabled, disabledReason: null, failingSince: null }),
        ...(order !== undefined && { order }),
        ...(maxConnections !== undefined && { maxConnections }),
        ...(secretSealed !== undefined && {
          secretSealed,
          formerSecretSealed: subscription.secretSealed,
          formerSecretUntil: new Date(Date.now() + OVERLAP_MS),
        }),
      });
      if (!isChanged) throw new NotFoundError('subscription', id);
      await this.notifications.publish('subscriptions_changed', subscription.sessionId);
    });
    return {
      id: subscription.id,
      ...(secret !== undefined && change.secret === undefined && { secret }),
      warnings: filters === undefined ? [] : await warningsOf(filters),
    };
  }

  /** @throws NotFoundError, KindMismatchError */
  async remove(path: SessionPath, id: string, caller: Caller): Promise<void> {
    const subscription = await this.existing(path, id, caller);
    await this.unitOfWork.run(async () => {
      if (!(await this.repository.remove(subscription.id))) throw new NotFoundError('subscription', id);
      await this.notifications.publish('subscriptions_changed', subscription.sessionId);
    });
  }

  /**
   * What these filters would let pass of the newest updates that are stored of the session.
   * @throws NotFoundError, KindMismatchError
   */
  async preview(
    path: SessionPath,
    filters: UpdateFilters,
    caller: Caller,
  ): Promise<{ readonly matched: number; readonly of: number; readonly types: Readonly<Record<string, number>> }> {
    const sessionId = await this.sessionOf(path);
    const compiled = new CompiledFilters(filters);
    const stored = await this.repository.newestUpdates(sessionId, PREVIEWED);
    const view = viewOfCaller(caller);
    const seen = stored
      .map(({ type, payload: text }) => ({ type, text, chatId: chatOf(text) }))
      .filter((update) => view === undefined || visibleUpdate(view, update) !== undefined);
    const types: Record<string, number> = {};
    for (const { type } of seen) types[type] = (types[type] ?? 0) + 1;
    const matched = seen.filter((update) => compiled.wants(update)).length;
    return { matched, of: seen.length, types };
  }

  /** One that the caller may see. @throws NotFoundError, KindMismatchError */
  async existing(path: SessionPath, id: string, caller: Caller): Promise<SubscriptionEntity> {
    const sessionId = await this.sessionOf(path);
    const found = await this.repository.find(sessionId, existingId('subscription', id), ownerOf(caller));
    if (found === undefined) throw new NotFoundError('subscription', id);
    return found;
  }

  /** @throws NotFoundError, KindMismatchError */
  async sessionOf({ kind, id }: SessionPath): Promise<string> {
    const sessionId = existingId('session', id);
    const stored = await this.repository.kindOf(sessionId);
    if (stored === undefined) throw new NotFoundError('session', id);
    if (stored !== kind) throw new KindMismatchError(kind, stored);
    return sessionId;
  }

  /** What is gone meanwhile is left out. */
  private async views(subscriptions: readonly SubscriptionEntity[]): Promise<readonly SubscriptionView[]> {
    const all = await this.repository.progress(subscriptions.map(({ id }) => id));
    return subscriptions.flatMap((subscription) => {
      const progress = all.get(subscription.id);
      return progress === undefined ? [] : [{ subscription, progress }];
    });
  }

  /** The worker that has the session shows that it knows the subscription by taking its lane: nothing is missed from then on. */
  private async untilLive(id: string): Promise<void> {
    const deadline = performance.now() + LIVE_TIMEOUT_MS;
    while (!(await this.repository.isLive(id)) && performance.now() < deadline) await sleep(LIVE_POLL_MS);
  }

  private requireFitting({ kind, url, secret, order, maxConnections }: Omit<SubscriptionDraft, 'filters'>): void {
    const isStream = kind === 'stream';
    const onlyWebhooks = { url, secret, order, max_connections: maxConnections };
    const refusal = isStream || url === undefined ? undefined : refusalOf(url, this.addresses);
    const issues = [
      ...(!isStream && url === undefined ? [{ path: 'url', message: 'a webhook needs a url' }] : []),
      ...(refusal === undefined ? [] : [{ path: 'url', message: refusal }]),
      ...(isStream
        ? Object.entries(onlyWebhooks)
            .filter(([, value]) => value !== undefined)
            .map(([path]) => ({ path, message: `a stream has no ${path}` }))
        : []),
    ];
    if (issues.length > 0) throw new ValidationFailedError(issues);
  }
}

/** The token that made a subscription; undefined for the master, who sees all. */
export function ownerOf(caller: Caller): Owner {
  return caller.kind === 'token' ? caller.tokenId : undefined;
}

function tooMany(whose: string, limit: number): ConflictError {
  const message = `${whose} has ${limit} subscriptions already`;
  return new ConflictError('too_many_subscriptions', message, { details: { limit } });
}

async function warningsOf(filters: UpdateFilters): Promise<string[]> {
  const names = await unknownTypes([...(filters.types ?? []), ...(filters.exclude_types ?? [])]);
  return names.map((name) => `${name} is no update that this TDLib or tgcontrol makes`);
}
