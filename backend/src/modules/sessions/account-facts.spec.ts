import { TdlibError } from '../../common/errors/index.js';
import { AccountFacts } from './account-facts.js';

const DAY_MS = 86_400_000;

describe('AccountFacts', () => {
  let now: number;
  let changes: number;
  const facts = (spamLimit?: Date): AccountFacts =>
    new AccountFacts(
      'user',
      spamLimit,
      () => (changes += 1),
      () => now,
    );

  beforeEach(() => {
    now = 1_700_000_000_000;
    changes = 0;
  });

  it('takes PEER_FLOOD for a limit of a day, from the last time that it was met', () => {
    const account = facts();
    account.noteRefusal(new TdlibError(400, 'PEER_FLOOD'));
    now += DAY_MS / 2;
    const error = { '@type': 'error', code: 400, message: 'PEER_FLOOD' };
    account.receive('updateMessageSendFailed', JSON.stringify({ '@type': 'updateMessageSendFailed', error }));
    expect(account.spamLimitedUntil).toEqual(new Date(now + DAY_MS));
    now += DAY_MS;
    expect(account.spamLimitedUntil).toBeUndefined();
    expect(changes).toBe(2);
  });

  it('goes on with the limit that was known before', () => {
    const until = new Date(now + 1);
    expect(facts(until).spamLimitedUntil).toBe(until);
    now += 1;
    expect(facts(until).spamLimitedUntil).toBeUndefined();
  });

  it('takes the refusal of a frozen account for a freeze, whose dates come later', () => {
    const account = facts();
    account.noteRefusal(new TdlibError(406, 'FROZEN_METHOD_INVALID'));
    expect(account.freeze).toEqual({ frozen: true, since: new Date(now) });
    account.receive(
      'updateFreezeState',
      '{"@type":"updateFreezeState","is_frozen":true,"freezing_date":100,"deletion_date":200,"appeal_link":"l"}',
    );
    expect(account.freeze).toEqual({
      frozen: true,
      since: new Date(100_000),
      deletionDate: new Date(200_000),
      appealLink: 'l',
    });
  });

  it('learns nothing from other refusals', () => {
    const account = facts();
    account.noteRefusal(new TdlibError(400, 'CHAT_WRITE_FORBIDDEN'));
    expect([account.freeze, account.spamLimitedUntil, changes]).toEqual([{ frozen: false }, undefined, 0]);
  });
});
