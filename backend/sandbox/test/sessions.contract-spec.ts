import type { TlObject } from '../src/rpc.js';
import { GET_COMMANDS, manyCommands, SET_COMMANDS } from './calls.js';
import type { Driver } from './driver.js';
import { TransportFixture } from './transport-fixture.js';
import { until } from './until.js';

const BOT = 2001;

describe('sessions with the real TDLib', () => {
  const fixture = new TransportFixture();
  const { api } = fixture;
  let driver: Driver;
  beforeAll(async () => {
    await fixture.start();
    driver = await fixture.openBot(BOT, { options: { online: true } });
  });
  afterAll(() => fixture.stop());
  beforeEach(() => {
    api.calls.length = 0;
    api.answers.clear();
    api.faults.clear();
  });

  it('sends the answer on the next connection when the first one was lost meanwhile', async () => {
    let answer: (() => void) | undefined;
    api.answers.set('bots.setBotCommands', () => new Promise((resolve) => (answer = () => resolve(true))));
    const request = driver.request(SET_COMMANDS);
    const finish = await until(() => answer, 'the call');
    fixture.transport.dropConnections(BOT);
    finish();
    await request;
    expect(api.callsOf('bots.setBotCommands')).toHaveLength(1);
  });

  it('repeats an answer that was lost with its connection, without asking the API again', async () => {
    api.faults.set('bots.setBotCommands', { loseAnswer: 'keep-session' });
    await driver.request(SET_COMMANDS);
    expect(api.callsOf('bots.setBotCommands')).toHaveLength(1);
  });

  it('repeats a large answer that was lost with its connection', async () => {
    api.answers.set('bots.getBotCommands', () => manyCommands(200));
    api.faults.set('bots.getBotCommands', { loseAnswer: 'keep-session' });
    const answer = await driver.request(GET_COMMANDS);
    expect(answer.commands).toHaveLength(800);
    expect(api.callsOf('bots.getBotCommands')).toHaveLength(1);
  });

  it('repeats a large answer of a call that had been acknowledged', async () => {
    let answer: (() => void) | undefined;
    api.answers.set('bots.getBotCommands', () => new Promise((resolve) => (answer = () => resolve(manyCommands(200)))));
    const request = driver.request(GET_COMMANDS);
    const finish = await until(() => answer, 'the call');
    // The acknowledgement leaves in the same turn of the event loop; the answer comes when the connection is gone.
    await new Promise((resolve) => setImmediate(resolve));
    fixture.transport.dropConnections(BOT);
    finish();
    expect((await request).commands).toHaveLength(800);
    expect(api.callsOf('bots.getBotCommands')).toHaveLength(1);
  });

  it('gets the call again when it forgets the session with the answer', async () => {
    api.faults.set('bots.setBotCommands', { loseAnswer: 'forget-session' });
    await driver.request(SET_COMMANDS);
    expect(api.callsOf('bots.setBotCommands')).toHaveLength(2);
  });

  it('gets the call again when it was dropped before it was handled', async () => {
    api.faults.set('bots.setBotCommands', { drop: true });
    await driver.request(SET_COMMANDS);
    expect(api.callsOf('bots.setBotCommands')).toHaveLength(1);
  });

  it('answers other calls while one hangs', async () => {
    api.faults.set('bots.getBotCommands', { hang: true });
    api.answers.set('bots.getBotCommands', () => []);
    let answered = false;
    void driver.request(GET_COMMANDS).then(
      () => (answered = true),
      () => undefined,
    );
    await driver.request(SET_COMMANDS);
    expect(answered).toBe(false);
  });

  it('answers late when told to', async () => {
    api.faults.set('bots.setBotCommands', { delayMs: 300 });
    const before = performance.now();
    await driver.request(SET_COMMANDS);
    expect(performance.now() - before).toBeGreaterThanOrEqual(300);
  });

  it('hands calls that arrive together to the API in their order', async () => {
    const sent = Array.from({ length: 200 }, (_unused, index) => `c${index}`);
    await Promise.all(
      sent.map((command) =>
        driver.request({ '@type': 'setCommands', commands: [{ '@type': 'botCommand', command, description: 'x' }] }),
      ),
    );
    const seen = api.callsOf('bots.setBotCommands').map(({ query }) => (query.commands as TlObject[])[0]?.command);
    expect(new Set(seen).size).toBe(sent.length);
    expect(seen).toEqual(sent);
  });

  it('delivers updates, also those that came while the client was away', async () => {
    fixture.transport.push(BOT, inlineQuery('near'));
    await driver.waitFor((update) => update.query === 'near', 'the first query');
    fixture.transport.dropConnections(BOT);
    fixture.transport.push(BOT, inlineQuery('away'));
    await driver.waitFor((update) => update.query === 'away', 'the second query');
    expect(driver.updates.filter(({ query }) => query === 'away')).toHaveLength(1);
  });

  it('delivers an update once to a client with several sessions', async () => {
    api.mainSessions = 3;
    const several = await fixture.openBot(2002, { options: { online: true } });
    await until(
      () => fixture.transport.connections().filter(({ ownerId }) => ownerId === 2002).length >= 3,
      'connections',
    );
    await Promise.all(Array.from({ length: 30 }, () => several.request(SET_COMMANDS)));
    fixture.transport.push(2002, inlineQuery('first'));
    fixture.transport.push(2002, inlineQuery('last'));
    await several.waitFor((update) => update.query === 'last', 'the last query');
    expect(several.updates.filter(({ query }) => query === 'first')).toHaveLength(1);
    await several.close();
    api.mainSessions = 1;
  });

  it('does not send an update to the key it came from', async () => {
    await driver.request(SET_COMMANDS);
    const session = api.callsOf('bots.setBotCommands').at(-1)?.context.sessionId ?? 0n;
    fixture.transport.push(BOT, inlineQuery('own'), { exceptSession: session });
    fixture.transport.push(BOT, inlineQuery('other'));
    await driver.waitFor((update) => update.query === 'other', 'the other query');
    expect(driver.updates.some(({ query }) => query === 'own')).toBe(false);
  });

  it.each([1, 40, -400])('is followed by TDLib when its clock jumps by %d days', async (days) => {
    api.offsetMs += days * 86_400_000;
    await driver.request(SET_COMMANDS);
    fixture.transport.dropConnections(BOT);
    await driver.request(SET_COMMANDS);
    expect(api.callsOf('bots.setBotCommands')).toHaveLength(2);
    const later = await fixture.openBot(2100 + Math.abs(days));
    await later.request(SET_COMMANDS);
    await later.close();
  });
});

let lastQueryId = 0n;

function inlineQuery(query: string): TlObject {
  lastQueryId++;
  return {
    _: 'updates',
    updates: [{ _: 'updateBotInlineQuery', query_id: lastQueryId, user_id: 77, query, offset: '' }],
    users: [{ _: 'user', id: 77, access_hash: 5n, first_name: 'Ada' }],
    chats: [],
    date: 0,
    seq: 0,
  };
}
