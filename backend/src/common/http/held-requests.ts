import { Injectable } from '@nestjs/common';
import type { FastifyReply } from 'fastify';
import { AppConfig } from '../../config/index.js';
import { TooManyHeldRequestsError } from '../errors/index.js';
import { currentContext } from './request-context.js';

/**
 * The requests that this process holds open for long, streams of events and those that wait for something to happen: each costs
 * memory and a question to the database now and then. A scoped token, and an address from which scoped tokens come, may have some of
 * them; the master, whose console needs them too, as many as it likes.
 */
@Injectable()
export class HeldRequests {
  private readonly byToken = new Map<string, number>();
  private readonly byAddress = new Map<string, number>();

  constructor(private readonly config: AppConfig) {}

  /**
   * Counts the request that is being served until its answer is sent or its client has left.
   * @throws TooManyHeldRequestsError
   */
  hold({ raw }: Pick<FastifyReply, 'raw'>): void {
    const context = currentContext();
    if (context?.caller?.kind !== 'token') return;
    const { perToken, perAddress } = this.config.heldRequests;
    const { tokenId } = context.caller;
    const { remoteAddress } = context;
    if ((this.byToken.get(tokenId) ?? 0) >= perToken) throw new TooManyHeldRequestsError('token', perToken);
    if ((this.byAddress.get(remoteAddress) ?? 0) >= perAddress)
      throw new TooManyHeldRequestsError('address', perAddress);
    // Nobody would tell of the end of what is over.
    if (raw.closed) return;
    add(this.byToken, tokenId, 1);
    add(this.byAddress, remoteAddress, 1);
    raw.once('close', () => {
      add(this.byToken, tokenId, -1);
      add(this.byAddress, remoteAddress, -1);
    });
  }
}

function add(counts: Map<string, number>, key: string, change: number): void {
  const count = (counts.get(key) ?? 0) + change;
  if (count > 0) counts.set(key, count);
  else counts.delete(key);
}
