import { Injectable } from '@nestjs/common';
import type { Cooldown } from '../limits/index.js';
import type { TdClient } from '../../telegram/index.js';
import type { LiveState, SessionKind } from './session.dto.js';
import type { Lease } from './sessions.repository.js';

/** Follows a session from its opening to its end. */
export interface SessionTap {
  /** Takes an update: its type and its JSON as TDLib wrote it. Must not block longer than one write to a file takes. */
  receive(type: string, update: string): void;
  /**
   * The client holds the session's directory: nobody else writes there any more.
   * @param client once it takes calls; undefined when the session ends before
   */
  started(client: Promise<TdClient | undefined>): void;
  /** Status or health may have changed. */
  changed(state: LiveState): void;
  /** Telegram has closed something for a while. */
  limited(cooldown: Cooldown): void;
  /**
   * The session is another worker's: what still comes is left to that one, which has the session's directory as soon as the client is
   * closed.
   */
  lose(): void;
  /** The client is closed, and the lease is about to be given up: what is known has to be stored now. */
  close(): Promise<void>;
}

/** What a session is opened with. */
export interface TapOpening {
  readonly kind: SessionKind;
  readonly lease: Lease;
  readonly directory: string;
}

type TapFactory = (opening: TapOpening) => Promise<SessionTap>;

const NOBODY: SessionTap = {
  receive: () => undefined,
  started: () => undefined,
  changed: () => undefined,
  limited: () => undefined,
  lose: () => undefined,
  close: () => Promise.resolve(),
};

/** For another module: what it wants to do with each session that opens in this process. */
@Injectable()
export class SessionTaps {
  private factory: TapFactory = () => Promise.resolve(NOBODY);

  /** To be called before the application has started. */
  use(factory: TapFactory): void {
    this.factory = factory;
  }

  /** Before the client exists: its first updates come at once. */
  open(opening: TapOpening): Promise<SessionTap> {
    return this.factory(opening);
  }
}
