import { Injectable } from '@nestjs/common';
import { isStillReferred } from '../../common/db/database-failure.js';
import { keysetPage } from '../../common/db/keyset.js';
import { UnitOfWork } from '../../common/db/unit-of-work.js';
import { InUseError, NotFoundError } from '../../common/errors/index.js';
import type { Page, PageRequest } from '../../common/http/index.js';
import { ProxyEntity } from './proxy.entity.js';
import { type ProxyChange, type ProxyDraft, ProxyVault, type ProxyVerdict } from './proxy-vault.js';

/** The registry of proxies. */
@Injectable()
export class ProxiesService {
  constructor(
    private readonly unitOfWork: UnitOfWork,
    private readonly vault: ProxyVault,
  ) {}

  list(page: PageRequest): Promise<Page<ProxyEntity>> {
    return keysetPage(this.unitOfWork.manager.createQueryBuilder(ProxyEntity, 'proxy'), page);
  }

  /** @throws ValidationFailedError */
  create(draft: ProxyDraft): Promise<string> {
    return this.vault.create(draft);
  }

  /** @throws NotFoundError, ValidationFailedError */
  async change(id: string, change: ProxyChange): Promise<void> {
    const { label, ...rest } = change;
    if (Object.keys(rest).length > 0) return this.vault.change(id, change);
    // A label is no secret, so that renaming needs no worker.
    const { manager } = this.unitOfWork;
    const found =
      label === undefined
        ? await manager.existsBy(ProxyEntity, { id })
        : (await manager.update(ProxyEntity, id, { label: label === '' ? null : label })).affected === 1;
    if (!found) throw new NotFoundError('proxy', id);
  }

  /** Whether Telegram can be reached through it now. @throws NotFoundError */
  test(id: string): Promise<ProxyVerdict> {
    return this.vault.test(id);
  }

  /** @throws NotFoundError, InUseError */
  async remove(id: string): Promise<void> {
    let affected: number | null | undefined;
    try {
      ({ affected } = await this.unitOfWork.manager.delete(ProxyEntity, id));
    } catch (error) {
      if (isStillReferred(error)) throw new InUseError('proxy', await this.sessionsUsing(id));
      throw error;
    }
    if (affected === 0) throw new NotFoundError('proxy', id);
  }

  private async sessionsUsing(id: string): Promise<string[]> {
    const rows = await this.unitOfWork.rows<{ id: string }>(
      'SELECT id FROM sessions WHERE proxy_id = $1 ORDER BY created_at, id LIMIT 1000',
      [id],
    );
    return rows.map((row) => row.id);
  }
}
