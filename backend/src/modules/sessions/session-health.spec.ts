import type { TdObject } from '../../telegram/index.js';
import { HEALTH_GRACE_MS, healthAtRest, HealthMonitor } from './session-health.js';

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

describe('the health of a session that is not meant to work', () => {
  it.each(['logged_out', 'banned', 'expired', 'error'] as const)(
    'is down when it is %s, for the reason of its end',
    (status) => {
      expect(healthAtRest(status, 'Telegram says so')).toEqual({ level: 'down', cause: 'Telegram says so' });
      expect(healthAtRest(status, undefined)).toEqual({ level: 'down', cause: expect.any(String) as string });
    },
  );

  it('is down when it is stopped, whatever was refused before', () => {
    expect(healthAtRest('stopped', 'tdlib 400: X')).toEqual({ level: 'down', cause: 'stopped by its operator' });
  });

  it('is left to the connection in every other status', () => {
    expect(healthAtRest('authorized', undefined)).toBeUndefined();
    expect(healthAtRest('awaiting_code', 'tdlib 400: PHONE_CODE_INVALID')).toBeUndefined();
  });
});
