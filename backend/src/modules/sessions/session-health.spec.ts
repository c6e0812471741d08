import type { TdObject } from '../../telegram/index.js';
import { HEALTH_GRACE_MS, HealthMonitor } from './session-health.js';

describe('HealthMonitor', () => {
  let due: { readonly work: () => void; readonly afterMs: number } | undefined;
  let changes = 0;
  let monitor: HealthMonitor;
  const connection = (state: string): void =>
    monitor.connection({ '@type': 'updateConnectionState', state: { '@type': state } } satisfies TdObject);
  const passGrace = (): void => {
    expect(due?.afterMs).toBe(HEALTH_GRACE_MS);
    due?.work();
  };

  beforeEach(() => {
    due = undefined;
    changes = 0;
    monitor = new HealthMonitor(
      () => 'the proxy socks5 10.0.0.5:1080',
      () => (changes += 1),
      (work, afterMs) => {
        const mine = { work, afterMs };
        due = mine;
        return () => {
          if (due === mine) due = undefined;
        };
      },
    );
  });

  it('says nothing of an ordinary reconnect', () => {
    connection('connectionStateConnecting');
    connection('connectionStateReady');
    expect(due).toBeUndefined();
    expect(monitor.health).toEqual({ level: 'ok' });
    expect(changes).toBe(0);
  });

  it('names the proxy that cannot be reached', () => {
    connection('connectionStateConnectingToProxy');
    passGrace();
    expect(monitor.health).toEqual({ level: 'down', cause: 'cannot connect to the proxy socks5 10.0.0.5:1080' });
  });

  it('tells a proxy that answers from a Telegram that does not', () => {
    connection('connectionStateConnecting');
    passGrace();
    expect(monitor.health.cause).toBe('no answer from Telegram through the proxy socks5 10.0.0.5:1080');
  });

  it('counts from when the state began, however often TDLib repeats it', () => {
    connection('connectionStateWaitingForNetwork');
    const first = due;
    connection('connectionStateWaitingForNetwork');
    expect(due).toBe(first);
    passGrace();
    expect(monitor.health).toEqual({ level: 'down', cause: 'no network' });
  });

  it('is well again at once', () => {
    connection('connectionStateConnecting');
    passGrace();
    connection('connectionStateUpdating');
    expect(monitor.health).toEqual({ level: 'ok' });
    expect(changes).toBe(2);
  });

  it('reports nothing after the client is closed', () => {
    connection('connectionStateConnecting');
    monitor.cancel();
    expect(due).toBeUndefined();
  });
});
