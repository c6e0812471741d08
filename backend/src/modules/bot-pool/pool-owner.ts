import { randomBytes } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { type BeforeApplicationShutdown, Injectable, type OnApplicationBootstrap } from '@nestjs/common';
import { SecretBox } from '../../common/crypto/secret-box.js';
import { messageOf } from '../../common/errors/index.js';
import { AppLogger } from '../../common/log/app-logger.js';
import { SystemEvents } from '../webhooks/index.js';
import { WorkerLease } from '../workers/index.js';
import { systemClock } from './dispatcher/clock.js';
import {
  DEFAULT_SETTINGS,
  Dispatcher,
  type DispatcherSettings,
  type DispatcherStatus,
  type PoolEvent,
} from './dispatcher/dispatcher.js';
import { PoolClosedError } from './dispatcher/dispatcher.errors.js';
import type { Orphan } from './dispatcher/part.js';
import { PoolActivity } from './events/pool-activity.js';
import { PoolEventsRepository } from './events/pool-events.repository.js';
import { JournaledSender } from './journaled-sender.js';
import { type KeptPart, PoolHost } from './pool-host.js';
import { PartSender, type PoolPart } from './pool-part.js';
import { PoolSendsRepository } from './pool-sends.repository.js';
import { PoolWatch } from './pool-watch.js';
import { type PoolBotRow, type PoolRow, PoolsRepository } from './pools.repository.js';

/** How often the registry is compared with what runs. */
const COMPARE_MS = 500;
/** How long a question waits for a pool that is about to be taken. */
const TAKING_MS = 5_000;
const TAKING_POLL_MS = 100;
/** How long the pools are kept while the lease cannot be renewed: nobody can take them while the database is away. */
const AWAY_MS = 60_000;
/** How long parts may go on when the process ends. */
const DRAIN_MS = 10_000;

const KEY_BYTES = 32;

/** A pool that this process runs. */
interface Run {
  readonly dispatcher: Dispatcher<PoolPart>;
  readonly activity: PoolActivity;
  readonly watch: PoolWatch;
  /** What of each bot has been followed. */
  readonly revisions: Map<string, number>;
}

/**
 * Runs the dispatchers of the pools that this worker owns. It takes those that no living worker has, follows what the registry says
 * of their bots, and writes down what must survive it: cooldowns, bots put aside, orphans.
 */
@Injectable()
export class PoolOwner extends PoolHost implements OnApplicationBootstrap, BeforeApplicationShutdown {
  private readonly logger: AppLogger;
  private readonly runs = new Map<string, Run>();
  private readonly writes = new Set<Promise<void>>();
  private readonly stopping = new AbortController();
  private comparing: Promise<void> = Promise.resolve();
  private heldAt = -Infinity;

  constructor(
    private readonly repository: PoolsRepository,
    private readonly journal: PoolSendsRepository,
    private readonly sender: PartSender,
    private readonly events: PoolEventsRepository,
    private readonly subscribers: SystemEvents,
    private readonly lease: WorkerLease,
    private readonly box: SecretBox,
    logger: AppLogger,
  ) {
    super();
    this.logger = logger.for(PoolOwner.name);
  }

  onApplicationBootstrap(): void {
    this.comparing = this.compareForever();
  }

  async beforeApplicationShutdown(): Promise<void> {
    this.stopping.abort();
    await this.comparing;
    await Promise.all([...this.runs.values()].map((run) => end(run, DRAIN_MS)));
    await Promise.all(this.writes);
    this.runs.clear();
    await this.repository.release(this.lease.workerId).catch((error: unknown) => {
      this.logger.warn(`the pools were not released; they are taken when the lease has run out: ${messageOf(error)}`);
    });
  }

  override async store(poolId: string, part: PoolPart, signal: AbortSignal): Promise<KeptPart> {
    const { dispatcher } = await this.runOf(poolId);
    return { ...(await dispatcher.submit(part, { signal })), id: part.id };
  }

  override async admit(poolId: string, maxWaitMs?: number): Promise<void> {
    (await this.runOf(poolId)).dispatcher.admit(maxWaitMs);
  }

  override async evict(poolId: string, botId: string): Promise<void> {
    const { dispatcher, revisions } = await this.runOf(poolId);
    // Added again at once it is another bot.
    revisions.delete(botId);
    await dispatcher.removeBot(botId, false);
  }

  override async key(poolId: string): Promise<Buffer> {
    const where = { table: 'pools', column: 'sealed_key', id: poolId };
    const sealed = await this.repository.sealedKey(poolId, this.box.seal(randomBytes(KEY_BYTES), where));
    return this.box.open(sealed, where);
  }

  override async status(poolId: string): Promise<DispatcherStatus> {
    return (await this.runOf(poolId)).dispatcher.status();
  }

  /** @throws PoolClosedError when another worker has it, or none takes it */
  private async runOf(poolId: string): Promise<Run> {
    const deadline = performance.now() + TAKING_MS;
    for (;;) {
      const run = this.runs.get(poolId);
      if (run !== undefined) return run;
      if (performance.now() >= deadline || this.stopping.signal.aborted) {
        throw new PoolClosedError('no worker runs the pool');
      }
      await sleep(TAKING_POLL_MS);
    }
  }

  private async compareForever(): Promise<void> {
    const { signal } = this.stopping;
    while (!signal.aborted) {
      try {
        if (this.lease.remainingMs > 0) {
          this.heldAt = performance.now();
          await this.compare();
        } else if (performance.now() - this.heldAt > AWAY_MS) {
          // Another worker may have them. Until then two might run a pool: each bot still sends one at a time.
          this.dropExcept(new Set());
        }
      } catch (error) {
        this.logger.warn(`pools were not compared with the registry: ${messageOf(error)}`);
      }
      await sleep(COMPARE_MS, undefined, { signal }).catch(() => undefined);
    }
  }

  private async compare(): Promise<void> {
    const owned = new Set(await this.repository.claim(this.lease.workerId));
    this.dropExcept(owned);
    for (const poolId of owned) {
      const [pool, bots] = await Promise.all([this.repository.find(poolId), this.repository.bots(poolId)]);
      if (pool === undefined || this.stopping.signal.aborted) continue;
      this.follow(pool, bots);
      const run = this.runs.get(poolId);
      if (run !== undefined) await this.tellChanges(run);
    }
  }

  private dropExcept(owned: ReadonlySet<string>): void {
    for (const [poolId, run] of this.runs) {
      if (owned.has(poolId)) continue;
      this.runs.delete(poolId);
      this.keep(end(run, 0));
    }
  }

  private follow(pool: PoolRow, bots: readonly PoolBotRow[]): void {
    const chatId = pool.chatIds.at(-1);
    if (chatId === undefined) return;
    const settings = { ...DEFAULT_SETTINGS, limits: pool.budget };
    const known = this.runs.get(pool.id);
    const run = known ?? this.begin(pool, chatId, settings);
    this.runs.set(pool.id, run);
    if (known !== undefined) {
      run.dispatcher.useChat(chatId);
      run.dispatcher.configure(settings);
    }
    run.dispatcher.pause(pool.isPaused);
    for (const bot of bots) followBot(run, bot);
    const registered = new Set(bots.map(({ sessionId }) => sessionId));
    for (const id of run.revisions.keys()) {
      if (registered.has(id)) continue;
      run.revisions.delete(id);
      this.keep(run.dispatcher.removeBot(id, true));
    }
  }

  /** One after another, so that they come in their order. */
  private async tellChanges({ dispatcher, watch }: Run): Promise<void> {
    try {
      for (const { sessionId, event } of watch.changes(dispatcher.status())) {
        await this.subscribers.tell(sessionId, event);
      }
    } catch (error) {
      this.logger.warn(`what became of a pool was not told to its subscribers: ${messageOf(error)}`);
    }
  }

  private begin(pool: PoolRow, chatId: number, settings: DispatcherSettings): Run {
    const { id: poolId } = pool;
    const revisions = new Map<string, number>();
    const port = new JournaledSender(poolId, this.sender, this.journal, () => [...revisions.keys()]);
    const note = (event: PoolEvent): void => {
      activity.note(event);
      this.note(poolId, event);
    };
    const dispatcher = new Dispatcher(port, systemClock, chatId, settings, note);
    const activity = new PoolActivity(
      systemClock,
      () => dispatcher.status().backlog,
      (events) => this.events.add(poolId, events),
    );
    return { dispatcher, activity, watch: new PoolWatch(pool), revisions };
  }

  private note(poolId: string, event: PoolEvent): void {
    switch (event.type) {
      case 'cooldown':
        this.keep(this.repository.noteCooldown(event.botId, new Date(event.untilUnixMs)));
        break;
      case 'quarantined':
        this.logger.warn(`a bot was put aside: ${event.reason}`, { poolId, sessionId: event.botId });
        this.keep(this.repository.noteQuarantine(event.botId, event.reason));
        break;
      case 'orphan':
        this.keep(this.discard(poolId, event.orphan));
        break;
      case 'started':
      case 'stored':
      case 'failed':
      case 'attempt':
        break;
      default:
        event satisfies never;
    }
  }

  /** Deletes a message that nobody wants. One that cannot be stays known, and so does a send whose message is not. */
  private async discard(poolId: string, orphan: Orphan): Promise<void> {
    const { botId, chatId, messageId, partId, reason } = orphan;
    if (messageId === undefined) return;
    const isErased = await this.sender.erase({ botId, chatId, messageId }).then(
      () => true,
      () => false,
    );
    if (reason !== 'wrong_answer') {
      // It was written down as it was stored.
      if (isErased) await this.journal.forget(partId);
    } else if (!isErased) await this.journal.noteOrphan(poolId, orphan);
  }

  private keep(write: Promise<void>): void {
    const kept = write
      .catch((error: unknown) => this.logger.warn(`what a pool has learnt was not stored: ${messageOf(error)}`))
      .finally(() => this.writes.delete(kept));
    this.writes.add(kept);
  }
}

async function end({ dispatcher, activity }: Run, drainMs: number): Promise<void> {
  await dispatcher.close(drainMs);
  await activity.close();
}

/** Does what somebody has asked for since the last look. */
function followBot({ dispatcher, revisions }: Run, bot: PoolBotRow): void {
  const { sessionId: id, state, reason = '', revision, cooldownUntil } = bot;
  const followed = revisions.get(id);
  if (followed === revision) return;
  revisions.set(id, revision);
  if (followed === undefined) {
    dispatcher.addBot({
      id,
      isPaused: state === 'paused',
      ...(state === 'quarantined' && { quarantine: reason }),
      ...(cooldownUntil !== undefined && { cooldownUntil: cooldownUntil.getTime() }),
    });
    return;
  }
  dispatcher.pauseBot(id, state === 'paused');
  if (state === 'quarantined') dispatcher.quarantine(id, reason);
  else dispatcher.restoreBot(id);
  if (cooldownUntil === undefined) dispatcher.liftCooldown(id);
}
