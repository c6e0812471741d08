import { Injectable } from '@nestjs/common';
import { UnitOfWork } from '../../common/db/unit-of-work.js';
import { ScopeDeniedError } from '../../common/errors/index.js';
import type { PoolAccess, TokenScope } from '../../common/http/index.js';

/** Whether a scope covers a pool of bots, which a path names by its id or its name. */
@Injectable()
export class PoolCoverage {
  constructor(private readonly unitOfWork: UnitOfWork) {}

  /** @throws ScopeDeniedError, the same for a pool that does not exist */
  async require({ pools = new Map() }: TokenScope, pool: string, needed: PoolAccess): Promise<void> {
    const access = pools.get(pool) ?? (pools.size > 0 ? pools.get(await this.idOf(pool)) : undefined);
    if (access === undefined) throw new ScopeDeniedError('the token is not permitted for this pool');
    if (needed === 'write' && access !== 'write') throw new ScopeDeniedError('the token may only read in this pool');
  }

  /** Not remembered: a name may become another pool's. */
  private async idOf(name: string): Promise<string> {
    const [row] = await this.unitOfWork.rows<{ id: string }>('SELECT id::text FROM pools WHERE name = $1', [name]);
    return row?.id ?? '';
  }
}
