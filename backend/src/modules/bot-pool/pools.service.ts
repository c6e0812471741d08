import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { Injectable } from '@nestjs/common';
import { violates } from '../../common/db/database-failure.js';
import { AppError, KindMismatchError, messageOf, NotFoundError, RemoteError } from '../../common/errors/index.js';
import { BotCalls } from './bot-calls.js';
import {
  BotInPoolError,
  JanitorUnfitError,
  NoBotFitsError,
  PoolNameTakenError,
  PoolNotEmptyError,
} from './bot-pool.errors.js';
import { type DispatcherStatus, MAX_BOTS } from './dispatcher/dispatcher.js';
import { TooManyBotsError } from './dispatcher/dispatcher.errors.js';
import { DEFAULT_LIMITS } from './dispatcher/send-budget.js';
import { ObjectsRepository } from './objects.repository.js';
import type { AddPoolChatDto, CreatePoolDto, UpdatePoolDto } from './pool.dto.js';
import { PoolHost } from './pool-host.js';
import { toLimits, toScrub } from './pool.mapping.js';
import { type PoolBotRow, type PoolRow, PoolsRepository } from './pools.repository.js';

/** With 20 messages a minute, this size a message is 21 MB/s a bot: more than most lines have. */
const DEFAULT_CHUNK_BYTES = 64 * 1024 ** 2;

/** What passes by itself: the worker of a session is gone for a moment, or the session is being opened. */
const PASSING: ReadonlySet<number> = new Set([502, 503]);
const ATTEMPTS = 4;
const PAUSE_MS = 500;

/** A pool with its bots. */
export interface PoolWithBots {
  readonly pool: PoolRow;
  readonly bots: readonly PoolBotRow[];
}

/** Pools: what they are made of, and whether their bots can do the work. */
@Injectable()
export class PoolsService {
  constructor(
    private readonly repository: PoolsRepository,
    private readonly objects: ObjectsRepository,
    private readonly host: PoolHost,
    private readonly bots: BotCalls,
  ) {}

  /** @throws PoolNameTakenError, BotInPoolError, NoBotFitsError, JanitorUnfitError, NotFoundError, KindMismatchError */
  async create(dto: CreatePoolDto): Promise<PoolWithBots> {
    const reasons = new Map<string, string | undefined>();
    for (const id of dto.session_ids) reasons.set(id, await this.unfit(id, dto.chat_id));
    const unfit = [...reasons].flatMap(([id, reason]) => (reason === undefined ? [] : [{ session_id: id, reason }]));
    if (unfit.length === reasons.size) throw new NoBotFitsError(unfit);
    const janitorId = dto.janitor_session_id?.toLowerCase();
    await this.expectJanitor(janitorId, [dto.chat_id]);
    const id = randomUUID();
    const settings = {
      name: dto.name,
      chunkBytes: dto.chunk_size ?? DEFAULT_CHUNK_BYTES,
      budget: dto.budget === undefined ? DEFAULT_LIMITS : toLimits(dto.budget),
      isPaused: false,
      janitorId,
      scrub: toScrub(dto.scrub),
    };
    await this.named(dto.name, () => this.repository.create(id, settings, dto.chat_id));
    try {
      for (const [sessionId, reason] of reasons) await this.register(id, sessionId, reason);
    } catch (error) {
      await this.repository.remove(id);
      throw error;
    }
    return this.find(id);
  }

  async list(): Promise<PoolWithBots[]> {
    const pools = await this.repository.list();
    return Promise.all(pools.map(async (pool) => ({ pool, bots: await this.repository.bots(pool.id) })));
  }

  /** By its id or its name. @throws NotFoundError */
  async find(idOrName: string): Promise<PoolWithBots> {
    const pool = await this.repository.find(idOrName);
    if (pool === undefined) throw new NotFoundError('pool', idOrName);
    return { pool, bots: await this.repository.bots(pool.id) };
  }

  /** @throws NotFoundError, PoolNameTakenError, JanitorUnfitError, KindMismatchError */
  async update(idOrName: string, change: UpdatePoolDto): Promise<PoolWithBots> {
    const { pool } = await this.find(idOrName);
    const { janitor_session_id: janitor } = change;
    const settings = {
      name: change.name ?? pool.name,
      chunkBytes: change.chunk_size ?? pool.chunkBytes,
      budget: change.budget === undefined ? pool.budget : toLimits(change.budget),
      isPaused: change.paused ?? pool.isPaused,
      janitorId: janitor === undefined ? pool.janitorId : (janitor?.toLowerCase() ?? undefined),
      scrub: change.scrub === undefined ? pool.scrub : toScrub(change.scrub),
    };
    if (janitor !== undefined) await this.expectJanitor(settings.janitorId, pool.chatIds);
    await this.named(settings.name, () => this.repository.update(pool.id, settings));
    return this.find(pool.id);
  }

  /** @param detach whether objects are forgotten, their messages staying. @throws NotFoundError, PoolNotEmptyError */
  async remove(idOrName: string, detach: boolean): Promise<void> {
    const { pool } = await this.find(idOrName);
    if (pool.objects > 0 && !detach) throw new PoolNotEmptyError(pool.objects);
    await this.objects.detach(pool.id);
    await this.repository.remove(pool.id);
  }

  /** @throws NotFoundError, BotInPoolError, TooManyBotsError, KindMismatchError */
  async addBot(idOrName: string, sessionId: string): Promise<PoolWithBots> {
    const { pool, bots } = await this.find(idOrName);
    if (bots.length >= MAX_BOTS) throw new TooManyBotsError(MAX_BOTS);
    await this.register(pool.id, sessionId, await this.unfit(sessionId, pool.chatIds.at(-1) ?? 0));
    return this.find(pool.id);
  }

  /** @throws NotFoundError */
  async changeBot(idOrName: string, sessionId: string, state: 'active' | 'paused'): Promise<PoolWithBots> {
    const { pool } = await this.find(idOrName);
    expectBot(await this.repository.changeBot(pool.id, sessionId, state, undefined), sessionId);
    return this.find(pool.id);
  }

  /**
   * What waits goes to others.
   * @param drain whether what it is sending may end; otherwise that goes to another bot as well
   * @throws NotFoundError
   */
  async removeBot(idOrName: string, sessionId: string, drain: boolean): Promise<void> {
    const { pool } = await this.find(idOrName);
    expectBot(await this.repository.removeBot(pool.id, sessionId), sessionId);
    if (!drain) await this.host.evict(pool.id, sessionId);
  }

  /** @throws NotFoundError */
  async liftCooldown(idOrName: string, sessionId: string): Promise<void> {
    const { pool } = await this.find(idOrName);
    expectBot(await this.repository.liftCooldown(pool.id, sessionId), sessionId);
  }

  /** New messages go there. @throws NotFoundError, NoBotFitsError unless a bot of the pool can store there */
  async addChat(idOrName: string, { chat_id: chatId }: AddPoolChatDto): Promise<PoolWithBots> {
    const { pool, bots } = await this.find(idOrName);
    const reasons = await this.examine(bots, chatId);
    const unfit = reasons.flatMap(({ bot, reason }) =>
      reason === undefined ? [] : [{ session_id: bot.sessionId, reason }],
    );
    if (unfit.length === bots.length) throw new NoBotFitsError(unfit);
    await this.repository.addChat(pool.id, chatId);
    return this.verify(pool.id);
  }

  /** Looks anew at what each bot may do; those put aside that are well again come back. @throws NotFoundError */
  async verify(idOrName: string): Promise<PoolWithBots> {
    const { pool, bots } = await this.find(idOrName);
    for (const { bot, reason } of await this.examine(bots, pool.chatIds.at(-1) ?? 0)) {
      const state = reason !== undefined ? 'quarantined' : bot.state === 'paused' ? 'paused' : 'active';
      if (state === bot.state && reason === bot.reason) continue;
      await this.repository.changeBot(pool.id, bot.sessionId, state, reason);
    }
    return this.find(pool.id);
  }

  /** @throws NotFoundError, PoolClosedError */
  async status(idOrName: string): Promise<DispatcherStatus> {
    const { pool } = await this.find(idOrName);
    return this.host.status(pool.id);
  }

  private examine(
    bots: readonly PoolBotRow[],
    chatId: number,
  ): Promise<{ readonly bot: PoolBotRow; readonly reason: string | undefined }[]> {
    return Promise.all(bots.map(async (bot) => ({ bot, reason: await this.unfit(bot.sessionId, chatId) })));
  }

  /** Why a bot cannot store in a chat. @throws NotFoundError, KindMismatchError for what is no bot session */
  private unfit(sessionId: string, chatId: number): Promise<string | undefined> {
    return told(() => this.bots.unfitFor(sessionId, chatId));
  }

  /** @throws NotFoundError, KindMismatchError, JanitorUnfitError */
  private async expectJanitor(id: string | undefined, chatIds: readonly number[]): Promise<void> {
    if (id === undefined) return;
    for (const chatId of chatIds) {
      const reason = await told(() => this.bots.unfitToClean(id, chatId));
      if (reason !== undefined) throw new JanitorUnfitError(chatId, reason);
    }
  }

  private async register(poolId: string, sessionId: string, reason: string | undefined): Promise<void> {
    const state = reason === undefined ? 'active' : 'quarantined';
    if (!(await this.repository.addBot(poolId, sessionId, state, reason))) throw new BotInPoolError(sessionId);
  }

  private async named(name: string, write: () => Promise<void>): Promise<void> {
    try {
      await write();
    } catch (error) {
      const isTaken = violates(error, 'pools_name_unique') || violates(error, 'pool_buckets_name_unique');
      throw isTaken ? new PoolNameTakenError(name) : error;
    }
  }
}

/** What a session is unfit for, also when it cannot even be asked. @throws NotFoundError, KindMismatchError for what is no such session */
async function told(ask: () => Promise<string | undefined>): Promise<string | undefined> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await ask();
    } catch (error) {
      const isNone = error instanceof NotFoundError || error instanceof KindMismatchError;
      if (isNone || (error instanceof RemoteError && error.status === 404)) throw error;
      // A session that is just moving is soon there.
      const mayPass = error instanceof AppError && PASSING.has(error.status);
      if (!mayPass || attempt === ATTEMPTS) return messageOf(error);
      await sleep(PAUSE_MS);
    }
  }
}

function expectBot(isThere: boolean, sessionId: string): void {
  if (!isThere) throw new NotFoundError('session', sessionId);
}
