import type { ProxyInfo } from '../src/rpc.js';
import { GET_COMMANDS, manyCommands, SET_COMMANDS } from './calls.js';
import type { Driver, TdObject } from './driver.js';
import { TransportFixture } from './transport-fixture.js';
import { until } from './until.js';

describe('proxies with the real TDLib', () => {
  const fixture = new TransportFixture();
  beforeAll(() => fixture.start());
  afterAll(() => fixture.stop());

  async function openThrough(proxy: ProxyInfo, botId: number): Promise<Driver> {
    const driver = await fixture.open({ proxy: proxy.url });
    await driver.loginBot(`${botId}:token`);
    return driver;
  }

  it('records which proxy each client came through, also on a shared port', async () => {
    const { port } = fixture.proxy;
    const first = await fixture.transport.addProxy({ port, username: 'first', password: 'p@ss/word' });
    const second = await fixture.transport.addProxy({ port, username: 'second' });
    const open = await fixture.transport.addProxy({});
    const drivers = [await openThrough(first, 3001), await openThrough(second, 3002), await openThrough(open, 3003)];
    const used = new Map(fixture.transport.connections().map(({ ownerId, proxy }) => [ownerId, proxy]));
    expect(used).toEqual(
      new Map([
        [3001, first.id],
        [3002, second.id],
        [3003, open.id],
      ]),
    );
    for (const driver of drivers) await driver.request(SET_COMMANDS);
    expect(fixture.api.callsOf('bots.setBotCommands').map(({ context }) => context.proxy)).toEqual([
      first.id,
      second.id,
      open.id,
    ]);
    for (const driver of drivers) await driver.close();
  });

  it('is an MTProto proxy that only those who know its secret can use', async () => {
    const secret = `dd${'5a'.repeat(16)}`;
    const proxy = await fixture.transport.addProxy({ kind: 'mtproto', secret });
    const driver = await openThrough(proxy, 3005);
    await driver.request(SET_COMMANDS);
    expect(fixture.api.callsOf('bots.setBotCommands').at(-1)?.context.proxy).toBe(proxy.id);
    const test = (known: string): Promise<unknown> =>
      driver.request(testProxy(proxy.port, { '@type': 'proxyTypeMtproto', secret: known }, 2));
    await expect(test(secret)).resolves.toMatchObject({ '@type': 'ok' });
    await expect(test(`dd${'5b'.repeat(16)}`)).rejects.toThrow();
    await driver.close();
  });

  it('lets nobody in with a wrong password', async () => {
    const { port } = fixture.proxy;
    const driver = await fixture.open({ proxy: `socks5://main:wrong@127.0.0.1:${port}` });
    await expect(driver.request(testProxy(port, socks5('wrong')))).rejects.toThrow();
    await expect(driver.request(testProxy(port, socks5('secret')))).resolves.toMatchObject({ '@type': 'ok' });
    expect(driver.authorizationState()?.['@type']).toBe('authorizationStateWaitPhoneNumber');
    await driver.close();
  });

  // TDLib is connected to a proxy that accepts its connection and then says nothing.
  it.each([
    ['refuse', 'connectionStateConnectingToProxy'],
    ['hang', 'connectionStateConnecting'],
  ] as const)('cuts clients off while it is set to %s, and serves them again after', async (behaviour, state) => {
    const proxy = await fixture.transport.addProxy({ username: behaviour });
    const driver = await openThrough(proxy, behaviour === 'refuse' ? 3011 : 3012);
    fixture.transport.changeProxy(proxy.id, { behaviour });
    let answered = false;
    const request = driver.request(SET_COMMANDS).then(() => (answered = true));
    await driver.waitForConnection(state);
    expect(answered).toBe(false);
    fixture.transport.changeProxy(proxy.id, { behaviour: 'ok' });
    await request;
    await driver.close();
  });

  it('passes data at the rate of a slow proxy', async () => {
    const proxy = await fixture.transport.addProxy({ username: 'slow' });
    const driver = await openThrough(proxy, 3021);
    fixture.transport.changeProxy(proxy.id, { behaviour: 'slow', kbit: 64 });
    await driver.request(SET_COMMANDS);
    fixture.api.answers.set('bots.getBotCommands', () => manyCommands(4));
    const before = performance.now();
    await driver.request(GET_COMMANDS);
    // 4 KiB at 8,000 bytes a second, less what the socket may have been ahead.
    expect(performance.now() - before).toBeGreaterThan(400);
    await driver.close();
  });

  it('is gone when it was removed', async () => {
    const proxy = await fixture.transport.addProxy({ username: 'leaving' });
    const driver = await openThrough(proxy, 3031);
    await fixture.transport.removeProxy(proxy.id);
    await driver.waitForConnection('connectionStateConnectingToProxy');
    await until(
      () => fixture.transport.connections().every(({ ownerId }) => ownerId !== 3031),
      'its connections to end',
    );
    expect(fixture.transport.proxies()).not.toContainEqual(expect.objectContaining({ id: proxy.id }));
    await driver.close();
  });
});

function socks5(password: string): TdObject {
  return { '@type': 'proxyTypeSocks5', username: 'main', password };
}

/** A td_api request that tries a proxy out. */
function testProxy(port: number, type: TdObject, timeoutSeconds = 5): TdObject {
  const proxy = { '@type': 'proxy', server: '127.0.0.1', port, type };
  return { '@type': 'testProxy', proxy, dc_id: 1, timeout: timeoutSeconds };
}
