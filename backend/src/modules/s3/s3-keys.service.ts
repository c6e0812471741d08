import { Injectable, type OnModuleInit } from '@nestjs/common';
import { Notifications } from '../../common/db/notifications.js';
import { Remembered } from '../../common/db/remembered.js';
import { UnitOfWork } from '../../common/db/unit-of-work.js';
import { ConflictError, NotFoundError } from '../../common/errors/index.js';
import { AppConfig } from '../../config/index.js';
import { TokenUsage } from '../tokens/index.js';
import type { AccessKeys, Grant } from './s3-call.js';
import type { S3KeyEntity } from './s3-key.entity.js';
import { S3KeysRepository, type StoredKey } from './s3-keys.repository.js';
import { isKeyId, makeKeyId, secretOf } from './s3-secret.js';

/** More keys of one token are a mistake of who makes them: each program may have one, and one more while it changes. */
const MAX_KEYS = 20;

/**
 * The access keys of S3. What is known of a key serves for a moment, and for a minute while the database is away, as with tokens; one
 * that is revoked, or whose token is, is dead within a second.
 */
@Injectable()
export class S3Keys implements AccessKeys, OnModuleInit {
  /** Where this gateway listens for S3; undefined while it does not. */
  readonly port: number | undefined;
  private readonly known: Remembered<StoredKey>;
  private readonly clusterToken: string;

  constructor(
    config: AppConfig,
    private readonly repository: S3KeysRepository,
    private readonly unitOfWork: UnitOfWork,
    private readonly notifications: Notifications,
    private readonly usage: TokenUsage,
  ) {
    const { clusterToken } = config.secrets;
    if (clusterToken === undefined) throw new Error('a gateway has a CLUSTER_TOKEN');
    this.clusterToken = clusterToken;
    this.port = config.s3.listen?.port;
    this.known = new Remembered((id) => repository.find(id), { freshMs: 800, usableMs: 60_000, maxKeys: 10_000 });
  }

  onModuleInit(): void {
    this.notifications.subscribe('token_changed', (changed) => {
      if (changed === undefined) this.known.doubt();
      else this.forget(changed);
    });
  }

  /** @throws DatabaseUnavailableError */
  async find(accessKeyId: string): Promise<{ readonly secret: string; readonly grant: Grant } | undefined> {
    const stored = isKeyId(accessKeyId) ? await this.known.get(accessKeyId) : undefined;
    if (!stored?.enabled || (stored.expiresAt ?? Infinity) <= Date.now()) return undefined;
    const { grant } = stored;
    return { secret: secretOf(accessKeyId, this.clusterToken), grant };
  }

  noteUse({ tokenId }: Grant): void {
    this.usage.note(tokenId);
  }

  /** The keys of a token, oldest first. @throws NotFoundError */
  async list(tokenId: string): Promise<readonly S3KeyEntity[]> {
    const keys = await this.repository.of(tokenId);
    if (!keys) throw new NotFoundError('token', tokenId);
    return keys;
  }

  /**
   * Makes a key. The answer is the only place where its secret is ever shown.
   * @throws NotFoundError, ConflictError `too_many_s3_keys`
   */
  async create(tokenId: string): Promise<{ readonly id: string; readonly secret: string }> {
    const id = makeKeyId();
    await this.unitOfWork.run(async () => {
      if (!(await this.repository.lockToken(tokenId))) throw new NotFoundError('token', tokenId);
      if ((await this.repository.of(tokenId))?.length === MAX_KEYS) {
        throw new ConflictError('too_many_s3_keys', `a token has at most ${MAX_KEYS} S3 keys`);
      }
      await this.repository.insert(id, tokenId);
    });
    return { id, secret: secretOf(id, this.clusterToken) };
  }

  /** @throws NotFoundError */
  async remove(tokenId: string, keyId: string): Promise<void> {
    await this.unitOfWork.run(async () => {
      if (!(await this.repository.remove(keyId, tokenId))) throw new NotFoundError('s3_key', keyId);
      await this.notifications.publish('token_changed', tokenId);
    });
    this.forget(tokenId);
  }

  private forget(tokenId: string): void {
    this.known.forgetWhere(({ grant }) => grant.tokenId === tokenId);
  }
}
