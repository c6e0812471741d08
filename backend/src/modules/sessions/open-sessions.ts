import { Injectable } from '@nestjs/common';
import { ShuttingDownError } from '../../common/errors/index.js';
import type { TdClient } from '../../telegram/index.js';
import { HeldSessions } from './held-sessions.js';
import { SessionDirectories } from './session-directories.js';
import type { SessionKind } from './session.dto.js';
import { SessionLookup } from './session-lookup.js';
import { SessionMovingError } from './sessions.errors.js';
import { type SessionUpdateListener, SessionUpdates } from './session-updates.js';

/** A session that takes calls. */
export interface OpenSession {
  readonly kind: SessionKind;
  readonly id: string;
  readonly client: TdClient;
}

/** For other modules: the sessions that are open in this process. */
@Injectable()
export class OpenSessions {
  constructor(
    private readonly sessions: HeldSessions,
    private readonly lookup: SessionLookup,
    private readonly updates: SessionUpdates,
    private readonly directories: SessionDirectories,
  ) {}

  /** The client of a session that takes calls. @throws NotFoundError, KindMismatchError, SessionNotReadyError, NoLiveWorkerError */
  async client(kind: SessionKind, id: string): Promise<TdClient> {
    const held = this.sessions.get(id);
    if (held?.session.kind !== kind) {
      throw await this.lookup.absence(id, kind);
    }
    if (this.sessions.isStopping) {
      throw new ShuttingDownError();
    }
    if (this.sessions.isLeaving(held)) {
      throw new SessionMovingError(false);
    }
    return held.session.readyClient();
  }

  /** Those that take calls at the moment. */
  get ready(): readonly OpenSession[] {
    return this.sessions.all
      .filter(({ session }) => session.isReady)
      .map(({ session, client }) => ({ kind: session.kind, id: session.id, client }));
  }

  /** What TDLib's databases of a session take on the disk, in bytes. */
  databaseBytes(id: string): Promise<number> {
    return this.directories.databaseBytes(id);
  }

  /** The files that somebody waits for or has asked TDLib for, by TDLib's numbers. */
  wantedFiles(id: string): readonly number[] {
    return this.sessions.get(id)?.downloads.fileIds ?? [];
  }

  /** Why the session does not work right now, in words; undefined when it does. */
  trouble(id: string): string | undefined {
    const held = this.sessions.get(id);
    return held === undefined ? 'the session is closed' : held.session.monitor.health.cause;
  }

  /** Takes note of a download. @returns what says that it is over, and tells whether nobody else wants the file */
  followDownload(id: string, fileId: number): () => boolean {
    const query = { file_id: fileId, synchronous: true };
    return this.sessions.get(id)?.downloads.follow('downloadFile', query) ?? (() => false);
  }

  /** @returns what takes the listener away */
  listen(id: string, listener: SessionUpdateListener): () => void {
    return this.updates.listen(id, listener);
  }
}
