import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { SET_COMMANDS } from './calls.js';
import { TransportFixture } from './transport-fixture.js';
import { until } from './until.js';

describe('key exchange with the real TDLib', () => {
  const fixture = new TransportFixture();
  const { api } = fixture;
  const directories: string[] = [];
  beforeAll(() => fixture.start());
  afterAll(async () => {
    await fixture.stop();
    for (const directory of directories) rmSync(directory, { recursive: true, force: true });
  });

  function temporaryDirectory(): string {
    const directory = mkdtempSync(join(tmpdir(), 'sandbox-td-'));
    directories.push(directory);
    return directory;
  }

  it('logs a bot in over a permanent key', async () => {
    const driver = await fixture.openBot(1001);
    expect(fixture.transport.keysOf(1001)).toMatchObject([{ layer: 223, dc: 1, testMode: false }]);
    await driver.close();
  });

  it('knows the client again by its key when it comes back', async () => {
    const directory = temporaryDirectory();
    const first = await fixture.openBot(1002, { directory });
    await first.close();
    const keys = fixture.transport.exportKeys().length;
    const second = await fixture.open({ directory });
    await second.waitForState('authorizationStateReady');
    await second.request(SET_COMMANDS);
    expect(fixture.transport.exportKeys()).toHaveLength(keys);
    expect(api.callsOf('bots.setBotCommands').at(-1)?.context.key.ownerId).toBe(1002);
    await second.close();
  });

  it('binds temporary keys to the permanent one, which alone has the login', async () => {
    const driver = await fixture.openBot(1003, { options: { use_pfs: true, online: true } });
    const [key] = fixture.transport.keysOf(1003);
    await driver.request(SET_COMMANDS);
    const { context } = api.callsOf('bots.setBotCommands').at(-1) ?? {};
    expect(context?.key.id).toBe(key?.id);
    expect(fixture.transport.connections().find(({ ownerId }) => ownerId === 1003)?.keyId).toBe(key?.id);
    await driver.close();
  });

  it('serves several sessions with temporary keys of their own', async () => {
    api.mainSessions = 3;
    const driver = await fixture.openBot(1004, { options: { online: true } });
    await until(
      () => fixture.transport.connections().filter(({ ownerId }) => ownerId === 1004).length >= 3,
      'three connections',
    );
    expect(fixture.transport.keysOf(1004)).toHaveLength(1);
    await driver.request(SET_COMMANDS);
    await driver.close();
    api.mainSessions = 1;
  });

  it('tells the test environment from the production one', async () => {
    const driver = await fixture.openBot(1005, { parameters: { use_test_dc: true } });
    expect(fixture.transport.keysOf(1005)).toMatchObject([{ testMode: true }]);
    await driver.close();
  });

  it.each([
    ['a permanent key', 1006, {}],
    ['temporary keys, which the server has forgotten', 1007, { use_pfs: true, online: true }],
  ])('keeps the login over a restart of the server: %s', async (_name, botId, options) => {
    const driver = await fixture.openBot(botId, { options });
    await fixture.restart();
    await driver.request(SET_COMMANDS);
    expect(driver.authorizationState()?.['@type']).toBe('authorizationStateReady');
    expect(
      api.callsOf('auth.importBotAuthorization').filter(({ context }) => context.key.ownerId === botId),
    ).toHaveLength(1);
    await driver.close();
  });

  it('answers a log out and forgets the key', async () => {
    const driver = await fixture.openBot(1008);
    const [key] = fixture.transport.keysOf(1008);
    await driver.request({ '@type': 'logOut' });
    await driver.waitForState('authorizationStateClosed');
    await until(() => key && fixture.transport.keyById(key.id) === undefined, 'the key to be gone');
    await driver.close();
  });
});
