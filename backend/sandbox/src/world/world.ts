import { mkdirSync } from 'node:fs';
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
import { Uploads } from './uploads.js';
import { Usernames } from './usernames.js';

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
  readonly rules = new Rules(this.clock);
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
}
