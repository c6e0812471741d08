import { Injectable } from '@nestjs/common';
import {
  KindMismatchError,
  NoLiveWorkerError,
  NotFoundError,
  SessionNotReadyError,
} from '../../common/errors/index.js';
import { WorkerLease } from '../workers/index.js';
import type { SessionKind } from './session.dto.js';
import type { SessionEntity } from './session.entity.js';
import { type Lease, SessionsRepository } from './sessions.repository.js';

/** The rows of the registry as the worker that acts on them needs them. */
@Injectable()
export class SessionLookup {
  constructor(
    private readonly repository: SessionsRepository,
    private readonly lease: WorkerLease,
  ) {}

  /** @throws NotFoundError */
  async existing(id: string): Promise<SessionEntity> {
    const row = await this.repository.find(id);
    if (row === null) {
      throw new NotFoundError('session', id);
    }
    return row;
  }

  /** The row, from now on this worker's. @throws NoLiveWorkerError when a live one has it */
  async taken(id: string): Promise<SessionEntity> {
    const row = await this.repository.takeOver(id, this.lease.workerId);
    if (row === undefined) {
      throw new NoLiveWorkerError('the session is held by another worker');
    }
    return row;
  }

  /** Why a session that was asked for is not open here. */
  async absence(id: string, kind: SessionKind): Promise<Error> {
    const route = await this.repository.route(id);
    if (route === undefined) {
      return new NotFoundError('session', id);
    }
    if (route.kind !== kind) {
      return new KindMismatchError(kind, route.kind);
    }
    if (route.status !== 'authorized') {
      return new SessionNotReadyError(route.status);
    }
    if (route.owner?.id === this.lease.workerId) {
      return new SessionNotReadyError(route.status, 'the session is being opened');
    }
    return new NoLiveWorkerError('the session is not held by a live worker');
  }

  /** This worker's right to a row that it has claimed. */
  leaseOf(row: SessionEntity): Lease {
    return { sessionId: row.id, workerId: this.lease.workerId, epoch: row.epoch };
  }
}
