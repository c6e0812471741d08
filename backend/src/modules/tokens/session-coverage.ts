import { Injectable } from '@nestjs/common';
import { Remembered } from '../../common/db/remembered.js';
import { UnitOfWork } from '../../common/db/unit-of-work.js';
import { ScopeDeniedError } from '../../common/errors/index.js';
import { isUuid, type TokenScope } from '../../common/http/index.js';
import { REMEMBER } from './scoped-tokens.js';
import { covers } from './token-scope.js';

/** Whether a scope covers a session that is known by its id alone. */
@Injectable()
export class SessionCoverage {
  /** A session keeps its app for life. */
  private readonly apps: Remembered<string>;

  constructor(unitOfWork: UnitOfWork) {
    this.apps = new Remembered(async (sessionId) => {
      const sql = 'SELECT app_id FROM sessions WHERE id = $1';
      const [row] = await unitOfWork.rows<{ app_id: string }>(sql, [sessionId]);
      return row?.app_id;
    }, REMEMBER);
  }

  /** @throws ScopeDeniedError, the same for a session that does not exist */
  async require(scope: TokenScope, sessionId: string): Promise<void> {
    if (!(await this.covers(scope, sessionId))) {
      throw new ScopeDeniedError('the token is not permitted for this session');
    }
  }

  /** Looks at the registry only where the scope's apps decide. */
  async covers(scope: TokenScope, sessionId: string): Promise<boolean> {
    const id = sessionId.toLowerCase();
    if (covers(scope, { id, appId: undefined })) return true;
    if (scope.appIds.size === 0 || !isUuid(id)) return false;
    return covers(scope, { id, appId: await this.apps.get(id) });
  }
}
