import { Injectable } from '@nestjs/common';
import { isStillReferred } from '../../common/db/database-failure.js';
import { keysetPage } from '../../common/db/keyset.js';
import { UnitOfWork } from '../../common/db/unit-of-work.js';
import { InUseError, NotFoundError } from '../../common/errors/index.js';
import type { Page, PageRequest } from '../../common/http/index.js';
import { AppEntity } from './app.entity.js';
import { type AppChange, type AppDraft, AppVault } from './app-vault.js';

/** The registry of apps. */
@Injectable()
export class AppsService {
  constructor(
    private readonly unitOfWork: UnitOfWork,
    private readonly vault: AppVault,
  ) {}

  list(page: PageRequest): Promise<Page<AppEntity>> {
    return keysetPage(this.unitOfWork.manager.createQueryBuilder(AppEntity, 'app'), page);
  }

  create(draft: AppDraft): Promise<string> {
    return this.vault.create(draft);
  }

  /** @throws NotFoundError */
  async change(id: string, change: AppChange): Promise<void> {
    const isLabelOnly = change.apiHash === undefined && change.apiId === undefined;
    if (!isLabelOnly) return this.vault.change(id, change);
    // A label is no secret, so that renaming needs no worker.
    const label = change.label === '' ? null : change.label;
    const { manager } = this.unitOfWork;
    const found =
      label === undefined
        ? await manager.existsBy(AppEntity, { id })
        : (await manager.update(AppEntity, id, { label })).affected === 1;
    if (!found) throw new NotFoundError('app', id);
  }

  /** @throws NotFoundError, InUseError */
  async remove(id: string): Promise<void> {
    let affected: number | null | undefined;
    try {
      ({ affected } = await this.unitOfWork.manager.delete(AppEntity, id));
    } catch (error) {
      if (isStillReferred(error)) throw new InUseError('app', await this.sessionsUsing(id));
      throw error;
    }
    if (affected === 0) throw new NotFoundError('app', id);
  }

  private async sessionsUsing(id: string): Promise<string[]> {
    const rows = await this.unitOfWork.rows<{ id: string }>(
      'SELECT id FROM sessions WHERE app_id = $1 ORDER BY created_at, id LIMIT 1000',
      [id],
    );
    return rows.map((row) => row.id);
  }
}
