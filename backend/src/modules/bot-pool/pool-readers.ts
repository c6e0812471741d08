import { Injectable } from '@nestjs/common';
import { NotFoundError, TokenDisabledError, TokenExpiredError } from '../../common/errors/index.js';
import { ScopedTokens } from '../tokens/index.js';

/** Whether a token may still read in a pool, asked for what outlives the request that it came with: links and streams. */
@Injectable()
export class PoolReaders {
  constructor(private readonly tokens: ScopedTokens) {}

  async mayRead(tokenId: string, poolId: string): Promise<boolean> {
    try {
      return (await this.tokens.holderOf(tokenId)).scope.pools?.has(poolId) === true;
    } catch (error) {
      if (error instanceof NotFoundError || error instanceof TokenDisabledError || error instanceof TokenExpiredError) {
        return false;
      }
      throw error;
    }
  }
}
