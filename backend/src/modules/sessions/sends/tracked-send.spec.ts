import { Departure } from '../../../telegram/index.js';
import { TrackedSend, untilDecided } from './tracked-send.js';

const newSend = (): TrackedSend =>
  new TrackedSend({
    id: 'id',
    sessionId: 'session',
    epoch: 1,
    chatId: 1,
    temporaryId: 9,
    told: true,
    fingerprint: 0,
    keyId: undefined,
    createdAt: new Date(0),
  });

describe('untilDecided', () => {
  const start = (sends: readonly TrackedSend[], timeoutMs: number, caller?: Departure) => {
    const state = { isOver: false };
    void untilDecided(sends, timeoutMs, caller).then(() => (state.isOver = true));
    return state;
  };
  const turn = (): Promise<void> => new Promise((resolve) => process.nextTick(resolve));

  beforeEach(() => jest.useFakeTimers({ doNotFake: ['nextTick'] }));
  afterEach(() => jest.useRealTimers());

  it('waits for all', async () => {
    const sends = [newSend(), newSend()] as const;
    const wait = start(sends, 1_000);
    sends[1].settle({ status: 'sent', messageId: 1 }, new Date(0));
    await turn();
    expect(wait.isOver).toBe(false);
    sends[0].settle({ status: 'unknown' }, new Date(0));
    await turn();
    expect(wait.isOver).toBe(true);
    expect(jest.getTimerCount()).toBe(0);
  });

  it('ends at its time', async () => {
    const wait = start([newSend()], 1_000);
    jest.advanceTimersByTime(999);
    await turn();
    expect(wait.isOver).toBe(false);
    jest.advanceTimersByTime(1);
    await turn();
    expect(wait.isOver).toBe(true);
  });

  it('ends when the caller leaves, and does not begin when it has left', async () => {
    const caller = new Departure();
    const wait = start([newSend()], 1_000, caller);
    caller.leave();
    await turn();
    expect(wait.isOver).toBe(true);
    expect(jest.getTimerCount()).toBe(0);
    const late = start([newSend()], 1_000, caller);
    await turn();
    expect(late.isOver).toBe(true);
  });

  it('has nothing to wait for when all is decided', async () => {
    const wait = start([], 1_000);
    await turn();
    expect(wait.isOver).toBe(true);
  });
});
