import { createHash } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { UnitOfWork } from '../../common/db/unit-of-work.js';
import { ChecksumMismatchError, PartUploadNotFoundError, PreconditionFailedError } from './bot-pool.errors.js';
import { ChunkFiles, digestOf } from './chunk-files.js';
import { PoolEventsRepository } from './events/pool-events.repository.js';
import { ObjectsRepository } from './objects.repository.js';
import { ObjectsService } from './objects.service.js';
import { PartUploads } from './part-uploads.js';
import { type Completion, type Resumable, ResumablesRepository } from './resumables.repository.js';
import type { ObjectRow } from './stored-object.js';
import { UploadsRepository } from './uploads.repository.js';

const MD5_OF_NOTHING = createHash('md5').digest('hex');

/** How resumable uploads end: as objects, or given up. Any process may end them, once. */
@Injectable()
export class ResumableEnds {
  constructor(
    private readonly repository: ResumablesRepository,
    private readonly uploads: UploadsRepository,
    private readonly parts: PartUploads,
    private readonly objects: ObjectsRepository,
    private readonly service: ObjectsService,
    private readonly files: ChunkFiles,
    private readonly events: PoolEventsRepository,
    private readonly unitOfWork: UnitOfWork,
  ) {}

  /**
   * Makes the object of an upload all of which is stored. What keeps it from being one is noted with the upload, which stays.
   * @param completion of whoever waits for it; absent for what was said last
   * @throws ChecksumMismatchError, PreconditionFailedError, PartUploadNotFoundError
   */
  async finish(poolId: string, id: string, completion?: Completion): Promise<ObjectRow> {
    try {
      const { object, freed, tail } = await this.unitOfWork.run(async () => {
        await this.objects.lockPool(poolId);
        const made = await this.objects.ofUpload(poolId, id);
        if (made !== undefined) return { object: made, freed: [], tail: undefined };
        const upload = await this.repository.find(poolId, id);
        return { ...(await this.assemble(upload, completion ?? upload.completion)), tail: upload.tailName };
      });
      void this.service.erase(poolId, freed);
      if (tail !== undefined) await this.files.remove(tail);
      return object;
    } catch (error) {
      if (error instanceof ChecksumMismatchError || error instanceof PreconditionFailedError) {
        await this.repository.note(id, undefined, { code: error.code, message: error.message, isFinal: false });
      }
      throw error;
    }
  }

  /** @throws PartUploadNotFoundError */
  async abort(poolId: string, id: string): Promise<void> {
    const { freed, files } = await this.unitOfWork.run(async () => {
      await this.objects.lockPool(poolId);
      const { key } = await this.repository.find(poolId, id);
      const files = await this.repository.files(id);
      const blobs = await this.uploads.remove(id);
      await this.events.add(poolId, [{ type: 'upload.aborted', data: { upload_id: id, key } }]);
      return { files, freed: blobs };
    });
    void this.service.erase(poolId, freed);
    for (const name of files) await this.files.remove(name);
  }

  private async assemble(upload: Resumable, completion: Completion | undefined): ReturnType<PartUploads['assemble']> {
    const { id, poolId, key, waiting, offsetBytes, storedBytes, hashState } = upload;
    if (completion === undefined || waiting > 0 || offsetBytes !== storedBytes) throw new PartUploadNotFoundError();
    const sha256 = await digestOf(hashState);
    if (completion.sha256 !== undefined && completion.sha256 !== sha256) {
      throw new ChecksumMismatchError('SHA-256', completion.sha256, sha256);
    }
    const parts = await this.uploads.parts(id);
    const whole = { sha256, ...(parts.length <= 1 && { etag: parts[0]?.etag ?? MD5_OF_NOTHING }) };
    const name = { bucket: { id: poolId, poolId }, key, id };
    return this.parts.assemble(name, upload, parts, { precondition: completion.precondition, whole });
  }
}
