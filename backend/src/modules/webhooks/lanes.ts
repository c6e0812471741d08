import { setTimeout as sleep } from 'node:timers/promises';
import { messageOf } from '../../common/errors/index.js';
import type { AppLogger } from '../../common/log/app-logger.js';
import type { DeliveryClient, Outcome } from './delivery-client.js';
import { Lane } from './lane.js';
import type { LaneHost, LaneItem, Loaded, LoadRequest, Settled } from './lane-host.js';
import type { LanesRepository } from './lanes.repository.js';
import { Settlements } from './settlements.js';
import { signatureHeaders } from './signatures.js';
import type { Subscriber } from './subscriber.js';
import type { UpdateEntry } from './update-entry.js';
import type { DirectLanes } from './update-writer.js';
import type { StoredDelivery } from './updates.repository.js';

/** What the lanes tell and ask. */
export interface LanesEvents {
  /** A subscription was switched off by the product. */
  disabled(subscriptionId: string, sessionId: string, reason: string): void;
  /** Whether the lease of this worker holds. */
  mayPost(): boolean;
}

const DRAIN_MS = 2_000;
const RELEASE_RETRY_MS = 1_000;

/** The lanes of this process's sessions. */
export class Lanes implements DirectLanes, LaneHost {
  private readonly lanes = new Map<string, Lane>();
  private readonly settlements: Settlements;
  private isStopping = false;

  constructor(
    private readonly repository: LanesRepository,
    private readonly client: DeliveryClient,
    private readonly events: LanesEvents,
    private readonly logger: AppLogger,
  ) {
    this.settlements = new Settlements(
      repository,
      (ended) => {
        for (const { id, session_id } of ended) {
          events.disabled(id, session_id, 'no delivery has succeeded for 24 hours');
        }
      },
      logger,
    );
  }

  /** Of the subscriptions that are delivered here. */
  get ids(): readonly string[] {
    return [...this.lanes.keys()];
  }

  /** The subscriptions of a session, as they are now: lanes begin, change and end. */
  change(sessionId: string, subscribers: readonly Subscriber[]): void {
    const present = new Map(subscribers.filter(({ kind }) => kind === 'webhook').map((each) => [each.id, each]));
    for (const [id, lane] of this.lanes) {
      const subscriber = present.get(id);
      // Taken anew, the lane knows nothing of what it had claimed before.
      const isOther = lane.of.sessionId === sessionId && subscriber?.laneEpoch !== lane.of.laneEpoch;
      if (isOther) {
        lane.close();
        this.lanes.delete(id);
      }
    }
    for (const [id, subscriber] of present) {
      const lane = this.lanes.get(id);
      if (lane === undefined) this.begin(subscriber);
      else lane.change(subscriber);
    }
  }

  /** The owner of a subscription wants something tried. */
  nudge(subscriptionId: string): void {
    this.lanes.get(subscriptionId)?.nudge();
  }

  reserve(subscriptionId: string, chatId: number | undefined, size: number): number | undefined {
    const lane = this.lanes.get(subscriptionId);
    return lane?.reserve(chatId, size) === true ? lane.of.laneEpoch : undefined;
  }

  cancel(subscriptionId: string): void {
    this.lanes.get(subscriptionId)?.cancel();
  }

  feed({ id, part, seq, subscription_id, claim_epoch }: StoredDelivery, { chatId, payload }: UpdateEntry): void {
    const lane = this.lanes.get(subscription_id);
    // One that has begun anew finds it in the database.
    if (lane === undefined || lane.of.laneEpoch !== claim_epoch) return;
    lane.feed({ id, part, seq: Number(seq), chatId, attempt: 1, payload });
  }

  spill(subscriptionId: string): void {
    this.lanes.get(subscriptionId)?.lookAgain();
  }

  /** Ends the lanes of a session: takes nothing new, waits a moment for what is under way, writes down what became of it. */
  async end(sessionId: string): Promise<void> {
    const ending = [...this.lanes.values()].filter(({ of }) => of.sessionId === sessionId);
    if (ending.length === 0) return;
    for (const lane of ending) {
      this.lanes.delete(lane.of.id);
      lane.close();
    }
    const deadline = performance.now() + DRAIN_MS;
    while (ending.some(({ inFlight }) => inFlight > 0) && performance.now() < deadline) await sleep(20);
    await this.settlements.flush();
  }

  /** Ends all of them, and the connections. */
  async close(): Promise<void> {
    this.isStopping = true;
    const sessionIds = new Set([...this.lanes.values()].map(({ of }) => of.sessionId));
    await Promise.all([...sessionIds].map((id) => this.end(id)));
    await this.client.close();
  }

  now(): number {
    return performance.now();
  }

  later(work: () => void, afterMs: number): () => void {
    const timer = setTimeout(work, afterMs).unref();
    return () => clearTimeout(timer);
  }

  mayPost(): boolean {
    return !this.isStopping && this.events.mayPost();
  }

  async post(item: LaneItem, to: Subscriber): Promise<Outcome> {
    const at = Date.now();
    try {
      return await this.client.post(to.url, headersOf(item, to, at), item.payload);
    } catch (error) {
      return { isDelivered: false, at, durationMs: Date.now() - at, error: messageOf(error) };
    }
  }

  load(of: Subscriber, request: LoadRequest): Promise<Loaded> {
    return this.repository.load(of, request);
  }

  settle(settled: Settled, of: Subscriber): Promise<void> {
    return this.settlements.add({ settled, of });
  }

  async release(items: readonly LaneItem[], of: Subscriber): Promise<void> {
    for (;;) {
      try {
        await this.repository.release(items, of);
        return;
      } catch (error) {
        this.logger.warn(`claims of deliveries were not given back yet: ${messageOf(error)}`);
        // The next owner takes them in any case.
        if (this.isStopping) return;
        await sleep(RELEASE_RETRY_MS, undefined, { ref: false });
      }
    }
  }

  recover(of: Subscriber): Promise<void> {
    return this.repository.recover(of);
  }

  disable(of: Subscriber, reason: string): void {
    this.repository.disable(of, reason).then(
      (isNew) => {
        if (isNew) this.events.disabled(of.id, of.sessionId, reason);
      },
      (error: unknown) => this.logger.failure('a subscription was not switched off', error, { subscriptionId: of.id }),
    );
  }

  private begin(subscriber: Subscriber): void {
    const lane = new Lane(subscriber, this);
    this.lanes.set(subscriber.id, lane);
    lane.lookAgain();
  }
}

function headersOf(item: LaneItem, to: Subscriber, at: number): Record<string, string> {
  return {
    'Content-Type': 'application/json',
    'User-Agent': 'tgcontrol',
    'X-Tgcontrol-Session': to.sessionId,
    'X-Tgcontrol-Kind': to.sessionKind,
    'X-Tgcontrol-Subscription': to.id,
    'X-Tgcontrol-Delivery': item.id,
    'X-Tgcontrol-Attempt': String(item.attempt),
    ...signatureHeaders({
      deliveryId: item.id,
      body: item.payload,
      secrets: to.secrets,
      timestamp: Math.floor(at / 1_000),
    }),
  };
}
