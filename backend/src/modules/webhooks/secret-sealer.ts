import { randomBytes } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { WorkerClient } from '../../common/cluster/index.js';
import { SecretBox, type SealedAt } from '../../common/crypto/secret-box.js';

/** Encrypts the secrets of subscriptions. A gateway has no MASTER_KEY and asks a worker. */
export abstract class SecretSealer {
  /** @param id of the subscription */
  abstract seal(id: string, secret: string): Promise<string>;
}

const sealedAt = (id: string): SealedAt => ({ table: 'subscriptions', column: 'secret_sealed', id });

/** Of a process that has MASTER_KEY. */
@Injectable()
export class LocalSecretSealer extends SecretSealer {
  constructor(private readonly box: SecretBox) {
    super();
  }

  override seal(id: string, secret: string): Promise<string> {
    return Promise.resolve(this.box.seal(secret, sealedAt(id)));
  }

  /** @throws MasterKeyMismatchError */
  open(id: string, sealed: string): string {
    return this.box.open(sealed, sealedAt(id)).toString('utf8');
  }
}

/** Of a gateway. */
@Injectable()
export class RemoteSecretSealer extends SecretSealer {
  constructor(private readonly workers: WorkerClient) {
    super();
  }

  override async seal(id: string, secret: string): Promise<string> {
    const path = '/internal/subscriptions/seal';
    const { sealed } = await this.workers.requestAny<{ sealed: string }>({
      method: 'POST',
      path,
      body: { id, secret },
    });
    return sealed;
  }
}

/** A secret in the form of Standard Webhooks: `whsec_` and base64 of 32 random bytes. */
export function makeSecret(): string {
  return `whsec_${randomBytes(32).toString('base64')}`;
}
