import type { WorkerAddress } from '../../common/cluster/index.js';
import {
  NoLiveWorkerError,
  RemoteError,
  SessionNotReadyError,
  WorkerUnreachableError,
} from '../../common/errors/index.js';
import { Departure } from '../../telegram/index.js';
import { MovingCalls } from './moving-calls.js';
import type { SessionRoutes } from './session-routes.js';

const worker = (id: string): WorkerAddress => ({ id, addr: `http://${id}` });
const moving = new RemoteError(503, 'gateway', 'session_moving', 'moving', { details: { sent: false } });

/** Routes whose owner the test says; whoever waits for a change goes on when it tells of one. */
class Routes {
  owner: WorkerAddress | undefined = worker('a');
  readonly pauses: (() => void)[] = [];
  /** How often the database would have been asked anew. */
  forgotten = 0;

  ownerOf(): Promise<WorkerAddress> {
    return this.owner === undefined ? Promise.reject(new NoLiveWorkerError()) : Promise.resolve(this.owner);
  }
  forget(): void {
    this.forgotten += 1;
  }
  forgetOlder(): void {
    return;
  }
  changed(): Promise<void> {
    return new Promise((resolve) => this.pauses.push(resolve));
  }
  tell(owner: WorkerAddress | undefined): void {
    this.owner = owner;
    for (const resolve of this.pauses.splice(0)) resolve();
  }
}

const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

describe('calls of sessions that move', () => {
  let routes: Routes;
  let calls: MovingCalls;
  let sent: string[];
  let now: number;
  /** What a worker does with a call. */
  let at: Record<string, Error | string>;

  const call = (caller?: Departure): Promise<string> =>
    calls.run({
      kind: 'bot',
      sessionId: 's',
      caller,
      send: ({ id }) => {
        sent.push(id);
        const answer = at[id];
        return answer instanceof Error ? Promise.reject(answer) : Promise.resolve(String(answer));
      },
    });

  beforeEach(() => {
    routes = new Routes();
    now = 0;
    calls = new MovingCalls(routes as unknown as SessionRoutes, () => now);
    sent = [];
    at = { a: 'by a', b: 'by b' };
  });

  it('go once to the worker that has the session, and no other question is asked', async () => {
    expect(await call()).toBe('by a');
    expect([sent, routes.forgotten]).toEqual([['a'], 0]);
  });

  it.each<[string, Error]>([
    ['refused by a worker that hands it over', moving],
    ['that a worker ending did not take', new RemoteError(503, 'gateway', 'shutting_down', 'ends', {})],
    ['that never reached their worker', new WorkerUnreachableError('a', true, new Error('refused'))],
    ['to a worker that has let go of it', new RemoteError(503, 'gateway', 'no_live_worker', 'not here', {})],
  ])('%s are made again when another one has it', async (_what, failure) => {
    at['a'] = failure;
    const answer = call();
    await turn();
    routes.tell(worker('b'));
    expect(await answer).toBe('by b');
    expect(sent.filter((id) => id === 'b')).toHaveLength(1);
  });

  it('wait for a worker while nobody has the session, and for the one that is opening it', async () => {
    routes.owner = undefined;
    at['b'] = new RemoteError(409, 'gateway', 'session_not_ready', 'opening', { details: { status: 'authorized' } });
    const answer = call();
    await turn();
    routes.tell(worker('b'));
    await turn();
    at['b'] = 'by b';
    routes.tell(worker('b'));
    expect(await answer).toBe('by b');
  });

  it.each<[string, Error]>([
    ['may have been done', new WorkerUnreachableError('a', false, new Error('reset'))],
    ['were given to TDLib', new RemoteError(503, 'gateway', 'session_moving', 'moving', { details: { sent: true } })],
    ['Telegram refused', new RemoteError(400, 'tdlib', 400, 'CHAT_INVALID', {})],
    ['are for a session that is not logged in', new RemoteError(409, 'gateway', 'session_not_ready', 'is stopped', {})],
  ])('that %s are never made twice', async (_what, failure) => {
    at['a'] = failure;
    await expect(call()).rejects.toBe(failure);
    expect(sent).toEqual(['a']);
  });

  it('are not held for a session that nobody will open', async () => {
    const failure = new SessionNotReadyError('stopped');
    routes.ownerOf = () => Promise.reject(failure);
    await expect(call()).rejects.toBe(failure);
  });

  it('are held for ten seconds at most, and those that come after that not at all until the session is back', async () => {
    routes.owner = undefined;
    const first = call();
    await turn();
    now = 10_001;
    routes.tell(undefined);
    await expect(first).rejects.toMatchObject({ code: 'no_live_worker' });
    now = 30_000;
    await expect(call()).rejects.toMatchObject({ code: 'no_live_worker' });

    routes.owner = worker('b');
    expect(await call()).toBe('by b');
    routes.owner = undefined;
    const held = call();
    await turn();
    routes.tell(worker('b'));
    expect(await held).toBe('by b');
  });

  it('are held anew when nobody has asked for a minute', async () => {
    routes.owner = undefined;
    const first = call();
    await turn();
    now = 10_001;
    routes.tell(undefined);
    await expect(first).rejects.toMatchObject({ code: 'no_live_worker' });
    now = 80_000;
    const later = call();
    await turn();
    routes.tell(worker('a'));
    expect(await later).toBe('by a');
  });

  it('end when their caller leaves', async () => {
    at['a'] = moving;
    const caller = new Departure();
    const answer = call(caller);
    await turn();
    caller.leave();
    routes.tell(worker('a'));
    await expect(answer).rejects.toMatchObject({ code: 'call_abandoned' });
  });

  it('are refused at once when two thousand wait already', async () => {
    at['a'] = moving;
    const caller = new Departure();
    const waiting = Array.from({ length: 2_000 }, () => call(caller));
    await turn();
    await expect(call()).rejects.toMatchObject({ code: 'session_moving', details: { sent: false } });
    caller.leave();
    routes.tell(worker('a'));
    for (const each of await Promise.allSettled(waiting)) expect(each.status).toBe('rejected');
  });
});
