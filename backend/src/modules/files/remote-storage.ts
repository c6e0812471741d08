import { Injectable } from '@nestjs/common';
import { WorkerClient } from '../../common/cluster/index.js';
import { messageOf } from '../../common/errors/index.js';
import { SessionRoutes } from '../sessions/index.js';
import { WorkerDirectory } from '../workers/index.js';
import type { OptimizeStorageDto, SessionStorageDto, StorageOptimizedDto, WorkerStorageDto } from './storage.dto.js';
import { type SessionName, Storage, STORAGE_TIMEOUT_MS } from './storage.js';

/** The worker's own patience, and the way. */
const TIMEOUT_MS = STORAGE_TIMEOUT_MS + 5_000;

/** Disk use as a gateway learns it: from the workers. */
@Injectable()
export class RemoteStorage extends Storage {
  constructor(
    private readonly workers: WorkerClient,
    private readonly directory: WorkerDirectory,
    private readonly routes: SessionRoutes,
  ) {
    super();
  }

  override async ofSession(session: SessionName, isByType: boolean): Promise<SessionStorageDto> {
    const path = `${pathOf(session)}${isByType ? '?by_type=1' : ''}`;
    const owner = await this.routes.ownerOf(session.id, session.kind);
    return this.workers.request(owner, { method: 'GET', path, timeoutMs: TIMEOUT_MS });
  }

  override async optimize(session: SessionName, limits: OptimizeStorageDto): Promise<StorageOptimizedDto> {
    const request = { path: `${pathOf(session)}/optimize`, body: limits, timeoutMs: TIMEOUT_MS };
    const owner = await this.routes.ownerOf(session.id, session.kind);
    return this.workers.request(owner, { method: 'POST', ...request });
  }

  override async ofWorkers(): Promise<WorkerStorageDto[]> {
    const live = (await this.directory.all()).filter(({ alive }) => alive);
    const answers = await Promise.all(
      live.map((worker) =>
        this.workers
          .request<WorkerStorageDto[]>(worker, { method: 'GET', path: '/internal/storage' })
          .catch((error: unknown) => [{ worker_id: worker.id, error: messageOf(error) }]),
      ),
    );
    return answers.flat();
  }
}

function pathOf({ kind, id }: SessionName): string {
  return `/internal/sessions/${kind}/${id}/storage`;
}
