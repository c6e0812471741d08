import { TdlibError } from '../../common/errors/index.js';
import type { Cooldown } from './cooldowns.js';
import type { Flood } from './floods.repository.js';
import type { LimitRule } from './limit-rule.js';
import { CurrentWindow } from './limit-window.js';
import { countsCalls, namesMethod } from './limit-rule.js';
import { type Charge, QuotaCharger } from './quota-charger.js';
import type { RuleBook } from './rule-book.js';
import { type LimitedCall, SessionLimits } from './session-limits.js';

const DAY_MS = 86_400_000;

describe('SessionLimits', () => {
  let now: number;
  let rules: Partial<LimitRule>[];
  let counts: Map<string, number>;
  let floods: Flood[];
  let saved: [string, number][];
  let started: Cooldown[];

  const book = {
    counting: (_subject: unknown, method: string, isWhole?: boolean) =>
      (rules as LimitRule[]).flatMap((rule) =>
        (countsCalls(rule) ? isWhole !== false : namesMethod(rule, method))
          ? [{ rule, window: new CurrentWindow('day', 'UTC'), countsCalls: countsCalls(rule) }]
          : [],
      ),
  } as Partial<RuleBook> as RuleBook;

  const open = (kind: 'bot' | 'user' = 'user', perSecond = 0): SessionLimits => {
    const charger = new QuotaCharger(
      's',
      (_id, charges: readonly Charge[]) =>
        Promise.resolve(
          charges.map((parts) => {
            const usedOf = (id: string): number => counts.get(id) ?? 0;
            const refusing = parts.find(({ ruleId, weight, max }) => weight > 0 && usedOf(ruleId) + weight > max);
            if (refusing === undefined)
              for (const { ruleId, weight } of parts) counts.set(ruleId, usedOf(ruleId) + weight);
            return refusing;
          }),
        ),
      () => undefined,
    );
    return new SessionLimits(
      { sessionId: 's', kind },
      {
        rules: book,
        charger,
        used: (ruleIds) =>
          Promise.resolve(
            ruleIds.map((ruleId) => {
              const window = new CurrentWindow('day', 'UTC').at(now);
              return { sessionId: 's', ruleId, window, used: counts.get(ruleId) ?? 0 };
            }),
          ),
        store: {
          save: (_id, { scope }, leftMs) => saved.push([scope, leftMs]),
          note: (flood) => floods.push(flood),
          lift: () => Promise.resolve(false),
          flush: () => Promise.resolve(),
        },
        pace: { perSecond, maxWaitMs: 10_000 },
        clock: { steady: () => now, wall: () => now },
      },
      { changed: () => undefined, started: (cooldown) => started.push(cooldown) },
    );
  };
  const rule = (id: string, methods: readonly string[], max: number): Partial<LimitRule> => ({
    id,
    methods,
    max,
    per: 'day',
    sessionId: 's',
  });
  const call = (method: string, params: object = {}, more: Partial<LimitedCall> = {}): LimitedCall => ({
    method,
    params: params as LimitedCall['params'],
    tokenId: undefined,
    resolves: false,
    ...more,
  });
  const failure = (code: number, message: string): string =>
    JSON.stringify({
      '@type': 'updateMessageSendFailed',
      message: { '@type': 'message', chat_id: 7 },
      error: { '@type': 'error', code, message },
    });
  const refusal = (work: () => unknown): unknown => {
    try {
      work();
      return undefined;
    } catch (error) {
      return error;
    }
  };
  /** What was given back is counted a turn later. */
  const settled = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

  beforeEach(() => {
    now = Date.UTC(2026, 0, 1, 12);
    rules = [];
    counts = new Map();
    floods = [];
    saved = [];
    started = [];
  });

  it('let a call pass at once, and make nothing for it, where nothing is limited', () => {
    expect(open().admit(call('sendMessage'))).toBeUndefined();
  });

  it.each([
    ['Too Many Requests: retry after 86400', 86_400_000],
    ['Too Many Requests: retry after 0', undefined],
    ['Too Many Requests', undefined],
    ['Too Many Requests: retry after 999999999', 366 * DAY_MS],
  ])('take %p for what it says', (message, closedFor) => {
    const limits = open();
    limits.noteRefusal('call', 'searchPublicChat', undefined, new TdlibError(429, message));
    expect(floods).toMatchObject([{ scope: '@resolve', method: 'searchPublicChat', code: 429, message }]);
    expect(saved).toEqual(closedFor === undefined ? [] : [['@resolve', closedFor]]);
    expect(started).toHaveLength(saved.length);
  });

  it('take PEER_FLOOD of an update for a limit of a day, from the last time that it was met', () => {
    const limits = open();
    limits.receive('updateMessageSendFailed', failure(400, 'PEER_FLOOD'));
    now += DAY_MS / 2;
    limits.receive('updateMessageSendFailed', failure(400, 'PEER_FLOOD'));
    expect(limits.spamLimitedUntil).toEqual(new Date(now + DAY_MS));
    expect(floods).toMatchObject([
      { origin: 'send', chatId: 7, scope: 'spam_limit' },
      { origin: 'send', chatId: 7, scope: 'spam_limit' },
    ]);
    for (const method of ['importContacts', 'addContact', 'addChatMembers']) {
      expect(refusal(() => limits.requireFamiliar(method, true))).toMatchObject({ details: { scope: 'spam_limit' } });
    }
    expect(refusal(() => limits.requireFamiliar('sendMessage', true))).toBeUndefined();
    expect(refusal(() => limits.requireFamiliar('sendMessage', false))).toMatchObject({ code: 'rate_limited' });
    expect(limits.mindsPeer('joinChat')).toBe(false);
    now += DAY_MS;
    expect(limits.spamLimitedUntil).toBeUndefined();
    expect(limits.mindsPeer('sendMessage')).toBe(false);
  });

  it('note the flood of an album once', () => {
    const limits = open();
    const update = failure(429, 'Too Many Requests: retry after 100');
    for (let count = 0; count < 3; count += 1) limits.receive('updateMessageSendFailed', update);
    expect([floods.length, saved.length]).toEqual([1, 1]);
  });

  it('learn nothing from other refusals, and close nothing for bots', () => {
    open().noteRefusal('call', 'getChat', 1, new TdlibError(400, 'CHAT_WRITE_FORBIDDEN'));
    expect(floods).toEqual([]);
    const bot = open('bot');
    bot.noteRefusal('call', 'sendMessage', 1, new TdlibError(429, 'Too Many Requests: retry after 100'));
    expect([floods.length, bot.closed]).toEqual([1, []]);
  });

  it('count a hundred rules on one call, all or none', async () => {
    rules = Array.from({ length: 100 }, (_, index) => rule(`r${index}`, ['*'], index === 99 ? 1 : 1_000));
    const limits = open();
    await limits.admit(call('getMe'))?.passed;
    expect([...counts.values()]).toEqual(Array.from({ length: 100 }, () => 1));
    await expect(limits.admit(call('getMe'))?.passed).rejects.toMatchObject({ details: { limit_id: 'r99' } });
    expect([...counts.values()]).toEqual(Array.from({ length: 100 }, () => 1));
  });

  it('charge the look-up of a name to @resolve but to no rule of whole calls, and keep it when the call is refused', async () => {
    rules = [rule('all', ['*'], 10), rule('names', ['@resolve'], 10), rule('both', ['@send', '@resolve'], 10)];
    const limits = open();
    const admission = limits.admit(call('sendMessage', {}, { resolves: true }));
    await admission?.passed;
    expect(Object.fromEntries(counts)).toEqual({ all: 1, names: 1, both: 2 });
    admission?.resolved(true);
    admission?.giveBack();
    await settled();
    expect(Object.fromEntries(counts)).toEqual({ all: 0, names: 1, both: 1 });
  });

  it('give the look-up back when the name was known after all', async () => {
    rules = [rule('names', ['@resolve'], 10), rule('sends', ['@send'], 10)];
    const admission = open().admit(call('sendMessage', {}, { resolves: true }));
    await admission?.passed;
    admission?.resolved(false);
    await settled();
    expect(Object.fromEntries(counts)).toEqual({ names: 0, sends: 1 });
  });

  it('give back the messages of an album that Telegram refused, and the call when it refused them all', async () => {
    rules = [rule('all', ['*'], 10), rule('sends', ['@send'], 10)];
    const admission = open().admit(call('sendMessageAlbum', { input_message_contents: [{}, {}, {}] }));
    await admission?.passed;
    expect(Object.fromEntries(counts)).toEqual({ all: 1, sends: 3 });
    admission?.sendFailed(3);
    admission?.sendFailed(3);
    await settled();
    expect(Object.fromEntries(counts)).toEqual({ all: 1, sends: 1 });
    admission?.sendFailed(3);
    await settled();
    expect(Object.fromEntries(counts)).toEqual({ all: 0, sends: 0 });
  });

  it('say of a call that weighs more than may ever pass that it never fits', async () => {
    rules = [{ ...rule('sends', ['@send'], 2), label: 'few' }];
    const admission = open().admit(call('forwardMessages', { message_ids: [1, 2, 3] }));
    await expect(admission?.passed).rejects.toMatchObject({
      message: 'the limit "few" of 2 a day refuses this call: a call that counts as 3 never fits',
      details: { source: 'limit', level: 'session', limit_id: 'sends', until: '2026-01-02T00:00:00.000Z' },
    });
  });

  it('say of a call that weighs more than is left that it does not fit, not that all is used up', async () => {
    rules = [{ ...rule('sends', ['@send'], 3), per: 'hour' }];
    const limits = open();
    await limits.admit(call('sendMessage'))?.passed;
    await expect(limits.admit(call('forwardMessages', { message_ids: [1, 2, 3] }))?.passed).rejects.toMatchObject({
      message: 'the limit of 3 an hour refuses this call: a call that counts as 3 does not fit any more',
    });
    for (let left = 2; left > 0; left -= 1) await limits.admit(call('sendMessage'))?.passed;
    await expect(limits.admit(call('sendMessage'))?.passed).rejects.toMatchObject({
      message: 'the limit of 3 an hour refuses this call: it is used up',
    });
  });

  it('use no turn of the pace for a call that a quota refuses', async () => {
    rules = [rule('sends', ['@send'], 1)];
    const limits = open('user', 1);
    await limits.admit(call('sendMessage'))?.passed;
    now += 1_000;
    await expect(limits.admit(call('sendMessage'))?.passed).rejects.toMatchObject({ details: { source: 'limit' } });
    expect(limits.queue).toMatchObject({ length: 0, nextInMs: 0 });
  });

  it('count nothing of a call whose caller left while it was counted', async () => {
    rules = [rule('sends', ['@send'], 5)];
    const admission = open().admit(call('sendMessage'));
    admission?.leave();
    await admission?.passed;
    await settled();
    expect(counts.get('sends') ?? 0).toBe(0);
  });

  it('tells whether a call would pass the pace and the rules, and takes nothing', async () => {
    rules = [rule('r', ['@send'], 2)];
    const limits = open('user', 0.05);
    const send = call('sendMessage');
    for (let count = 0; count < 3; count += 1) await limits.check(send);
    await limits.admit(send)?.passed;
    await expect(limits.check(send)).rejects.toMatchObject({ details: { source: 'pace' } });
    now += 20_000;
    await limits.check(send);
    counts.set('r', 2);
    await expect(limits.check(send)).rejects.toMatchObject({ details: { source: 'limit', limit_id: 'r' } });
    await limits.check(call('getMe'));
    expect(counts.get('r')).toBe(2);
  });

  it('close one chat alone for its slow mode, and everything for a longer wait or where slow mode does not bind', async () => {
    const group = (type: string, more = true): string =>
      JSON.stringify({
        '@type': 'updateSupergroup',
        supergroup: { '@type': 'supergroup', id: 77, status: { '@type': type }, is_slow_mode_enabled: more },
      });
    const failed = (seconds: number): string =>
      failure(429, `Too Many Requests: retry after ${seconds}`).replace('"chat_id":7', '"chat_id":-1000000000077');
    const send = (chat_id: number): LimitedCall => call('sendMessage', { chat_id });
    const limits = open();
    limits.receive('updateSupergroup', group('chatMemberStatusMember'));
    limits.receive('updateMessageSendFailed', failed(3_600));
    expect(refusal(() => limits.admit(send(-1000000000077)))).toMatchObject({
      details: { source: 'cooldown', scope: '@send:-1000000000077' },
    });
    expect(limits.admit(send(5))).toBeUndefined();
    expect(await limits.lift('@send:-1000000000077')).toBe(true);
    limits.receive('updateMessageSendFailed', failed(3_601));
    expect(refusal(() => limits.admit(send(5)))).toMatchObject({ details: { scope: '@send' } });
    await limits.lift('@send');
    limits.receive('updateSupergroup', group('chatMemberStatusAdministrator'));
    limits.receive('updateMessageSendFailed', failed(60));
    expect(refusal(() => limits.admit(send(5)))).toMatchObject({ details: { scope: '@send' } });
  });
});
