import { createHash } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { UnitOfWork } from '../../common/db/unit-of-work.js';
import { BlobsRepository } from './blobs.repository.js';
import { OtherPartsError, PartMismatchError } from './bot-pool.errors.js';
import { type CopySource, ObjectsRepository } from './objects.repository.js';
import { type BodyOptions, ObjectsService } from './objects.service.js';
import type {
  Bucket,
  Description,
  Extent,
  NewObject,
  NewPart,
  ObjectRow,
  PartRow,
  Precondition,
  Replaced,
  UploadRow,
} from './stored-object.js';
import { type UploadName, UploadsRepository } from './uploads.repository.js';

/** An upload that has not ended after so long is nobody's any more. */
const GIVEN_UP_AFTER_MS = 7 * 24 * 3_600_000;
/** As parts have it; of other characters a Buffer of hexadecimal digits would keep nothing. */
const MD5 = /^[0-9a-f]{32}$/;

/** What is asked of uploads: those after another one, from a key on. */
export type UploadsQuestion = Parameters<UploadsRepository['list']>[1];

/** Objects that come in parts, each of them stored as it comes. The object is made of their messages; no byte is moved. */
@Injectable()
export class PartUploads {
  constructor(
    private readonly repository: UploadsRepository,
    private readonly objects: ObjectsRepository,
    private readonly blobs: BlobsRepository,
    private readonly service: ObjectsService,
    private readonly unitOfWork: UnitOfWork,
  ) {}

  /** @returns the id of the upload, a UUID */
  create(bucket: Bucket, key: string, description: Description): Promise<string> {
    return this.repository.create(bucket, key, description);
  }

  /**
   * Stores a part; one that was there under the number is replaced once this one is whole.
   * @throws PartUploadNotFoundError, and as ObjectsService.store
   */
  async putPart(
    upload: UploadName & { readonly bucket: Bucket },
    number: number,
    body: AsyncIterable<Buffer>,
    options: BodyOptions,
  ): Promise<PartRow> {
    await this.repository.find(upload);
    return this.service.store(upload.bucket, body, options, ({ sizeBytes, md5, extents }) =>
      this.keep(upload, () => Promise.resolve({ part: { number, sizeBytes, etag: md5 }, extents })),
    );
  }

  /**
   * Makes a part of what another object of the pool has.
   * @param range from the first byte to the one behind the last
   * @throws PartUploadNotFoundError, ObjectNotFoundError
   */
  copyPart(
    upload: UploadName,
    number: number,
    source: CopySource,
    { from, to }: { readonly from: number; readonly to: number },
  ): Promise<PartRow> {
    return this.keep(upload, async () => {
      const { object, extents } = await this.objects.locked(source);
      const end = Math.min(to, object.sizeBytes);
      const isWhole = from === 0 && end === object.sizeBytes && !object.etag.includes('-');
      // Nobody reads the bytes, so nobody knows the MD5 of a stretch: what is told apart as well is in its place.
      const etag = isWhole ? object.etag : createHash('md5').update(`${object.id} ${from} ${end}`).digest('hex');
      return { part: { number, sizeBytes: end - from, etag }, extents: stretch(extents, from, end) };
    });
  }

  /**
   * Makes an object of parts, in their order, and frees the others. Asked again with the same parts it gives the same object, for as
   * long as the key has that.
   * @param minPartBytes what each but the last has at least
   * @throws PartUploadNotFoundError, PartMismatchError, OtherPartsError, PreconditionFailedError
   */
  async complete(
    upload: UploadName,
    named: readonly { readonly number: number; readonly etag: string }[],
    minPartBytes: number,
    precondition: Precondition,
  ): Promise<ObjectRow> {
    const { bucket, key, id } = upload;
    const { object, freed } = await this.unitOfWork.run(async () => {
      await this.objects.lockPool(bucket.poolId);
      const done = await this.objects.madeBy(id, bucket.id, key);
      if (done !== undefined) {
        if (!isMadeOf(done, named)) throw new OtherPartsError();
        return { object: done, freed: [] };
      }
      const described = await this.repository.find(upload);
      const parts = chosen(await this.repository.parts(id), named, minPartBytes);
      return this.assemble(upload, described, parts, { precondition });
    });
    void this.service.erase(bucket.poolId, freed);
    return object;
  }

  /**
   * Within a transaction that has locked the pool: makes the object of these parts, and ends the upload.
   * @param whole what is known of the bytes one after the other; of S3's parts nothing is
   * @returns what nothing refers to any more, for whoever commits to erase. @throws PreconditionFailedError
   */
  async assemble(
    { bucket, key, id }: UploadName,
    { contentType, headers, metadata }: Description,
    parts: readonly PartRow[],
    {
      precondition,
      whole,
    }: { readonly precondition: Precondition; readonly whole?: Partial<Pick<NewObject, 'etag' | 'sha256'>> },
  ): Promise<Replaced> {
    const made = {
      key,
      sizeBytes: parts.reduce((sum, { sizeBytes }) => sum + sizeBytes, 0),
      etag: etagOf(parts),
      sha256: undefined,
      ...whole,
      contentType,
      headers,
      metadata,
    };
    const ids = parts.map((part) => part.id);
    const extents = await this.blobs.extents('part', ids);
    const { object, freed } = await this.objects.put(bucket, made, extents, precondition, id);
    return { object, freed: [...freed, ...(await this.repository.remove(id))] };
  }

  /** @throws PartUploadNotFoundError also when it has become an object meanwhile */
  abort(upload: UploadName): Promise<void> {
    return this.giveUp(upload.bucket.poolId, upload.id, () => this.repository.find(upload));
  }

  /** By number. @throws PartUploadNotFoundError */
  async parts(upload: UploadName, after: number, limit: number): Promise<readonly PartRow[]> {
    await this.repository.find(upload);
    return this.repository.parts(upload.id, after, limit);
  }

  /** By key, and then by when they began. */
  list(bucket: Bucket, question: UploadsQuestion): Promise<readonly UploadRow[]> {
    return this.repository.list(bucket.id, question);
  }

  /** Gives up the uploads of a pool that nobody has ended in a week. */
  async collect({ poolId }: Pick<Bucket, 'poolId'>): Promise<void> {
    for (const id of await this.repository.ids({ poolId, olderThanMs: GIVEN_UP_AFTER_MS })) {
      await this.giveUp(poolId, id);
    }
  }

  private async giveUp(poolId: string, id: string, expect?: () => Promise<unknown>): Promise<void> {
    const freed = await this.unitOfWork.run(async () => {
      await this.objects.lockPool(poolId);
      await expect?.();
      return this.repository.remove(id);
    });
    void this.service.erase(poolId, freed);
  }

  private async keep(
    upload: UploadName,
    make: () => Promise<{ readonly part: NewPart; readonly extents: readonly Extent[] }>,
  ): Promise<PartRow> {
    const { poolId } = upload.bucket;
    const { part, freed } = await this.unitOfWork.run(async () => {
      await this.objects.lockPool(poolId);
      await this.repository.find(upload);
      const made = await make();
      return this.repository.putPart(upload.id, made.part, made.extents);
    });
    void this.service.erase(poolId, freed);
    return part;
  }
}

/** What of an object's extents is from one byte up to another. */
function stretch(extents: readonly Extent[], from: number, to: number): Extent[] {
  let begin = 0;
  return extents.flatMap(({ blob, offset, sizeBytes }) => {
    const first = Math.max(from - begin, 0);
    const behindLast = Math.min(to - begin, sizeBytes);
    begin += sizeBytes;
    return behindLast > first ? [{ blob, offset: offset + first, sizeBytes: behindLast - first }] : [];
  });
}

/** S3's: the MD5 of the parts' MD5s, and how many they are. */
function etagOf(parts: readonly { readonly etag: string }[]): string {
  const md5s = Buffer.from(parts.map(({ etag }) => etag).join(''), 'hex');
  return `${createHash('md5').update(md5s).digest('hex')}-${parts.length}`;
}

/** Whether an object that was made of parts was made of these; their numbers are not kept. */
function isMadeOf({ etag }: ObjectRow, named: readonly { readonly etag: string }[]): boolean {
  return named.every((part) => MD5.test(part.etag)) && etagOf(named) === etag;
}

/** @throws PartMismatchError */
function chosen(
  stored: readonly PartRow[],
  named: readonly { readonly number: number; readonly etag: string }[],
  minPartBytes: number,
): PartRow[] {
  const byNumber = new Map(stored.map((part) => [part.number, part]));
  const parts = named.map(({ number, etag }) => {
    const part = byNumber.get(number);
    if (part?.etag !== etag) throw new PartMismatchError('invalid_part', number);
    return part;
  });
  const small = parts.slice(0, -1).find(({ sizeBytes }) => sizeBytes < minPartBytes);
  if (small) throw new PartMismatchError('part_too_small', small.number);
  return parts;
}
