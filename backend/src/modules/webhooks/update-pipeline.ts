import {
  type BeforeApplicationShutdown,
  Injectable,
  type OnApplicationShutdown,
  type OnModuleInit,
} from '@nestjs/common';
import { Notifications } from '../../common/db/notifications.js';
import { messageOf } from '../../common/errors/index.js';
import { AppLogger } from '../../common/log/app-logger.js';
import { AppConfig } from '../../config/index.js';
import { SessionTaps, type TapOpening } from '../sessions/index.js';
import { WorkerLease } from '../workers/index.js';
import { Backlog } from './backlog.js';
import { DeliveryClient } from './delivery-client.js';
import { Lanes } from './lanes.js';
import { LanesRepository } from './lanes.repository.js';
import { SubscribersRepository } from './subscribers.repository.js';
import { TargetAddresses } from './target-address.js';
import { type TapEvents, UpdateTap } from './update-tap.js';
import { SYSTEM_TYPES } from './update-types.js';
import { UpdateWriter } from './update-writer.js';
import { UpdatesRepository } from './updates.repository.js';

/** A change is known within milliseconds by NOTIFY; should that be lost, or a token be changed, it is seen so soon. */
const COMPARE_MS = 1_000;
/** How often lanes are looked for that nobody has. */
const ABANDONED_EVERY = 5;
/** A NOTIFY holds 8000 bytes. */
const IDS_PER_NOTICE = 200;

/**
 * The way of updates in a process that holds sessions: a tap on each session, one writer, and a lane for each subscription. Of
 * sessions that nobody will open, it takes lanes where something still waits.
 */
@Injectable()
export class UpdatePipeline implements OnModuleInit, BeforeApplicationShutdown, OnApplicationShutdown {
  private readonly logger: AppLogger;
  private readonly taps = new Map<string, UpdateTap>();
  private readonly writer: UpdateWriter;
  private readonly backlog = new Backlog();
  private readonly lanes: Lanes;
  /** By session with lanes here: what was known of its subscriptions at the last comparison. */
  private readonly known = new Map<string, string>();
  /** Sessions whose lanes have to be taken anew, for claims that nobody knows of. */
  private readonly anew = new Set<string>();
  private readonly reloading = new Map<string, Promise<void>>();
  private timer: NodeJS.Timeout | undefined;
  private rounds = 0;
  private isStopping = false;

  constructor(
    config: AppConfig,
    updates: UpdatesRepository,
    lanes: LanesRepository,
    private readonly subscribers: SubscribersRepository,
    private readonly sessions: SessionTaps,
    private readonly notifications: Notifications,
    private readonly lease: WorkerLease,
    logger: AppLogger,
  ) {
    this.logger = logger.for(UpdatePipeline.name);
    const client = new DeliveryClient(new TargetAddresses(config.webhookNetworks));
    const events = {
      disabled: (id: string, sessionId: string, reason: string): void => this.tellDisabled(id, sessionId, reason),
      mayPost: (): boolean => lease.remainingMs > 0,
    };
    this.lanes = new Lanes(lanes, client, events, this.logger);
    const told = (ids: ReadonlySet<string>): Promise<void> => this.tellStored(ids);
    const doubted = (sessionIds: ReadonlySet<string>): void => {
      for (const id of sessionIds) {
        this.anew.add(id);
        this.reload(id);
      }
    };
    this.writer = new UpdateWriter(updates, lease.workerId, this.lanes, told, doubted, this.logger);
  }

  onModuleInit(): void {
    this.sessions.use((opening) => this.open(opening));
    this.notifications.subscribe('subscriptions_changed', (sessionId) => {
      for (const id of sessionId === undefined ? [...this.known.keys()] : [sessionId]) {
        if (this.known.has(id)) this.reload(id);
      }
    });
    this.notifications.subscribe('delivery_wanted', (id) => {
      if (id !== undefined) this.lanes.nudge(id);
    });
    this.notifications.subscribe('token_changed', () => void this.compare());
    this.timer = setInterval(() => void this.everySecond(), COMPARE_MS).unref();
  }

  beforeApplicationShutdown(): void {
    this.isStopping = true;
    clearInterval(this.timer);
  }

  async onApplicationShutdown(): Promise<void> {
    this.writer.stop();
    await this.lanes.close();
    await this.release([...this.known.keys()]);
  }

  private async open(opening: TapOpening): Promise<UpdateTap> {
    const { sessionId, workerId } = opening.lease;
    const subscribers = await this.subscribers.take(sessionId, workerId, true);
    const events: TapEvents = {
      filled: (of) => this.writer.fill(of),
      dropped: (ids) => this.writer.drop(ids),
      unwritten: (error) => this.logger.failure('the journal of updates was not written', error, { sessionId }),
      found: (count) =>
        this.logger.info(`${count} messages were found that a killed process had not handed over`, { sessionId }),
      unfound: (error) =>
        this.logger.failure('what a killed process had not handed over was not found', error, { sessionId }),
      closing: (of) => this.closing(of),
    };
    const tap = new UpdateTap(opening, subscribers, events, this.backlog);
    this.taps.set(sessionId, tap);
    this.known.set(sessionId, '');
    this.lanes.change(sessionId, subscribers);
    return tap;
  }

  private async closing(tap: UpdateTap): Promise<void> {
    const { sessionId } = tap.lease;
    await this.writer.flush(tap);
    if (this.taps.get(sessionId) !== tap) return;
    this.taps.delete(sessionId);
    this.known.delete(sessionId);
    await this.lanes.end(sessionId);
    await this.release([sessionId]);
  }

  private async release(sessionIds: readonly string[]): Promise<void> {
    try {
      if (sessionIds.length > 0) await this.subscribers.release(sessionIds, this.lease.workerId);
    } catch (error) {
      this.logger.warn(`lanes were not given back, whoever opens their sessions takes them: ${messageOf(error)}`);
    }
  }

  /** One reload of a session at a time; what changes meanwhile makes another one. */
  private reload(sessionId: string): void {
    const before = this.reloading.get(sessionId) ?? Promise.resolve();
    const reloading = before
      .then(() => this.load(sessionId))
      .catch((error: unknown) => {
        this.known.set(sessionId, '');
        this.logger.warn(`subscriptions were not read: ${messageOf(error)}`, { sessionId });
      })
      .finally(() => {
        if (this.reloading.get(sessionId) === reloading) this.reloading.delete(sessionId);
      });
    this.reloading.set(sessionId, reloading);
  }

  private async load(sessionId: string): Promise<void> {
    if (this.isStopping) return;
    const tap = this.taps.get(sessionId);
    const { workerId } = this.lease;
    const isOpen = tap?.isClosed === false;
    // A lane that is taken tells whoever made its subscription that updates are kept for it: they are, before it is.
    if (isOpen) tap.subscribe(await this.subscribers.known(sessionId));
    const subscribers = isOpen
      ? await this.subscribers.take(sessionId, workerId, this.anew.delete(sessionId))
      : await this.subscribers.kept(sessionId, workerId);
    if (this.taps.get(sessionId) !== tap) {
      // It was closed meanwhile, or opened anew, which reads them again.
      if (!this.taps.has(sessionId)) await this.release([sessionId]);
      return;
    }
    tap?.subscribe(subscribers);
    this.lanes.change(sessionId, subscribers);
    if (subscribers.length === 0 && tap === undefined) this.known.delete(sessionId);
  }

  private async everySecond(): Promise<void> {
    this.rounds += 1;
    await this.compare();
    if (this.rounds % ABANDONED_EVERY === 0) await this.takeAbandoned();
  }

  private async compare(): Promise<void> {
    if (this.isStopping || this.known.size === 0) return;
    try {
      const ids = [...this.known.keys()];
      const present = await this.subscribers.fingerprints(ids);
      for (const id of ids) {
        const fingerprint = present.get(id) ?? '';
        const before = this.known.get(id);
        if (before === undefined || before === fingerprint) continue;
        this.known.set(id, fingerprint);
        this.reload(id);
      }
    } catch (error) {
      this.logger.debug(`subscriptions could not be compared: ${messageOf(error)}`);
    }
  }

  private async takeAbandoned(): Promise<void> {
    try {
      for (const id of await this.subscribers.takeAbandoned(this.lease.workerId, this.lanes.ids)) {
        this.known.set(id, '');
        this.reload(id);
      }
    } catch (error) {
      this.logger.debug(`abandoned lanes were not looked for: ${messageOf(error)}`);
    }
  }

  private async tellStored(ids: ReadonlySet<string>): Promise<void> {
    const all = [...ids];
    for (let at = 0; at < all.length; at += IDS_PER_NOTICE) {
      await this.notifications.publish('events_stored', all.slice(at, at + IDS_PER_NOTICE).join());
    }
  }

  private tellDisabled(id: string, sessionId: string, reason: string): void {
    this.logger.warn(`a subscription was switched off: ${reason}`, { sessionId, subscriptionId: id });
    this.taps.get(sessionId)?.emit(SYSTEM_TYPES.disabled, { session_id: sessionId, subscription_id: id, reason });
    this.reload(sessionId);
  }
}
