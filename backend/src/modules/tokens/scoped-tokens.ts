import { Injectable, type OnModuleInit } from '@nestjs/common';
import { Notifications } from '../../common/db/notifications.js';
import { Remembered, type RememberOptions } from '../../common/db/remembered.js';
import { NotFoundError, TokenDisabledError, TokenExpiredError } from '../../common/errors/index.js';
import type { TokenCaller } from '../../common/http/index.js';
import { TokenUsage } from './token-usage.js';
import { digestOf, isTokenForm } from './token-secret.js';
import { type StoredToken, TokensRepository } from './tokens.repository.js';

/**
 * How long what is known of tokens and scopes serves without asking, so that a request needs no database, and how long while the
 * database is away. A revoked token is dead within a second even where no notification of it arrives.
 */
export const REMEMBER: RememberOptions = { freshMs: 800, usableMs: 60_000, maxKeys: 10_000 };

/**
 * The caller that a stored token stands for now. A secret that was replaced is as good as none when its overlap is over.
 * @throws TokenDisabledError, TokenExpiredError
 */
export function usable(
  { caller, enabled, expiresAt, secretUntil }: StoredToken,
  now = Date.now(),
): TokenCaller | undefined {
  if (secretUntil !== undefined && secretUntil <= now) return undefined;
  if (!enabled) throw new TokenDisabledError();
  if (expiresAt !== undefined && expiresAt <= now) throw new TokenExpiredError();
  return caller;
}

/** The scoped tokens that requests come with. */
@Injectable()
export class ScopedTokens implements OnModuleInit {
  private readonly tokens: Remembered<StoredToken>;

  constructor(
    private readonly repository: TokensRepository,
    private readonly usage: TokenUsage,
    private readonly notifications: Notifications,
  ) {
    this.tokens = new Remembered((digest) => this.repository.findByHash(Buffer.from(digest, 'base64url')), REMEMBER);
  }

  onModuleInit(): void {
    this.notifications.subscribe('token_changed', (changed) => {
      if (changed === undefined) this.tokens.doubt();
      else this.forget(changed);
    });
  }

  /** The token has changed; where the change was made nobody waits for the notification. */
  forget(tokenId: string): void {
    this.tokens.forgetWhere(({ caller }) => caller.tokenId === tokenId);
  }

  /**
   * The caller that the holder of a token would be now, whom nobody has seen.
   * @throws NotFoundError, TokenDisabledError, TokenExpiredError
   */
  async holderOf(tokenId: string): Promise<TokenCaller> {
    const stored = await this.repository.find(tokenId);
    const caller = stored && usable(stored);
    if (!caller) throw new NotFoundError('token', tokenId);
    return caller;
  }

  /**
   * Who holds this token; undefined when it is none of ours.
   * @throws TokenDisabledError, TokenExpiredError, DatabaseUnavailableError
   */
  async find(token: string): Promise<TokenCaller | undefined> {
    if (!isTokenForm(token)) return undefined;
    const stored = await this.tokens.get(digestOf(token).toString('base64url'));
    const caller = stored && usable(stored);
    if (caller) this.usage.note(caller.tokenId);
    return caller;
  }
}
