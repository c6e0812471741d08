import { randomUUID } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import pLimit from 'p-limit';
import { AppConfig, type ProxySettings } from '../../config/index.js';
import { SecretBox, type SealedAt } from '../../common/crypto/secret-box.js';
import { Notifications } from '../../common/db/notifications.js';
import { UnitOfWork } from '../../common/db/unit-of-work.js';
import { DeadlineError, NotFoundError, TdlibError } from '../../common/errors/index.js';
import { pingThroughProxy, TelegramEngine } from '../../telegram/index.js';
import { ProxyEntity } from './proxy.entity.js';
import {
  type ProxyChange,
  type ProxyDraft,
  ProxyVault,
  type ProxyVerdict,
  checkCredentials,
  isGiven,
} from './proxy-vault.js';

const sealedAt = (id: string): SealedAt => ({ table: 'proxies', column: 'secret_sealed', id });
const orNull = (text: string | null | undefined): string | null => (text === undefined || text === '' ? null : text);

/** How long TDLib may take to judge a proxy, in milliseconds; a dead one gives no answer at all. */
const TEST_TIMEOUT_MS = 15_000;
/** Every test runs a TDLib client of its own. */
const MAX_TESTS_AT_ONCE = 4;

/** The vault of a process that has MASTER_KEY. */
@Injectable()
export class LocalProxyVault extends ProxyVault {
  private readonly tests = pLimit(MAX_TESTS_AT_ONCE);

  constructor(
    private readonly unitOfWork: UnitOfWork,
    private readonly box: SecretBox,
    private readonly notifications: Notifications,
    private readonly engine: TelegramEngine,
    private readonly config: AppConfig,
  ) {
    super();
  }

  async create(draft: ProxyDraft): Promise<string> {
    checkCredentials(draft);
    const id = randomUUID();
    const { type, host, port, username, label } = draft;
    await this.unitOfWork.manager.insert(ProxyEntity, {
      id,
      type,
      host,
      port,
      username: orNull(username),
      label: orNull(label),
      secretSealed: this.seal(id, draft),
    });
    return id;
  }

  change(id: string, change: ProxyChange): Promise<void> {
    return this.unitOfWork.run(async () => {
      const { manager } = this.unitOfWork;
      const entity = await manager.findOne(ProxyEntity, { where: { id }, lock: { mode: 'pessimistic_write' } });
      if (!entity) throw new NotFoundError('proxy', id);
      const kept = { type: entity.type, host: entity.host, port: entity.port, label: entity.label };
      const changed: ProxyDraft = { ...kept, ...this.credentialsOf(entity, change.type ?? entity.type), ...change };
      checkCredentials(changed);
      const { type, host, port, username, label } = changed;
      await manager.update(ProxyEntity, id, {
        type,
        host,
        port,
        username: orNull(username),
        label: orNull(label),
        secretSealed: this.seal(id, changed),
      });
      await this.notifications.publish('proxy_changed', id);
    });
  }

  async test(id: string): Promise<ProxyVerdict> {
    const settings = await this.settings(id);
    const { testDc } = this.config.telegram;
    try {
      const seconds = await this.tests(() =>
        pingThroughProxy(this.engine, settings, { testDc, timeoutMs: TEST_TIMEOUT_MS }),
      );
      return { latencyMs: Math.round(seconds * 1000) };
    } catch (error) {
      if (error instanceof TdlibError || error instanceof DeadlineError) return { reason: error.message };
      throw error;
    }
  }

  /** What TDLib needs of a proxy. @throws NotFoundError, MasterKeyMismatchError */
  async settings(id: string): Promise<ProxySettings> {
    const entity = await this.unitOfWork.manager.findOneBy(ProxyEntity, { id });
    if (!entity) throw new NotFoundError('proxy', id);
    const { type, host, port } = entity;
    const { username, password, secret } = this.credentialsOf(entity, type);
    return {
      type,
      host,
      port,
      ...(isGiven(username) && { username }),
      ...(isGiven(password) && { password }),
      ...(isGiven(secret) && { secret }),
    };
  }

  /** The stored credentials, as far as they go with `type`: a secret is not taken for a password. */
  private credentialsOf(
    entity: ProxyEntity,
    type: ProxySettings['type'],
  ): Pick<ProxyDraft, 'username' | 'password' | 'secret'> {
    if ((entity.type === 'mtproto') !== (type === 'mtproto')) return { username: null, password: null, secret: null };
    const opened =
      entity.secretSealed === null ? null : this.box.open(entity.secretSealed, sealedAt(entity.id)).toString('utf8');
    return type === 'mtproto'
      ? { username: null, password: null, secret: opened }
      : { username: entity.username, password: opened, secret: null };
  }

  private seal(id: string, { type, password, secret }: ProxyDraft): string | null {
    const text = orNull(type === 'mtproto' ? secret : password);
    return text === null ? null : this.box.seal(text, sealedAt(id));
  }
}
