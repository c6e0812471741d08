import { Driver } from './driver.js';
import { TransportFixture } from './transport-fixture.js';

const fixture = new TransportFixture();

describe('key exchange with the real TDLib', () => {
  beforeAll(() => fixture.start());
  afterAll(() => fixture.stop());

  it('logs a bot in over a permanent key', async () => {
    const driver = await Driver.open(fixture.transport.libraryPath, { proxy: fixture.proxy.url });
    await driver.loginBot('1001:a');
    expect(fixture.api.callsOf('auth.importBotAuthorization')).toHaveLength(1);
    expect(fixture.transport.keysOf(1001)).toHaveLength(1);
    await driver.close();
  });
});
