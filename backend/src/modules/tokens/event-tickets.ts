import { createHash, randomBytes } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { UnitOfWork } from '../../common/db/unit-of-work.js';
import type { Caller } from '../../common/http/index.js';
import { usable } from './scoped-tokens.js';
import { TokensRepository } from './tokens.repository.js';

const LIFETIME_SECONDS = 60;

const hashOf = (ticket: string): Buffer => createHash('sha256').update(ticket).digest();

/** Tickets for streams: a browser's EventSource can send no token. Each serves once, at any gateway, within a minute. */
@Injectable()
export class EventTickets {
  constructor(
    private readonly unitOfWork: UnitOfWork,
    private readonly tokens: TokensRepository,
  ) {}

  async issue(caller: Caller): Promise<{ readonly ticket: string; readonly expiresAt: Date }> {
    const ticket = randomBytes(32).toString('base64url');
    // What nobody has used goes with the next one.
    const [row] = await this.unitOfWork.rows<{ expires_at: Date }>(
      `WITH old AS (DELETE FROM event_tickets WHERE expires_at < now())
       INSERT INTO event_tickets (hash, token_id, expires_at)
       VALUES ($1, $2, now() + make_interval(secs => $3)) RETURNING expires_at`,
      [hashOf(ticket), caller.kind === 'token' ? caller.tokenId : null, LIFETIME_SECONDS],
    );
    if (row === undefined) throw new Error('the ticket was not stored');
    return { ticket, expiresAt: row.expires_at };
  }

  /**
   * Takes a ticket. @returns whose it was; undefined when it is none of ours, too old or used
   * @throws TokenDisabledError, TokenExpiredError
   */
  async take(ticket: string): Promise<Caller | undefined> {
    const [row] = await this.unitOfWork.rows<{ token_id: string | null }>(
      'DELETE FROM event_tickets WHERE hash = $1 AND expires_at > now() RETURNING token_id',
      [hashOf(ticket)],
    );
    if (row === undefined) return undefined;
    if (row.token_id === null) return { kind: 'master', via: 'token' };
    const token = await this.tokens.find(row.token_id);
    return token && usable(token);
  }
}
