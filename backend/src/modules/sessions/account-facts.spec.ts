import { TdlibError } from '../../common/errors/index.js';
import { AccountFacts } from './account-facts.js';

describe('AccountFacts', () => {
  let now: number;
  let changes: number;
  const facts = (): AccountFacts =>
    new AccountFacts(
      'user',
      () => (changes += 1),
      () => now,
    );

  beforeEach(() => {
    now = 1_700_000_000_000;
    changes = 0;
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
    expect([account.freeze, changes]).toEqual([{ frozen: false }, 0]);
  });
});
