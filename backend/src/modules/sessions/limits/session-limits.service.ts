import { Injectable } from '@nestjs/common';
import { KindMismatchError, NotFoundError } from '../../../common/errors/index.js';
import { type Caller, currentContext, existingId, type Page, type PageRequest } from '../../../common/http/index.js';
import { AppLogger } from '../../../common/log/app-logger.js';
import {
  type Flood,
  type FloodCount,
  FloodsRepository,
  type FloodsRequest,
  type Lift,
  LimitsRepository,
  LimitsService,
  toCooldownDto,
  toSessionLimitRuleDto,
} from '../../limits/index.js';
import type { SessionKind } from '../session.dto.js';
import type { SessionEntity } from '../session.entity.js';
import { SessionHost } from '../session-host.js';
import { stateOfRow } from '../session-state.js';
import { SessionsRepository } from '../sessions.repository.js';
import { SessionsService } from '../sessions.service.js';
import { limitsOfState } from './live-limits.js';
import type { FloodsQueryDto, LiftDto, MyLimitsDto, SessionLimitsDto } from './session-limits.dto.js';

function toLiftDto({ scope, at, reason }: Lift): LiftDto {
  return { scope, at: at.toISOString(), ...(reason !== undefined && { reason }) };
}

const tokenIdOf = (caller: Caller): string | undefined => (caller.kind === 'token' ? caller.tokenId : undefined);

/** The limits of sessions: what their workers know, and the rules about them. */
@Injectable()
export class SessionLimitsService {
  private readonly logger: AppLogger;

  constructor(
    private readonly repository: SessionsRepository,
    private readonly sessions: SessionsService,
    private readonly host: SessionHost,
    private readonly stored: LimitsRepository,
    private readonly floods: FloodsRepository,
    private readonly limits: LimitsService,
    logger: AppLogger,
  ) {
    this.logger = logger.for(SessionLimitsService.name);
  }

  /** @throws NotFoundError, KindMismatchError */
  async get(kind: SessionKind, id: string, caller: Caller): Promise<SessionLimitsDto> {
    const row = await this.existing(kind, id);
    const session = { sessionId: row.id, kind: row.kind };
    // First the worker, which gives back what it has counted ahead.
    const live = await this.host.limits(row.id);
    const rules = await this.limits.about([session], tokenIdOf(caller), caller.kind === 'master');
    return {
      ...(live ?? limitsOfState(stateOfRow(row), await this.storedCooldowns(row.id))),
      rules: (rules.get(row.id) ?? []).map(toSessionLimitRuleDto),
      // The master's words are for the master.
      ...(caller.kind === 'master' && { lifts: (await this.stored.lifts(row.id)).map(toLiftDto) }),
    };
  }

  /** Of all sessions that the caller may use; the master sees every one. */
  async mine(request: PageRequest, caller: Caller): Promise<MyLimitsDto> {
    const { items, nextCursor } = await this.sessions.list(request, caller);
    const ids = items.map(({ id }) => id);
    const [cooldowns, rules] = await Promise.all([
      this.stored.cooldowns(ids),
      this.limits.about(
        items.map(({ id, kind }) => ({ sessionId: id, kind })),
        tokenIdOf(caller),
        false,
      ),
    ]);
    return {
      sessions: items.map((item) => ({
        ...item,
        cooldowns: (cooldowns.get(item.id) ?? []).map(({ cooldown }) => toCooldownDto(cooldown)),
        rules: (rules.get(item.id) ?? []).map(toSessionLimitRuleDto),
      })),
      ...(nextCursor !== undefined && { next_cursor: nextCursor }),
    };
  }

  /** Ends a cooldown early. @throws NotFoundError when none runs; KindMismatchError */
  async lift(kind: SessionKind, id: string, scope: string, reason: string | undefined): Promise<void> {
    const row = await this.existing(kind, id);
    if (!(await this.host.liftCooldown(row.id, scope))) {
      throw new NotFoundError('cooldown', scope);
    }
    await this.stored.noteLift(row.id, scope, reason);
    this.logger.info('a cooldown was ended early', {
      sessionId: row.id,
      scope,
      requestId: currentContext()?.requestId,
      ...(reason !== undefined && { reason }),
    });
  }

  /** Newest first. @throws NotFoundError, KindMismatchError, ValidationFailedError */
  async floodsOf(kind: SessionKind, id: string, query: FloodsQueryDto): Promise<Page<Flood>> {
    const { limit, before } = query.toPage();
    const row = await this.existing(kind, id);
    return this.floods.page(row.id, query.toRequest(), limit, before);
  }

  /** @throws NotFoundError, KindMismatchError */
  async floodCounts(
    kind: SessionKind,
    id: string,
    request: FloodsRequest,
    by: 'hour' | 'day',
  ): Promise<readonly FloodCount[]> {
    const row = await this.existing(kind, id);
    return this.floods.counts(row.id, request, by);
  }

  private async storedCooldowns(id: string): Promise<readonly Parameters<typeof toCooldownDto>[0][]> {
    const stored = await this.stored.cooldowns([id]);
    return (stored.get(id) ?? []).map(({ cooldown }) => cooldown);
  }

  private async existing(kind: SessionKind, id: string): Promise<SessionEntity> {
    const row = await this.repository.find(existingId('session', id));
    if (row === null) throw new NotFoundError('session', id);
    if (row.kind !== kind) throw new KindMismatchError(kind, row.kind);
    return row;
  }
}
