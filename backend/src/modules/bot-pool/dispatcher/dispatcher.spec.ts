import fc from 'fast-check';
import { PoolWorld } from '../../../../test/support/pool/pool-world.js';
import type { Behaviour } from '../../../../test/support/pool/fake-telegram.js';
import { DEFAULT_SETTINGS, MAX_BOTS } from './dispatcher.js';
import {
  NoUsableBotError,
  PartAbortedError,
  PartAttemptsError,
  PartDeadlineError,
  PartRefusedError,
  PoolClosedError,
  PoolSaturatedError,
  TooManyBotsError,
} from './dispatcher.errors.js';
import { SendError } from './part.js';
import { type Candidate, PoolBot, selectBot } from './pool-bot.js';

// Titles that begin with D and a number, or with a number, are cases of docs/BOT-POOL.md.

const rate = (seconds: number): Behaviour => ({
  do: 'fail',
  error: new SendError(`Too Many Requests: retry after ${seconds}`, 429),
});
const transient: Behaviour = { do: 'fail', error: new SendError('the connection broke', undefined, 'connection') };
const kicked: Behaviour = { do: 'fail', error: new SendError('CHAT_WRITE_FORBIDDEN', 400) };
const once =
  (behaviour: Behaviour) =>
  (n: number): Behaviour | undefined =>
    n === 1 ? behaviour : undefined;
const always = (behaviour: Behaviour) => (): Behaviour => behaviour;
const isStored = (ending: object): boolean => 'stored' in ending;
const NO_GAP = { limits: { ...DEFAULT_SETTINGS.limits, gapMs: 0, max: 1_000_000 } };

let world: PoolWorld;

function begin(settings: ConstructorParameters<typeof PoolWorld>[0] = {}): PoolWorld {
  world = new PoolWorld(settings);
  return world;
}

describe('the design', () => {
  const candidate = (id: string, load: number, eligibleAt = -Infinity, lastStartedAt = -Infinity): Candidate => ({
    id,
    load,
    isUsable: true,
    lastStartedAt,
    eligibleAt: () => eligibleAt,
  });

  it('D1 selectBot returns the bot with the fewest running and queued', () => {
    const bots = [candidate('a', 2), candidate('b', 1), candidate('c', 3)];
    expect(selectBot(bots, 1, 0)?.id).toBe('b');
  });

  it('D1 counts both what a bot runs and what it has queued', async () => {
    const idle = new PoolBot({ id: 'idle' }, DEFAULT_SETTINGS.limits);
    const busy = new PoolBot({ id: 'busy' }, DEFAULT_SETTINGS.limits);
    let finish: () => void = () => undefined;
    const running = busy.queue.add(() => new Promise<void>((resolve) => (finish = resolve)));
    const queued = busy.queue.add(() => Promise.resolve());
    expect([busy.load, idle.load, selectBot([busy, idle], 1, 0)?.id]).toEqual([2, 0, 'idle']);
    finish();
    await Promise.all([running, queued]);
  });

  it('D2 selectBot leaves out bots cooling down, until the very end of it and no longer', () => {
    const bots = [candidate('cooling', 0, 1_000), candidate('free', 5)];
    expect(selectBot(bots, 1, 999)?.id).toBe('free');
    expect(selectBot(bots, 1, 1_000)?.id).toBe('cooling');
    expect(selectBot(bots, 1, 1_000, (id) => id === 'cooling')?.id).toBe('free');
    expect(selectBot([candidate('cooling', 0, 1_000)], 1, 999)).toBeUndefined();
  });

  it('D5 two tasks of one bot run one after the other, also after one was rejected', async () => {
    const { queue } = new PoolBot({ id: 'one' }, DEFAULT_SETTINGS.limits);
    const seen: string[] = [];
    const task = (name: string, fails: boolean) => async (): Promise<void> => {
      seen.push(`${name} begins`);
      await new Promise((resolve) => setImmediate(resolve));
      seen.push(`${name} ends`);
      if (fails) throw new Error(name);
    };
    await Promise.allSettled([queue.add(task('first', true)), queue.add(task('second', false))]);
    expect(seen).toEqual(['first begins', 'first ends', 'second begins', 'second ends']);
  });
});

describe('the pool', () => {
  afterEach(() => world.expectInvariants());

  const stored = async (count: number): Promise<void> => {
    expect((await world.submitMany(count)).every(isStored)).toBe(true);
  };
  const perBot = (ids: readonly string[]): number[] => ids.map((id) => world.telegram.sendsOf(id).length);
  const bot = (id: string) => world.dispatcher.status().bots.find(({ botId }) => botId === id);

  it('D3 a 429 on bot 0 sends the part over bot 1, and rests bot 0 for what was asked', async () => {
    begin().addBot({ id: 'bot-0' }, { script: once(rate(30)), latencyMs: 0 });
    world.addBot({ id: 'bot-1' }, { latencyMs: 0 });
    const sent = await world.clock.until(world.submit());
    expect(sent.botId).toBe('bot-1');
    expect(world.telegram.sends).toHaveLength(2);
    expect(world.telegram.messages).toHaveLength(1);
    expect(bot('bot-0')).toMatchObject({ state: 'cooling', cooldownUntil: world.clock.unixNow() + 30_500 });
    expect(bot('bot-1')?.cooldownUntil).toBeUndefined();
  });

  it('D4 with all bots limited it waits, sends nothing before the first is free, and counts no attempt', async () => {
    begin({ maxAttempts: 1 });
    for (const [n, seconds] of [20, 10].entries()) {
      world.addBot({ id: `bot-${n}` }, { script: once(rate(seconds)), latencyMs: 0 });
    }
    const sent = await world.clock.until(world.submit());
    expect(sent.botId).toBe('bot-1');
    expect(world.telegram.sends.map(({ startedAt }) => startedAt)).toEqual([0, 0, 10_500]);
  });

  it('1 equals take turns: 60 parts one after another over 6 idle bots are 10 each', async () => {
    const ids = begin(NO_GAP).addBots(6);
    for (let n = 0; n < 60; n++) await world.clock.until(world.submit());
    expect(perBot(ids)).toEqual([10, 10, 10, 10, 10, 10]);
  });

  it('2 a bot that is 20 times slower gets about a 20th, and holds nobody up', async () => {
    const ids = begin(NO_GAP).addBots(5, { latencyMs: 100 });
    world.addBot({ id: 'slow' }, { latencyMs: 2_000 });
    await stored(505);
    expect(world.telegram.sendsOf('slow').length).toBeLessThanOrEqual(7);
    expect(Math.max(...perBot(ids)) - Math.min(...perBot(ids))).toBeLessThanOrEqual(2);
    expect(world.clock.now()).toBeLessThanOrEqual(12_000);
  });

  it('3 a part does not wait behind a send that hangs: another bot takes it as soon as it is free', async () => {
    begin(NO_GAP).addBot({ id: 'hangs' }, { script: always({ do: 'hang' }) });
    world.addBot({ id: 'works' }, { latencyMs: 500 });
    const hanging = new AbortController();
    const first = world.submit(world.part(), { signal: hanging.signal });
    const second = world.submit();
    const third = world.submit();
    expect((await world.clock.until(second)).botId).toBe('works');
    expect((await world.clock.until(third)).botId).toBe('works');
    expect(world.clock.now()).toBe(1_000);
    hanging.abort();
    await expect(first).rejects.toThrow(PartAbortedError);
  });

  it('4 300 parts at once over 6 bots of 20 a minute: none is rejected, within 1.05 of the ideal time', async () => {
    begin().addBots(6, { perMinute: 20 });
    await stored(300);
    expect(world.telegram.sends).toHaveLength(300);
    expect(world.telegram.rejected).toBe(0);
    // Two windows wholly used, and the ten of each bot in the third a second apart.
    expect(world.clock.now()).toBeLessThanOrEqual(1.05 * 130_000);
  });

  it('5 with a budget above what the server takes at most a tenth is rejected, none is lost, and it learns', async () => {
    const ids = begin().addBots(6, { perMinute: 12 });
    await stored(300);
    expect(world.telegram.rejected).toBeGreaterThan(0);
    expect(world.telegram.rejected).toBeLessThanOrEqual(world.telegram.sends.length / 10);
    expect(ids.every((id) => (bot(id)?.budget.of ?? 20) < 20)).toBe(true);
    await world.clock.advance(20 * 60_000);
    expect(ids.map((id) => bot(id)?.budget.of)).toEqual([20, 20, 20, 20, 20, 20]);
  });

  it('6 600 parts at once over 6 bots: none fails', async () => {
    begin().addBots(6, { perMinute: 20 });
    await stored(600);
    expect(world.telegram.sends).toHaveLength(600);
  });

  it('7 of 12 bots with 10 limited it uses the two that are free', async () => {
    begin();
    for (let n = 0; n < 10; n++) world.addBot({ id: `limited-${n}` }, { script: always(rate(600)), latencyMs: 1 });
    world.addBot({ id: 'free-0' });
    world.addBot({ id: 'free-1' });
    await stored(20);
    expect(world.telegram.sendsOf('free-0').length + world.telegram.sendsOf('free-1').length).toBe(20);
    expect(world.clock.now()).toBeLessThan(30_000);
  });

  it('8 with equal parts nobody is overtaken by more than there are bots', async () => {
    begin(NO_GAP).addBots(4, { latencyMs: 100 });
    world.addBot({ id: 'slow' }, { latencyMs: 1_000 });
    const done: number[] = [];
    const all = Array.from({ length: 100 }, async (_, n) => {
      await world.submit();
      done.push(n);
    });
    await world.clock.until(Promise.all(all));
    const started = world.telegram.sends.map(({ partId }) => Number(partId.slice('part-'.length)));
    expect(started).toEqual([...started].sort((a, b) => a - b));
  });

  it('9 an object of 1,000 parts does not hold up ten small ones of another token', async () => {
    begin(NO_GAP).addBots(6, { latencyMs: 100 });
    const large = world.storeObject('large', 1_000, 'token-a');
    const small = Promise.all(Array.from({ length: 10 }, (_, n) => world.storeObject(`small-${n}`, 1, 'token-b')));
    await world.clock.until(small);
    // Ten of theirs by turns with ten of the other, six at once.
    expect(world.clock.now()).toBeLessThanOrEqual(500);
    await world.clock.until(large);
    expect(world.isVisible('large')).toBe(true);
  });

  it('9 two tokens with much to store share the bots within a tenth', async () => {
    begin(NO_GAP).addBots(6, { latencyMs: 100 });
    const all = Promise.all([
      world.storeObject('a', 300, 'token-a'),
      ...Array.from({ length: 6 }, (_, n) => world.storeObject(`b-${n}`, 50, 'token-b')),
    ]);
    await world.clock.until(all);
    const firstHalf = world.telegram.sends.slice(0, 300).filter(({ partId }) => partId.startsWith('a/')).length;
    expect(firstHalf).toBeGreaterThanOrEqual(135);
    expect(firstHalf).toBeLessThanOrEqual(165);
  });

  it('10 a part that a bot gave back comes before new ones, however often it is refused', async () => {
    begin(NO_GAP);
    for (let n = 0; n < 4; n++) world.addBot({ id: `bot-${n}` }, { script: once(rate(5)), latencyMs: 10 });
    const unlucky = world.submit();
    for (let n = 0; n < 40; n++) void world.submit();
    await world.clock.until(unlucky);
    const isBehind = world.telegram.sends.filter(({ outcome }) => outcome === 'stored').length;
    expect(isBehind).toBeLessThanOrEqual(4);
    await world.clock.advance(60_000);
  });

  it('11 500 wait and one bot comes free: exactly one send starts', async () => {
    begin().addBot({ id: 'only' }, { script: once(rate(10)), latencyMs: 0 });
    const all = world.submitAll(500, { withinMs: 3_600_000 });
    await world.clock.advance(10_499);
    expect(world.telegram.sends).toHaveLength(1);
    await world.clock.advance(1);
    expect(world.telegram.sends).toHaveLength(2);
    await world.dispatcher.removeBot('only', true);
    world.addBots(49);
    await world.clock.until(all);
  });

  it('13 what waits is not sent to a bot that was refused: it moves', async () => {
    begin(NO_GAP).addBot({ id: 'limited' }, { script: always(rate(300)), latencyMs: 10 });
    world.addBot({ id: 'free' }, { latencyMs: 50 });
    await stored(20);
    expect(perBot(['limited', 'free'])).toEqual([1, 20]);
  });

  it('14 a smaller wait that is asked for later does not shorten a cooldown', () => {
    begin();
    const pool = new PoolBot({ id: 'bot' }, DEFAULT_SETTINGS.limits);
    pool.coolDown(1, 60_000, 0);
    pool.coolDown(1, 1_000, 100);
    expect(pool.cooldownUntil).toBe(60_500);
  });

  it('15 a bot that is refused every other time goes on, rests for longer, and disturbs nobody', async () => {
    begin({ ...NO_GAP, partMs: 3_600_000 });
    world.addBot({ id: 'flaps' }, { script: (n) => (n % 2 === 0 ? rate(1) : undefined), latencyMs: 100 });
    world.addBot({ id: 'steady' }, { latencyMs: 1_000 });
    await stored(100);
    const flaps = world.telegram.sendsOf('flaps');
    expect(flaps.filter(({ outcome }) => outcome === 'stored').length).toBeGreaterThan(5);
    const rests = flaps.flatMap(({ outcome, endedAt = 0 }, n) =>
      outcome === 'rate' ? [(flaps[n + 1]?.startedAt ?? Infinity) - endedAt] : [],
    );
    expect(rests[1]).toBeGreaterThan(rests[0] ?? Infinity);
    expect(world.telegram.sendsOf('steady').every(({ outcome }) => outcome === 'stored')).toBe(true);
  });

  it.each([
    ['0', 'Too Many Requests: retry after 0', 429, 1_500],
    ['missing', 'Too Many Requests', 429, 1_500],
    ['a day', 'Too Many Requests: retry after 86400', 429, 86_400_500],
    ['fractional', 'Too Many Requests: retry after 2.5', 429, 3_000],
    ['of code 400', 'Too Many Requests: retry after 7', 400, 7_500],
    ['FLOOD_WAIT', 'FLOOD_WAIT_17', 420, 17_500],
    ['FLOOD_PREMIUM_WAIT', 'FLOOD_PREMIUM_WAIT_3', 420, 3_500],
    ['SLOWMODE_WAIT', 'SLOWMODE_WAIT_4', 400, 4_500],
  ])('16 a wait that is %s rests the bot', async (_name, message, code, restMs) => {
    begin().addBot({ id: 'bot' }, { script: once({ do: 'fail', error: new SendError(message, code) }), latencyMs: 0 });
    await world.clock.until(world.submit(world.part(), { withinMs: 2 * 86_400_000 }));
    expect(world.telegram.sends.map(({ startedAt }) => startedAt)).toEqual([0, restMs]);
  });

  it('17 with all limited it wakes at the earliest end, and not after a fixed time', async () => {
    begin();
    for (const [n, seconds] of [600, 1, 300].entries()) {
      world.addBot({ id: `bot-${n}` }, { script: once(rate(seconds)), latencyMs: 0 });
    }
    await world.clock.until(world.submit());
    expect(world.clock.now()).toBe(1_500);
  });

  it('17 a part that all bots would keep waiting for too long fails at once, with when to come again', async () => {
    begin().addBot({ id: 'bot' }, { script: once(rate(60)), latencyMs: 0 });
    const work = world.submit(world.part(), { withinMs: 10_000 });
    const error: unknown = await world.clock.until(work).catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(PartDeadlineError);
    expect(error).toMatchObject({ retryAfterSeconds: 61 });
    expect(world.clock.now()).toBe(0);
  });

  it.each([
    ['an hour back', -3_600_000],
    ['an hour ahead', 3_600_000],
  ])('18 a machine whose date is set %s keeps its cooldowns', async (_name, shiftMs) => {
    begin().addBot({ id: 'bot' }, { script: once(rate(30)), latencyMs: 0 });
    const work = world.submit();
    await world.clock.advance(10);
    world.clock.shiftDate(shiftMs);
    await world.clock.until(work);
    expect(world.clock.now()).toBe(30_500);
  });

  it('19 a cooldown that a former process noted is kept, and one that is over is none', async () => {
    begin().addBot({ id: 'rests', cooldownUntil: world.clock.unixNow() + 20_000 }, { latencyMs: 0 });
    const work = world.submit();
    await world.clock.until(work);
    expect(world.clock.now()).toBe(20_000);
    world.addBot({ id: 'rested', cooldownUntil: world.clock.unixNow() - 1 }, { latencyMs: 0 });
    expect((await world.clock.until(world.submit())).botId).toBe('rested');
  });

  it('19 every cooldown is told, as a date that a later process can keep', async () => {
    begin().addBots(2, { script: once(rate(30)), latencyMs: 0 });
    const at = world.clock.unixNow();
    await world.clock.until(world.submit());
    expect(world.events.filter(({ type }) => type === 'cooldown')).toEqual([
      { type: 'cooldown', botId: 'bot-0', untilUnixMs: at + 30_500 },
      { type: 'cooldown', botId: 'bot-1', untilUnixMs: at + 30_500 },
    ]);
  });

  it('20 a bot sends at most once a second, and the 21st message of a minute waits for its very end', async () => {
    begin().addBot({ id: 'bot' }, { latencyMs: 0 });
    await stored(21);
    const starts = world.telegram.sends.map(({ startedAt }) => startedAt);
    expect(starts.slice(0, 20)).toEqual(Array.from({ length: 20 }, (_, n) => n * 1_000));
    expect(starts[20]).toBe(60_000);
  });

  it('22 a send that TDLib holds back for 8 seconds is not taken for one that hangs', async () => {
    begin().addBot({ id: 'bot' }, { latencyMs: 8_000 });
    await stored(1);
    expect(world.telegram.sends).toHaveLength(1);
  });

  it('23 a send of which nothing leaves is taken back and goes elsewhere; a slow one is left alone', async () => {
    begin({ sameBotRetries: 0 }).addBot({ id: 'hangs' }, { script: once({ do: 'hang' }) });
    world.addBot({ id: 'slow' }, { latencyMs: 250_000, progressMs: 50_000 });
    await stored(2);
    expect(world.telegram.sendsOf('hangs')[0]).toMatchObject({ outcome: 'aborted', endedAt: 60_000 });
    expect(world.telegram.sendsOf('slow').map(({ outcome }) => outcome)).not.toContain('aborted');
  });

  it('24 a transient fault is tried again on the same bot, after a pause in which that sends something else', async () => {
    begin({ ...NO_GAP, retryMs: 1_000 }).addBot({ id: 'bot' }, { script: once(transient), latencyMs: 100 });
    const first = world.submit();
    const second = world.submit();
    await world.clock.until(second);
    expect(world.clock.now()).toBe(200);
    await world.clock.until(first);
    expect(world.clock.now()).toBe(1_200);
  });

  it('24 a part that fails three times on one bot goes to the next', async () => {
    begin(NO_GAP).addBot({ id: 'broken' }, { script: always(transient), latencyMs: 10 });
    world.addBot({ id: 'busy', isPaused: true });
    const work = world.submit();
    await world.clock.advance(500);
    world.dispatcher.pauseBot('busy', false);
    expect((await world.clock.until(work)).botId).toBe('busy');
    expect(perBot(['broken', 'busy'])).toEqual([3, 1]);
  });

  it('25 a bot that was kicked is put aside with the reason, the part goes elsewhere, and it can come back', async () => {
    begin().addBot({ id: 'kicked' }, { script: once(kicked), latencyMs: 0 });
    world.addBot({ id: 'works' }, { latencyMs: 0 });
    expect((await world.clock.until(world.submit())).botId).toBe('works');
    expect(bot('kicked')).toMatchObject({ state: 'quarantined', reason: 'CHAT_WRITE_FORBIDDEN' });
    expect(world.dispatcher.status().state).toBe('degraded');
    await stored(5);
    expect(perBot(['kicked'])).toEqual([1]);
    world.dispatcher.restoreBot('kicked');
    await stored(2);
    expect(perBot(['kicked'])[0]).toBeGreaterThan(1);
  });

  it('26 with all bots put aside what waits fails at once, with their reasons', async () => {
    begin().addBots(3, { script: always(kicked), latencyMs: 100 });
    const endings = await world.submitMany(20);
    expect(world.clock.now()).toBeLessThan(1_000);
    for (const ending of endings) expect('error' in ending && ending.error).toBeInstanceOf(NoUsableBotError);
    expect(world.dispatcher.status().state).toBe('unavailable');
    await expect(world.submit()).rejects.toMatchObject({
      details: {
        bots: [
          { session_id: 'bot-0', reason: 'CHAT_WRITE_FORBIDDEN' },
          { session_id: 'bot-1', reason: 'CHAT_WRITE_FORBIDDEN' },
          { session_id: 'bot-2', reason: 'CHAT_WRITE_FORBIDDEN' },
        ],
      },
    });
  });

  it('27 what Telegram says of the bytes themselves fails the part after one send', async () => {
    begin().addBots(3, { script: always({ do: 'fail', error: new SendError('File must be non-empty', 400) }) });
    await expect(world.clock.until(world.submit())).rejects.toThrow(PartRefusedError);
    expect(world.telegram.sends).toHaveLength(1);
  });

  it('28 only sends count as attempts, and the error lists each', async () => {
    begin({ ...NO_GAP, maxAttempts: 4, partMs: 3_600_000 });
    world.addBot({ id: 'bot' }, { script: (n) => (n === 1 ? rate(30) : transient), latencyMs: 0 });
    const error: unknown = await world.clock.until(world.submit()).catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(PartAttemptsError);
    expect(error).toMatchObject({
      details: {
        attempts: ['rate', 'transient', 'transient', 'transient', 'transient'].map((name) => ({
          session_id: 'bot',
          class: name,
        })),
      },
    });
  });

  it('29 every attempt reads the bytes anew, and the same', async () => {
    begin().addBots(2, { script: (n) => (n < 3 ? transient : undefined) });
    let opened = 0;
    const bytes = Buffer.from('the bytes');
    const part = world.part({ sizeBytes: bytes.length });
    const counted = { ...part, sha256: part.sha256 ?? '', open: () => ((opened += 1), part.open()) };
    await world.clock.until(world.submit({ ...counted, sizeBytes: part.sizeBytes }));
    expect(opened).toBeGreaterThan(1);
    expect(opened).toBeGreaterThanOrEqual(world.telegram.sends.length);
  });

  it('30 a send that is given up has ended before the next of that bot begins', async () => {
    begin({ sameBotRetries: 0, skipMs: 0 }).addBot({ id: 'bot' }, { script: once({ do: 'hang' }), latencyMs: 10 });
    await stored(1);
    const [first, second] = world.telegram.sends;
    expect(first).toMatchObject({ outcome: 'aborted', endedAt: 60_000 });
    expect(second?.startedAt).toBeGreaterThanOrEqual(60_000);
  });

  it('31 a lost answer whose message is found is a success, and is not sent again', async () => {
    begin().addBot({ id: 'bot' }, { script: once({ do: 'lose-answer', found: true }) });
    await stored(1);
    expect(world.telegram.sends).toHaveLength(1);
    expect(world.orphans).toEqual([]);
  });

  it('31 a lost answer whose message is not found is noted as one that may be left behind, and sent again', async () => {
    begin().addBot({ id: 'bot' }, { script: once({ do: 'lose-answer', found: false }) });
    await stored(1);
    expect(world.telegram.messages).toHaveLength(2);
    expect(world.orphans).toMatchObject([{ reason: 'answer_lost', messageId: undefined, partId: 'part-1' }]);
  });

  it('32 a success that comes after the part was given up is left behind, and known to be', async () => {
    begin().addBot({ id: 'bot' }, { script: always({ do: 'ignore-abort' }), latencyMs: 1_000 });
    const abort = new AbortController();
    const work = world.submit(world.part(), { signal: abort.signal });
    await world.clock.advance(500);
    abort.abort();
    await expect(work).rejects.toThrow(PartAbortedError);
    await world.clock.advance(2_000);
    expect(world.orphans).toMatchObject([{ reason: 'cancelled', messageId: 1 }]);
    expect(bot('bot')).toMatchObject({ state: 'idle', counters: { ok: 1 } });
  });

  it.each([
    ['without a message', { messageId: 0 }, []],
    ['with another size', { sizeBytes: 1 }, [{ reason: 'wrong_answer', messageId: 1 }]],
  ])('33 an answer %s is a failure', async (_name, answer, orphans) => {
    begin().addBot({ id: 'bot' }, { script: once({ do: 'answer', answer }) });
    const sent = await world.clock.until(world.submit());
    expect(sent).toMatchObject({ messageId: 2, sizeBytes: 6 });
    if (orphans.length > 0) expect(world.orphans).toMatchObject(orphans);
    expect(world.orphans).toHaveLength(1);
    // Without an id nothing can be deleted; a look through the channel finds it.
    if (orphans.length === 0) expect(world.orphans).toMatchObject([{ messageId: undefined }]);
  });

  it('34 when a client leaves, what waits goes at once and what runs is taken back', async () => {
    begin().addBot({ id: 'bot' }, { script: always({ do: 'hang' }) });
    const abort = new AbortController();
    const parts = Array.from({ length: 6 }, () => world.submit(world.part(), { signal: abort.signal }));
    await world.clock.advance(1_000);
    abort.abort();
    const endings = await Promise.allSettled(parts);
    expect(endings.every(({ status }) => status === 'rejected')).toBe(true);
    expect(world.clock.now()).toBe(1_000);
    await world.clock.advance(0);
    expect(world.telegram.sends).toMatchObject([{ outcome: 'aborted', endedAt: 1_000 }]);
    expect(world.dispatcher.status().backlog.parts).toBe(0);
    expect(bot('bot')).toMatchObject({ lastError: undefined, counters: { transient: 0 } });
  });

  it('36 a bot that leaves may finish what it sends; what waits moves', async () => {
    begin(NO_GAP).addBots(2, { latencyMs: 1_000 });
    const all = world.submitAll(6);
    await world.clock.advance(500);
    await world.clock.until(world.dispatcher.removeBot('bot-0', true));
    expect(world.telegram.sendsOf('bot-0')).toMatchObject([{ outcome: 'stored' }]);
    expect((await world.clock.until(all)).every(isStored)).toBe(true);
  });

  it('36 a bot that leaves at once hands over what it sends, at no cost', async () => {
    begin({ ...NO_GAP, maxAttempts: 1 }).addBots(2, { latencyMs: 1_000 });
    const all = world.submitAll(2);
    await world.clock.advance(500);
    await world.clock.until(world.dispatcher.removeBot('bot-0', false));
    expect((await world.clock.until(all)).every(isStored)).toBe(true);
    expect(world.telegram.sendsOf('bot-0')).toMatchObject([{ outcome: 'aborted' }]);
  });

  it('37 without a bot what waits goes on waiting, and a new one resumes it', async () => {
    begin(NO_GAP).addBot({ id: 'last' }, { latencyMs: 1_000 });
    const all = world.submitAll(3);
    await world.clock.until(world.dispatcher.removeBot('last', true));
    expect(world.dispatcher.status()).toMatchObject({ state: 'unavailable', backlog: { parts: 2 } });
    await world.clock.advance(60_000);
    world.addBot({ id: 'new' });
    expect((await world.clock.until(all)).every(isStored)).toBe(true);
  });

  it('37 without a bot what waits ends at its deadline', async () => {
    begin();
    const work = world.submit(world.part(), { withinMs: 5_000 });
    await expect(world.clock.until(work)).rejects.toThrow(PartDeadlineError);
    expect(world.clock.now()).toBe(5_000);
  });

  it('38 a bot that comes in the middle of a burst gets work at once', async () => {
    begin(NO_GAP).addBot({ id: 'first' }, { latencyMs: 1_000 });
    const all = world.submitAll(10);
    await world.clock.advance(1_500);
    world.addBot({ id: 'second' }, { latencyMs: 1_000 });
    await world.clock.advance(0);
    expect(world.telegram.sendsOf('second')).toMatchObject([{ startedAt: 1_500 }]);
    await world.clock.until(all);
  });

  it('39 a paused pool begins nothing and finishes what runs; a paused bot is left out', async () => {
    begin(NO_GAP).addBots(2, { latencyMs: 1_000 });
    const all = world.submitAll(6);
    await world.clock.advance(500);
    world.dispatcher.pause(true);
    await world.clock.advance(60_000);
    expect(world.telegram.messages).toHaveLength(2);
    expect(world.dispatcher.status()).toMatchObject({ state: 'paused', backlog: { parts: 4 } });
    world.dispatcher.pauseBot('bot-0', true);
    world.dispatcher.pause(false);
    await world.clock.until(all);
    expect(perBot(['bot-0', 'bot-1'])).toEqual([1, 5]);
    expect(bot('bot-0')?.state).toBe('paused');
  });

  it('40 a worker that dies in the middle of a send: the part is stored elsewhere, the send noted', async () => {
    const died = new SendError('the worker is gone', undefined, 'answer_lost');
    begin({ sameBotRetries: 0 }).addBot({ id: 'dies' }, { script: always({ do: 'fail', error: died }) });
    world.addBot({ id: 'lives', isPaused: true });
    const work = world.submit();
    await world.clock.advance(200);
    world.dispatcher.pauseBot('lives', false);
    expect((await world.clock.until(work)).botId).toBe('lives');
    expect(world.orphans[0]).toMatchObject({ botId: 'dies', reason: 'answer_lost' });
  });

  it('44 a pool that is closed takes nothing more and finishes what it has', async () => {
    begin(NO_GAP).addBots(2, { latencyMs: 1_000 });
    const all = world.submitAll(6);
    await world.clock.advance(500);
    const closed = world.dispatcher.close(60_000);
    await expect(world.submit()).rejects.toThrow(PoolClosedError);
    expect((await world.clock.until(all)).every(isStored)).toBe(true);
    await world.clock.until(closed);
    expect(world.clock.now()).toBeLessThan(60_000);
    expect(world.orphans).toEqual([]);
  });

  it('44 what a closed pool does not finish in time fails and is taken back', async () => {
    begin(NO_GAP).addBot({ id: 'slow' }, { latencyMs: 60_000 });
    const all = world.submitAll(3);
    await world.clock.advance(500);
    await world.clock.until(world.dispatcher.close(5_000));
    for (const ending of await all) expect('error' in ending && ending.error).toBeInstanceOf(PoolClosedError);
    expect(world.telegram.messages).toEqual([]);
  });

  it('47 parts that finish in reverse order are an object in the right order', async () => {
    begin(NO_GAP);
    for (let n = 0; n < 5; n++) world.addBot({ id: `bot-${n}` }, { latencyMs: 1_000 - n * 150 });
    await world.clock.until(world.storeObject('backwards', 5));
    expect(world.isVisible('backwards')).toBe(true);
    expect(world.telegram.messages.map(({ partId }) => partId)[0]).toBe('backwards/4');
  });

  it('47 an object whose first part fails last is not there, and its parts are left behind as orphans', async () => {
    begin({ ...NO_GAP, maxAttempts: 1 }).addBot({ id: 'fails' }, { script: always(transient), latencyMs: 5_000 });
    world.addBots(3, { latencyMs: 100 });
    await expect(world.clock.until(world.storeObject('half', 4))).rejects.toThrow(PartAttemptsError);
    expect(world.isVisible('half')).toBe(false);
    expect(world.orphans).toHaveLength(3);
  });

  it('58 more than may wait is refused before anything is taken', async () => {
    begin({ maxBacklog: 2 }).addBot({ id: 'bot' });
    const endings = await world.submitMany(4);
    expect(endings.map(isStored)).toEqual([true, true, true, false]);
    const refused = endings.at(-1);
    expect(refused !== undefined && 'error' in refused && refused.error).toBeInstanceOf(PoolSaturatedError);
  });

  it('58 tells before a body is sent what would be refused after it', async () => {
    begin({ maxBacklog: 1 }).addBot({ id: 'bot' }, { script: once(rate(30)), latencyMs: 1_000 });
    expect(() => world.dispatcher.admit(0)).not.toThrow();
    const running = world.submit();
    expect(() => world.dispatcher.admit()).not.toThrow();
    const waiting = world.submit();
    expect(() => world.dispatcher.admit()).toThrow(PoolSaturatedError);
    await world.clock.advance(2_000);
    await Promise.allSettled([world.clock.until(running), world.clock.until(waiting)]);
    world.dispatcher.quarantine('bot', 'kicked');
    expect(() => world.dispatcher.admit()).toThrow(NoUsableBotError);
  });

  it('58 refuses at once when all bots rest for longer than its client may wait', async () => {
    begin().addBot({ id: 'bot' }, { script: once(rate(30)), latencyMs: 0 });
    const work = world.submit();
    await world.clock.advance(1_000);
    expect(() => world.dispatcher.admit(60_000)).not.toThrow();
    expect(() => world.dispatcher.admit(10_000)).toThrow(
      expect.objectContaining({ code: 'pool_saturated', retryAfterSeconds: 30 }) as Error,
    );
    await world.clock.until(work);
  });

  it('66 loses nothing in hours of limits that come and go, with a restart every 10 minutes', async () => {
    // By hand for the whole day: SOAK_HOURS=24.
    const minutes = Number(process.env['SOAK_HOURS'] ?? 2) * 60;
    begin({ partMs: 300_000 });
    for (let n = 0; n < 6; n += 1) {
      // Each bot has bad hours of its own.
      const isBad = (at: number): boolean => (Math.floor(at / 3_600_000) + n) % 6 === 0;
      const behaviour = (count: number, at: number): Behaviour | undefined => {
        if (isBad(at) && count % 2 === 0) return rate(5 + (count % 40));
        if (count % 97 === 0) return { do: 'lose-answer', found: count % 2 === 0 };
        return count % 31 === 0 ? transient : undefined;
      };
      world.addBot({ id: `bot-${n}` }, { latencyMs: 1_500 + 700 * n, perMinute: 20, script: behaviour });
    }
    const waiting = new Set<Promise<void>>();
    let stored = 0;
    let restarts = 0;
    // A client asks again when the pool has been closed under it.
    const store = async (name: string): Promise<void> => {
      for (let attempt = 1; ; attempt += 1) {
        try {
          await world.submit(world.part({ id: `${name}.${attempt}` }));
          stored += 1;
          return;
        } catch (error) {
          if (!(error instanceof PoolClosedError)) throw error;
          await world.clock.wait(1_000);
        }
      }
    };
    for (let minute = 1; minute <= minutes; minute += 1) {
      for (let n = 0; n < 20; n += 1) {
        const work: Promise<void> = store(`${minute}/${n}`).finally(() => waiting.delete(work));
        waiting.add(work);
      }
      await world.clock.advance(60_000);
      if (minute % 10 === 0) {
        // By turns it may drain, or not.
        await world.clock.until(world.restart(restarts % 2 === 0 ? 0 : 10_000));
        restarts += 1;
      }
    }
    await world.clock.until(Promise.all(waiting));
    expect([stored, restarts]).toEqual([minutes * 20, Math.floor(minutes / 10)]);
  }, 600_000);

  it('has at most 50 bots, as many as a channel has administrators', () => {
    begin().addBots(MAX_BOTS);
    expect(() => world.dispatcher.addBot({ id: 'one too many' })).toThrow(TooManyBotsError);
  });

  it('lifts a cooldown that somebody ends early', async () => {
    begin().addBot({ id: 'bot' }, { script: once(rate(600)), latencyMs: 0 });
    const work = world.submit();
    await world.clock.advance(1_000);
    world.dispatcher.liftCooldown('bot');
    // The server would go on refusing; ours is told that it does not.
    world.telegram.violations.length = 0;
    await world.clock.advance(1_000);
    world.telegram.violations.length = 0;
    await work;
    expect(world.clock.now()).toBe(2_000);
  });

  it('sends what was submitted after a change of the chat to the new one', async () => {
    begin().addBot({ id: 'bot' });
    await world.clock.until(world.submit());
    world.dispatcher.useChat(2);
    expect((await world.clock.until(world.submit())).chatId).toBe(2);
  });
});

describe('whatever the bots do', () => {
  const behaviours: readonly (readonly [number, Behaviour])[] = [
    [60, { do: 'ok' }],
    [8, rate(3)],
    [4, rate(40)],
    [8, transient],
    [2, { do: 'hang' }],
    [3, { do: 'lose-answer', found: true }],
    [3, { do: 'lose-answer', found: false }],
    [3, { do: 'ignore-abort' }],
    [2, { do: 'answer', answer: { sizeBytes: 1 } }],
    [1, kicked],
    [1, { do: 'fail', error: new SendError('File must be non-empty', 400) }],
  ];
  const behaviour = fc.oneof(
    ...behaviours.map(([weight, arbitrary]) => ({ weight, arbitrary: fc.constant(arbitrary) })),
  );
  const botOptions = fc.record({
    latencyMs: fc.integer({ min: 0, max: 20_000 }),
    perMinute: fc.constantFrom(1, 5, 20, 1_000),
    script: fc.array(behaviour, { maxLength: 20 }),
  });
  const action = fc.record({
    afterMs: fc.integer({ min: 0, max: 30_000 }),
    bot: fc.nat(5),
    what: fc.constantFrom('abort', 'pause', 'resume', 'drain', 'remove', 'restore', 'add', 'close'),
  });
  // 10,000 take minutes: `PROPERTY_RUNS=10000` before a release.
  const numRuns = Number(process.env['PROPERTY_RUNS'] ?? 150);

  it('12 the invariants hold for random bots, limits, latencies and errors', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(botOptions, { minLength: 1, maxLength: 6 }),
        fc.integer({ min: 1, max: 40 }),
        fc.array(action, { maxLength: 6 }),
        async (bots, parts, actions) => {
          const run = new PoolWorld({ partMs: 300_000 });
          for (const [n, { script, ...options }] of bots.entries()) {
            run.addBot({ id: `bot-${n}` }, { ...options, script: (at) => script[at - 1] });
          }
          const abort = new AbortController();
          const all = Array.from({ length: parts }, (_, n) =>
            run.submit(run.part(), n % 3 === 0 ? { signal: abort.signal } : {}).catch(() => undefined),
          );
          for (const { afterMs, bot, what } of actions) {
            await run.clock.advance(afterMs);
            const id = `bot-${bot % bots.length}`;
            if (what === 'abort') abort.abort();
            else if (what === 'pause') run.dispatcher.pauseBot(id, true);
            else if (what === 'resume') run.dispatcher.pauseBot(id, false);
            else if (what === 'restore') run.dispatcher.restoreBot(id);
            else if (what === 'add') run.addBot({ id: `new-${bot}` });
            else if (what === 'close') void run.dispatcher.close(10_000);
            else void run.dispatcher.removeBot(id, what === 'drain');
          }
          await run.clock.until(Promise.all(all), 'all parts');
          await run.expectInvariants();
        },
      ),
      { numRuns },
    );
  }, 300_000);
});
