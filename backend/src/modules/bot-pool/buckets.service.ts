import { Injectable } from '@nestjs/common';
import { UnitOfWork } from '../../common/db/unit-of-work.js';
import { NotFoundError } from '../../common/errors/index.js';
import { BucketNotEmptyError } from './bot-pool.errors.js';
import { BucketsRepository } from './buckets.repository.js';
import { ObjectsRepository } from './objects.repository.js';
import { ObjectsService } from './objects.service.js';
import { PoolsRepository } from './pools.repository.js';
import type { Blob, Bucket } from './stored-object.js';
import { UploadsRepository } from './uploads.repository.js';

/** Where keys are within pools. */
@Injectable()
export class BucketsService {
  constructor(
    private readonly repository: BucketsRepository,
    private readonly pools: PoolsRepository,
    private readonly objects: ObjectsRepository,
    private readonly uploads: UploadsRepository,
    private readonly service: ObjectsService,
    private readonly unitOfWork: UnitOfWork,
  ) {}

  /** The bucket that a pool has of its own. @throws NotFoundError */
  async ofPool(idOrName: string): Promise<Bucket> {
    const pool = await this.pools.find(idOrName);
    if (pool === undefined) throw new NotFoundError('pool', idOrName);
    return { ...pool, poolId: pool.id };
  }

  /** All, by name. */
  list(): Promise<readonly Bucket[]> {
    return this.repository.list();
  }

  find(name: string): Promise<Bucket | undefined> {
    return this.repository.find(name);
  }

  /** @returns false when another bucket has the name, or a pool. @throws NotFoundError when there is no such pool */
  create(poolId: string, name: string): Promise<boolean> {
    return this.repository.create(poolId, name);
  }

  /** Its uploads in parts are given up. @throws BucketNotEmptyError */
  async remove({ id, poolId }: Bucket): Promise<void> {
    const freed = await this.unitOfWork.run(async () => {
      await this.objects.lockPool(poolId);
      const blobs: Blob[] = [];
      for (const upload of await this.uploads.ids({ bucketId: id })) blobs.push(...(await this.uploads.remove(upload)));
      if (!(await this.repository.remove(id))) throw new BucketNotEmptyError();
      return blobs;
    });
    void this.service.erase(poolId, freed);
  }
}
