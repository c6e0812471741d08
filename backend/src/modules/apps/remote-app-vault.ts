import { Injectable } from '@nestjs/common';
import { WorkerClient } from '../../common/cluster/index.js';
import type { AppCreatedDto, CreateAppDto, UpdateAppDto } from './app.dto.js';
import { type AppChange, type AppDraft, AppVault } from './app-vault.js';

/** The vault of a gateway, which has no MASTER_KEY: any worker seals for it. */
@Injectable()
export class RemoteAppVault extends AppVault {
  constructor(private readonly workers: WorkerClient) {
    super();
  }

  async create({ apiId, apiHash, label }: AppDraft): Promise<string> {
    const body: CreateAppDto = { api_id: apiId, api_hash: apiHash, ...(label !== undefined && { label }) };
    const created = await this.workers.requestAny<AppCreatedDto>({ method: 'POST', path: '/internal/apps', body });
    return created.app_id;
  }

  async change(id: string, { apiId, apiHash, label }: AppChange): Promise<void> {
    const body: UpdateAppDto = {
      ...(apiId !== undefined && { api_id: apiId }),
      ...(apiHash !== undefined && { api_hash: apiHash }),
      ...(label !== undefined && { label }),
    };
    await this.workers.requestAny({ method: 'PATCH', path: `/internal/apps/${encodeURIComponent(id)}`, body });
  }
}
