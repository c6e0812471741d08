import { SilenceWatch } from './silence-watch.js';

const LIMIT_MS = 1_800_000;

describe('SilenceWatch', () => {
  let now: number;
  let due: { readonly work: () => void; readonly at: number } | undefined;
  let isIdle: boolean;
  let failure: Error | undefined;
  let whileRenewing: () => void;
  let probes: number;
  let renewals: number;
  let suspicions: (string | undefined)[];
  let watch: SilenceWatch;

  const settled = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));
  const pass = async (ms: number): Promise<void> => {
    const end = now + ms;
    while (due !== undefined && due.at <= end) {
      const { work, at } = due;
      due = undefined;
      now = at;
      work();
      await settled();
    }
    now = end;
  };
  const message = (more: object): string =>
    JSON.stringify({ '@type': 'updateNewMessage', message: { '@type': 'message', is_outgoing: false, ...more } });
  const hear = (): void => watch.receive('updateNewMessage', message({ date: now / 1_000 }));

  beforeEach(() => {
    now = 1_700_000_000_000;
    due = undefined;
    isIdle = true;
    failure = undefined;
    whileRenewing = () => undefined;
    probes = 0;
    renewals = 0;
    suspicions = [];
    watch = new SilenceWatch(
      LIMIT_MS,
      {
        isIdle: () => isIdle,
        probe: () => {
          probes += 1;
          return failure === undefined ? Promise.resolve() : Promise.reject(failure);
        },
        renew: () => {
          renewals += 1;
          whileRenewing();
          return Promise.resolve();
        },
        suspect: (cause) => suspicions.push(cause),
      },
      {
        now: () => now,
        later: (work, afterMs) => {
          const mine = { work, at: now + afterMs };
          due = mine;
          return () => {
            if (due === mine) due = undefined;
          };
        },
      },
    );
    watch.begin();
  });

  it('does nothing to a session that hears', async () => {
    for (let minute = 0; minute < 120; minute += 20) {
      await pass(1_200_000);
      hear();
    }
    expect([probes, renewals, suspicions]).toEqual([0, 0, []]);
  });

  it('asks and connects anew once the limit has passed, counted from what was heard last', async () => {
    await pass(LIMIT_MS / 2);
    hear();
    await pass(LIMIT_MS - 1);
    expect(probes).toBe(0);
    await pass(1);
    expect([probes, renewals, suspicions]).toEqual([1, 1, []]);
  });

  it('takes neither its own messages nor what TDLib tells by itself for hearing', async () => {
    await pass(LIMIT_MS / 2);
    watch.receive('updateNewMessage', message({ is_outgoing: true, date: now / 1_000 }));
    watch.receive('updateMessageSendSucceeded', '{}');
    watch.receive('updateConnectionState', '{}');
    await pass(LIMIT_MS / 2);
    expect(probes).toBe(1);
  });

  it('suspects a session whose messages came only after it connected anew, until it hears again', async () => {
    whileRenewing = () => {
      watch.receive('updateNewMessage', message({ date: now / 1_000 - 600 }));
      watch.receive('updateNewMessage', message({ date: now / 1_000 - 300 }));
    };
    await pass(LIMIT_MS);
    expect(suspicions).toEqual(['Telegram had stopped sending updates: 2 messages came only after a reconnect']);
    whileRenewing = () => undefined;
    await pass(LIMIT_MS);
    // That nothing more was missed does not show that anything is sent.
    expect([renewals, suspicions.length]).toEqual([2, 1]);
    hear();
    expect(suspicions.at(-1)).toBeUndefined();
  });

  it('does not suspect it for a message that was just written', async () => {
    whileRenewing = hear;
    await pass(LIMIT_MS);
    expect([renewals, suspicions]).toEqual([1, []]);
  });

  it('suspects a session whose Telegram does not answer, and looks again after the limit', async () => {
    failure = new Error('the call took longer than 10 s');
    await pass(LIMIT_MS);
    expect(suspicions).toEqual(['no update for 30 min, and Telegram does not answer: the call took longer than 10 s']);
    failure = undefined;
    await pass(LIMIT_MS);
    expect([probes, suspicions.at(-1)]).toEqual([2, undefined]);
  });

  it('looks at a quiet account less and less often, at last every eight limits', async () => {
    const seen: number[] = [];
    for (let limits = 0; limits < 40; limits += 1) {
      await pass(LIMIT_MS);
      if (renewals > seen.length) seen.push(limits + 1);
    }
    expect(seen).toEqual([1, 3, 7, 15, 23, 31, 39]);
  });

  it('waits while something is in flight', async () => {
    isIdle = false;
    await pass(LIMIT_MS + 60_000);
    expect(probes).toBe(0);
    isIdle = true;
    await pass(10_000);
    expect(probes).toBe(1);
  });

  it('leaves a session alone that has ended', async () => {
    watch.end();
    await pass(10 * LIMIT_MS);
    expect([probes, due]).toEqual([0, undefined]);
  });
});
