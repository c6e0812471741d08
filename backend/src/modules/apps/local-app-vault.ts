import { randomUUID } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { SecretBox, type SealedAt } from '../../common/crypto/secret-box.js';
import { UnitOfWork } from '../../common/db/unit-of-work.js';
import { NotFoundError } from '../../common/errors/index.js';
import { AppEntity } from './app.entity.js';
import { type AppChange, type AppDraft, AppVault } from './app-vault.js';

/** What TDLib needs of an app. */
export interface AppCredentials {
  readonly apiId: number;
  readonly apiHash: string;
}

const sealedAt = (id: string): SealedAt => ({ table: 'apps', column: 'api_hash_sealed', id });

/** The vault of a process that has MASTER_KEY. */
@Injectable()
export class LocalAppVault extends AppVault {
  constructor(
    private readonly unitOfWork: UnitOfWork,
    private readonly box: SecretBox,
  ) {
    super();
  }

  async create({ apiId, apiHash, label }: AppDraft): Promise<string> {
    const id = randomUUID();
    await this.unitOfWork.manager.insert(AppEntity, {
      id,
      apiId,
      apiHashSealed: this.box.seal(apiHash, sealedAt(id)),
      label: label === undefined || label === '' ? null : label,
    });
    return id;
  }

  async change(id: string, { apiId, apiHash, label }: AppChange): Promise<void> {
    const { affected } = await this.unitOfWork.manager.update(AppEntity, id, {
      ...(apiId !== undefined && { apiId }),
      ...(apiHash !== undefined && { apiHashSealed: this.box.seal(apiHash, sealedAt(id)) }),
      ...(label !== undefined && { label: label === '' ? null : label }),
    });
    if (affected === 0) throw new NotFoundError('app', id);
  }

  /** @throws NotFoundError, MasterKeyMismatchError */
  async credentials(id: string): Promise<AppCredentials> {
    const app = await this.unitOfWork.manager.findOneBy(AppEntity, { id });
    if (!app) throw new NotFoundError('app', id);
    return { apiId: app.apiId, apiHash: this.box.open(app.apiHashSealed, sealedAt(id)).toString('utf8') };
  }
}
