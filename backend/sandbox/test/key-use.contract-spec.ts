import { cpSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { SET_COMMANDS } from './calls.js';
import { TransportFixture } from './transport-fixture.js';
import { until } from './until.js';

describe('one key used by two clients of the real TDLib', () => {
  const fixture = new TransportFixture();
  const base = mkdtempSync(join(tmpdir(), 'sandbox-key-use-'));
  beforeAll(() => fixture.start());
  afterAll(async () => {
    await fixture.stop();
    rmSync(base, { recursive: true, force: true });
  });

  /** The database of a logged-in bot, and a copy of it. */
  async function twins(botId: number): Promise<readonly [string, string]> {
    const original = join(base, `${botId}-a`);
    const copy = join(base, `${botId}-b`);
    const driver = await fixture.openBot(botId, { directory: original });
    await driver.close();
    cpSync(original, copy, { recursive: true });
    return [original, copy];
  }

  it.each([
    ['sessions', 6001, {}],
    ['marker', 6002, { parameters: { device_model: 'Another machine' } }],
  ])('is noticed by their %s', async (kind, botId, options) => {
    const [original, copy] = await twins(botId);
    const first = await fixture.open({ directory: original });
    await first.request(SET_COMMANDS);
    const second = await fixture.open({ directory: copy, ...options });
    await second.request(SET_COMMANDS);
    const conflict = await until(
      () => fixture.transport.keyConflicts().find(({ ownerId }) => ownerId === botId),
      'a conflict',
    );
    expect(conflict.kind).toBe(kind);
    const calls = (): number => fixture.transport.keyConflicts().find(({ ownerId }) => ownerId === botId)?.calls ?? 0;
    const before = calls();
    await first.request(SET_COMMANDS);
    expect(calls()).toBe(before + 1);
    await first.close();
    await second.close();
  });

  it('is not seen in a client that comes back, reconnects, or has several sessions', async () => {
    const before = fixture.transport.keyConflicts().length;
    fixture.api.mainSessions = 3;
    await fixture.restart();
    const directory = join(base, 'alone');
    const first = await fixture.openBot(6003, { directory, options: { online: true } });
    await Promise.all(Array.from({ length: 20 }, () => first.request(SET_COMMANDS)));
    fixture.transport.dropConnections(6003);
    await Promise.all(Array.from({ length: 20 }, () => first.request(SET_COMMANDS)));
    await first.close();
    const second = await fixture.open({ directory, options: { online: true } });
    await Promise.all(Array.from({ length: 20 }, () => second.request(SET_COMMANDS)));
    await second.close();
    expect(fixture.transport.keyConflicts()).toHaveLength(0);
    expect(before).toBeGreaterThan(0);
  });
});
