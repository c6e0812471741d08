import type { TdlibError } from '../../common/errors/index.js';
import { numberMember, objectMember, parseTdObject, stringMember, type TdObject } from '../../telegram/index.js';

/** What the session tells about the account, from updateFreezeState. */
export interface Freeze {
  readonly frozen: boolean;
  readonly since?: Date;
  readonly deletionDate?: Date;
  readonly appealLink?: string;
}

const FROZEN = /^FROZEN_/;

/** What TDLib tells of the account itself, apart from whether it is logged in. */
export class AccountFacts {
  private premium: boolean | undefined;
  private freezeState: Freeze = { frozen: false };

  /** @param changed called after every change */
  constructor(
    private readonly kind: 'bot' | 'user',
    private readonly changed: () => void,
    private readonly now: () => number = Date.now,
  ) {}

  /** Undefined until known, and for bots. */
  get isPremium(): boolean | undefined {
    return this.premium;
  }

  get freeze(): Freeze {
    return this.freezeState;
  }

  /** Takes an update of the client; most types are none of its business and cost one comparison. */
  receive(type: string, update: string): void {
    switch (type) {
      case 'updateOption':
        if (this.kind === 'user' && update.includes('"is_premium"')) {
          this.setPremium(update.includes('"value":true'));
        }
        break;
      case 'updateFreezeState':
        this.freezeState = freezeOf(parseTdObject(update));
        this.changed();
        break;
      case 'updateMessageSendFailed': {
        const error = objectMember(parseTdObject(update), 'error');
        this.note(error === undefined ? '' : stringMember(error, 'message'));
        break;
      }
      default:
        break;
    }
  }

  /** A call was refused: some refusals tell about the account. */
  noteRefusal({ message }: TdlibError): void {
    this.note(message);
  }

  private note(refusal: string): void {
    if (FROZEN.test(refusal) && !this.freezeState.frozen) {
      // updateFreezeState brings the dates, and the end.
      this.freezeState = { frozen: true, since: new Date(this.now()) };
      this.changed();
    }
  }

  private setPremium(premium: boolean): void {
    if (this.premium !== premium) {
      this.premium = premium;
      this.changed();
    }
  }
}

function freezeOf(update: TdObject): Freeze {
  if (update['is_frozen'] !== true) {
    return { frozen: false };
  }
  const deletionDate = unixDate(numberMember(update, 'deletion_date'));
  const since = unixDate(numberMember(update, 'freezing_date'));
  const appealLink = stringMember(update, 'appeal_link');
  return {
    frozen: true,
    ...(since && { since }),
    ...(deletionDate && { deletionDate }),
    ...(appealLink !== '' && { appealLink }),
  };
}

function unixDate(seconds: number): Date | undefined {
  return seconds > 0 ? new Date(seconds * 1_000) : undefined;
}
