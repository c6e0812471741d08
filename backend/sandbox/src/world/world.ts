import { existsSync, mkdirSync, readFileSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Accounts } from './accounts.js';
import { Authorizations } from './authorizations.js';
import { Chats } from './chats.js';
import { VirtualClock } from './clock.js';
import { Codes } from './codes.js';
import { Faults } from './faults.js';
import { Files } from './files.js';
import { Gate } from './gate.js';
import { Journal } from './journal.js';
import type { WorldListener } from './listener.js';
import { SILENT_LISTENER } from './listener.js';
import { LoginTokens } from './login-tokens.js';
import { Membership } from './membership.js';
import { Posting } from './posting.js';
import { Reading } from './reading.js';
import { Revising } from './revising.js';
import { Rules } from './rules.js';
import { Scheduled } from './scheduled.js';
import type { WorldState } from './snapshot.js';
import { freezeState, thawState } from './snapshot.js';
import { Uploads } from './uploads.js';
import { Usernames } from './usernames.js';

const STATE_FILE = 'world.bin';

/** Everything that Telegram knows. It needs no client: a test may build and read a world without a connection. */
export class World {
  readonly clock = new VirtualClock();
  readonly accounts = new Accounts();
  readonly chats = new Chats();
  readonly usernames = new Usernames(this.accounts, this.chats);
  readonly authorizations = new Authorizations();
  readonly codes = new Codes(this.clock);
  readonly loginTokens = new LoginTokens(this.clock);
  readonly faults = new Faults();
  readonly rules = new Rules(this.clock, (id) => this.accounts.find(id)?.kind);
  readonly gate = new Gate(this.faults, this.rules);
  readonly journal = new Journal(this.clock);
  readonly posting: Posting;
  readonly revising: Revising;
  readonly reading: Reading;
  readonly membership: Membership;
  readonly scheduled: Scheduled;
  readonly files: Files;
  readonly uploads: Uploads;
  private listener: WorldListener = SILENT_LISTENER;

  /** @param directory where files are kept; made when missing. */
  constructor(readonly directory: string) {
    mkdirSync(directory, { recursive: true });
    const listener = (): WorldListener => this.listener;
    this.posting = new Posting(this.accounts, this.chats, this.clock, listener);
    this.revising = new Revising(this.chats, this.posting, this.clock, listener);
    this.reading = new Reading(this.posting, this.clock, listener);
    this.membership = new Membership(this.chats, this.posting, this.clock, listener);
    this.scheduled = new Scheduled((id) => this.accounts.find(id), this.posting, this.clock, listener);
    this.files = new Files(join(directory, 'files'), this.clock);
    this.uploads = new Uploads(join(directory, 'uploads'));
  }

  /** From now on `listener` tells the clients. */
  attach(listener: WorldListener): void {
    this.listener = listener;
  }

  /** Tells clients of an account about something that is not an event of a box. */
  notify: WorldListener['notice'] = (ownerId, notice, origin) => {
    this.listener.notice(ownerId, notice, origin);
  };

  /**
   * A world that goes on where the last one in this directory was closed.
   * @throws SnapshotVersionError
   */
  static open(directory: string): World {
    const world = new World(directory);
    const path = join(directory, STATE_FILE);
    if (existsSync(path)) world.state = thawState(readFileSync(path));
    return world;
  }

  /** Writes everything down and stops the alarms. */
  async close(): Promise<void> {
    this.clock.clearAlarms();
    await this.uploads.clear();
    await writeFile(join(this.directory, STATE_FILE), freezeState(this.state));
  }

  /** Forgets everything, files included. The clock goes on from the machine's time. */
  async reset(): Promise<void> {
    await this.uploads.clear();
    await this.files.clear();
    this.journal.clear();
    this.state = {
      clockOffsetMs: 0,
      accounts: Accounts.emptyState(),
      authorizations: Authorizations.emptyState(),
      chats: Chats.emptyState(),
      codes: Codes.emptyState(),
      faults: Faults.emptyState(),
      files: Files.emptyState(),
      loginTokens: LoginTokens.emptyState(),
      posting: Posting.emptyState(),
      rules: Rules.emptyState(),
      scheduled: Scheduled.emptyState(),
    };
  }

  /** Writes the world into a directory that holds nothing else. */
  async exportTo(directory: string): Promise<void> {
    mkdirSync(directory, { recursive: true });
    await this.files.exportTo(join(directory, 'files'));
    await writeFile(join(directory, STATE_FILE), freezeState(this.state));
  }

  /** Becomes the world that `exportTo` wrote; its clock keeps its distance to the machine's. @throws SnapshotVersionError */
  async importFrom(directory: string): Promise<void> {
    const state = thawState(readFileSync(join(directory, STATE_FILE)));
    await this.uploads.clear();
    await this.files.importFrom(join(directory, 'files'));
    this.state = state;
  }

  private get state(): WorldState {
    return {
      clockOffsetMs: this.clock.offsetMs,
      accounts: this.accounts.state,
      authorizations: this.authorizations.state,
      chats: this.chats.state,
      codes: this.codes.state,
      faults: this.faults.state,
      files: this.files.state,
      loginTokens: this.loginTokens.state,
      posting: this.posting.state,
      rules: this.rules.state,
      scheduled: this.scheduled.state,
    };
  }

  private set state(state: WorldState) {
    this.clock.clearAlarms();
    this.clock.offsetMs = state.clockOffsetMs;
    this.accounts.state = state.accounts;
    this.authorizations.state = state.authorizations;
    this.chats.state = state.chats;
    this.codes.state = state.codes;
    this.faults.state = state.faults;
    this.files.state = state.files;
    this.loginTokens.state = state.loginTokens;
    this.posting.state = state.posting;
    this.rules.state = state.rules;
    this.scheduled.state = state.scheduled;
    this.scheduled.rearm();
  }
}
