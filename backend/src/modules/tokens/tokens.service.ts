import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { Injectable } from '@nestjs/common';
import { databaseFailure } from '../../common/db/database-failure.js';
import { keysetPage } from '../../common/db/keyset.js';
import { Notifications } from '../../common/db/notifications.js';
import { UnitOfWork } from '../../common/db/unit-of-work.js';
import { NotFoundError, ValidationFailedError } from '../../common/errors/index.js';
import { isUuid, Page, type PageRequest, type PoolAccess } from '../../common/http/index.js';
import { DEFAULT_METHOD_CLASSES, type MethodClass, METHOD_CLASSES } from '../../telegram/index.js';
import { ScopedTokens } from './scoped-tokens.js';
import { ApiTokenEntity } from './token.entity.js';
import { makeSecret } from './token-secret.js';
import { type ScopeKind, TokensRepository } from './tokens.repository.js';

/** A token as its owner sees it. */
export interface ListedToken {
  readonly token: ApiTokenEntity;
  readonly appIds: readonly string[];
  readonly sessionIds: readonly string[];
  /** Until when a secret serves that was replaced. */
  readonly formerSecretsUntil: Date | undefined;
}

/** What changes of a token; what is absent stays, a list that is given replaces the one before. */
export interface TokenChange {
  /** Empty or null for none. */
  readonly name?: string | null;
  readonly enabled?: boolean;
  readonly allSessions?: boolean;
  /** As they came: what is no id of ours is named in the refusal. */
  readonly appIds?: readonly unknown[];
  readonly sessionIds?: readonly unknown[];
  readonly classes?: readonly MethodClass[];
  /** Null for every method. */
  readonly methods?: readonly string[] | null;
  /** Null for every chat. */
  readonly chats?: readonly number[] | null;
  /** Null for never. */
  readonly expiresAt?: Date | null;
  readonly poolIds?: readonly string[];
  readonly poolAccess?: PoolAccess;
}

/** The registry of scoped tokens. Every process hears of each change and forgets what it knew of the token. */
@Injectable()
export class TokensService {
  constructor(
    private readonly unitOfWork: UnitOfWork,
    private readonly repository: TokensRepository,
    private readonly tokens: ScopedTokens,
    private readonly notifications: Notifications,
  ) {}

  /** In the order of their creation. */
  async list(request: PageRequest): Promise<Page<ListedToken>> {
    const { manager } = this.unitOfWork;
    const { items, nextCursor } = await keysetPage(manager.createQueryBuilder(ApiTokenEntity, 'token'), request);
    return new Page(await this.listed(items), nextCursor);
  }

  /** @throws NotFoundError */
  async get(id: string): Promise<ListedToken> {
    const found = await this.unitOfWork.manager.findBy(ApiTokenEntity, { id });
    const [token] = await this.listed(found);
    if (token === undefined) throw new NotFoundError('token', id);
    return token;
  }

  /**
   * As {@link get}, for the token's holder.
   * @returns undefined when the database is away, or says nothing for a while: its holder is admitted all the same
   */
  async own(id: string): Promise<ListedToken | undefined> {
    const asked = this.get(id).catch((error: unknown) => {
      if (databaseFailure(error)) return undefined;
      throw error;
    });
    const late = new AbortController();
    try {
      return await Promise.race([asked, sleep(PATIENCE_MS, undefined, { signal: late.signal })]);
    } finally {
      late.abort();
    }
  }

  /**
   * Makes a token. The answer is the only place where it is ever shown.
   * @throws ValidationFailedError naming each app, session and pool that does not exist, and an end that is over
   */
  async create(draft: TokenChange): Promise<{ readonly id: string; readonly token: string }> {
    requireFuture(draft);
    const { token, hash, prefix } = makeSecret();
    const id = randomUUID();
    const columns = { ...NEW_TOKEN, ...columnsOf(draft) };
    await this.unitOfWork.run(async () => {
      await this.unitOfWork.manager.insert(ApiTokenEntity, { id, secretHash: hash, prefix, ...columns });
      await this.name(id, draft, true);
    });
    return { id, token };
  }

  /** @throws NotFoundError, ValidationFailedError */
  async change(id: string, change: TokenChange): Promise<void> {
    requireFuture(change);
    await this.unitOfWork.run(async () => {
      if (!(await this.repository.lock(id))) throw new NotFoundError('token', id);
      await this.name(id, change);
      const columns = columnsOf(change);
      if (Object.keys(columns).length > 0) await this.unitOfWork.manager.update(ApiTokenEntity, id, columns);
      await this.notifications.publish('token_changed', id);
    });
    this.tokens.forget(id);
  }

  /**
   * Puts another secret in the place of the token's. The secrets before serve for `overlapMs` more, those before them no longer
   * than they would have. The answer is the only place where the new one is ever shown.
   * @throws NotFoundError
   */
  async rotate(id: string, overlapMs: number): Promise<{ readonly token: string; readonly formerSecretsUntil: Date }> {
    const { token, hash, prefix } = makeSecret();
    const formerSecretsUntil = new Date(Date.now() + overlapMs);
    await this.unitOfWork.run(async () => {
      if (!(await this.repository.lock(id))) throw new NotFoundError('token', id);
      await this.repository.retireSecret(id, formerSecretsUntil);
      await this.unitOfWork.manager.update(ApiTokenEntity, id, { secretHash: hash, prefix });
      await this.notifications.publish('token_changed', id);
    });
    this.tokens.forget(id);
    return { token, formerSecretsUntil };
  }

  /** @throws NotFoundError */
  async remove(id: string): Promise<void> {
    await this.unitOfWork.run(async () => {
      const { affected } = await this.unitOfWork.manager.delete(ApiTokenEntity, id);
      if (affected === 0) throw new NotFoundError('token', id);
      await this.notifications.publish('token_changed', id);
    });
    this.tokens.forget(id);
  }

  private async listed(tokens: readonly ApiTokenEntity[]): Promise<readonly ListedToken[]> {
    const ids = tokens.map(({ id }) => id);
    const apps = await this.repository.named('app', ids);
    const sessions = await this.repository.named('session', ids);
    const formers = await this.repository.formerSecretsUntil(ids);
    return tokens.map((token) => ({
      token,
      appIds: apps.get(token.id) ?? [],
      sessionIds: sessions.get(token.id) ?? [],
      formerSecretsUntil: formers.get(token.id),
    }));
  }

  private async name(id: string, { appIds, sessionIds, poolIds }: TokenChange, isNew = false): Promise<void> {
    const existing = (kind: ScopeKind) => (ids: readonly string[]) => this.repository.existing(kind, ids);
    const apps = appIds && (await sorted('app', appIds, existing('app')));
    const sessions = sessionIds && (await sorted('session', sessionIds, existing('session')));
    const pools =
      poolIds && (await sorted('pool', poolIds, (ids) => this.repository.existingPools(isNew ? undefined : id, ids)));
    const issues = [...(apps?.issues ?? []), ...(sessions?.issues ?? []), ...(pools?.issues ?? [])];
    if (issues.length > 0) throw new ValidationFailedError(issues);
    if (apps) await this.repository.name('app', id, apps.ids);
    if (sessions) await this.repository.name('session', id, sessions.ids);
  }
}

/** The ids that exist, each once, and the places of those that do not. */
async function sorted(
  kind: ScopeKind | 'pool',
  given: readonly unknown[],
  existing: (ids: readonly string[]) => Promise<ReadonlySet<string>>,
): Promise<{ readonly ids: readonly string[]; readonly issues: readonly { path: string; message: string }[] }> {
  const asked = given.map((id) => (typeof id === 'string' && isUuid(id) ? id.toLowerCase() : undefined));
  const ids = [...new Set(asked.filter((id) => id !== undefined))];
  const found = await existing(ids);
  const issues = asked.flatMap((id, index) =>
    id !== undefined && found.has(id) ? [] : [{ path: `${kind}_ids[${index}]`, message: `no such ${kind}` }],
  );
  return { ids, issues };
}

/** How long the database may take to tell of a token whose rights are known, in milliseconds. */
const PATIENCE_MS = 2_000;

/** What a token may do when nothing is said of it. */
const NEW_TOKEN: Pick<ApiTokenEntity, 'classes' | 'poolIds' | 'poolAccess'> = {
  classes: [...DEFAULT_METHOD_CLASSES],
  poolIds: [],
  poolAccess: 'read',
};

/** @throws ValidationFailedError: an end in the past is a mistake, and to end a token now it is disabled */
function requireFuture({ expiresAt }: TokenChange): void {
  if (expiresAt && expiresAt.getTime() <= Date.now()) {
    throw new ValidationFailedError([{ path: 'expires_at', message: 'expires_at must lie in the future' }]);
  }
}

function columnsOf(change: TokenChange): Partial<ApiTokenEntity> {
  const { name, enabled, allSessions, classes, methods, chats, expiresAt, poolIds, poolAccess } = change;
  return {
    ...(name !== undefined && { name: name === '' ? null : name }),
    ...(enabled !== undefined && { enabled }),
    ...(allSessions !== undefined && { allSessions }),
    ...(classes !== undefined && { classes: METHOD_CLASSES.filter((each) => classes.includes(each)) }),
    ...(methods !== undefined && { methods: methods && [...new Set(methods)] }),
    ...(chats !== undefined && { chats: chats && [...new Set(chats)].map(String) }),
    ...(expiresAt !== undefined && { expiresAt }),
    ...(poolIds !== undefined && { poolIds: [...new Set(poolIds.map((each) => each.toLowerCase()))] }),
    ...(poolAccess !== undefined && { poolAccess }),
  };
}
