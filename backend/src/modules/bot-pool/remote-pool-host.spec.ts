import type { WorkerClient, WorkerRequest } from '../../common/cluster/index.js';
import { RemoteError, WorkerUnreachableError } from '../../common/errors/index.js';
import { PartAbortedError } from './dispatcher/dispatcher.errors.js';
import type { PoolPart } from './pool-part.js';
import type { PoolsRepository } from './pools.repository.js';
import { RemotePoolHost } from './remote-pool-host.js';

const PART: PoolPart = { id: 'part', ownerId: 'token', objectId: 'object', sizeBytes: 5, path: '/spool/name' };
const NEVER = new AbortController().signal;

/** A pool that the workers given have one after the other; each says what becomes of a part. */
function poolOf(...workers: readonly (Error | { readonly messageId: number })[]): {
  readonly host: RemotePoolHost;
  readonly asked: { readonly worker: string; readonly id: string }[];
} {
  const asked: { worker: string; id: string }[] = [];
  const owner = (): { id: string; addr: string } => ({ id: `w${asked.length}`, addr: 'http://w' });
  const repository = { find: () => Promise.resolve({ owner: owner() }) };
  const client = {
    request: ({ id: worker }: { id: string }, { body }: WorkerRequest) => {
      const { id } = body as PoolPart;
      const answer = workers[asked.push({ worker, id }) - 1];
      return answer instanceof Error ? Promise.reject(answer) : Promise.resolve({ ...answer, id });
    },
  };
  const host = new RemotePoolHost(repository as unknown as PoolsRepository, client as unknown as WorkerClient);
  return { host, asked };
}

describe('RemotePoolHost', () => {
  it('40, 41 gives a part whose owner died to the next one, as another part: what became of the first is unknown', async () => {
    const died = new WorkerUnreachableError('w0', false, new Error('socket hang up'));
    const { host, asked } = poolOf(died, { messageId: 7 });
    const stored = await host.store('pool', PART, NEVER);
    expect(asked.map(({ worker }) => worker)).toEqual(['w0', 'w1']);
    expect(asked[0]?.id).toBe('part');
    expect(asked[1]?.id).not.toBe('part');
    expect(stored).toMatchObject({ messageId: 7, id: asked[1]?.id });
  });

  it('gives a part to the next one when the owner has given the pool up', async () => {
    const { host, asked } = poolOf(new RemoteError(503, 'gateway', 'pool_unavailable', 'closed'), { messageId: 7 });
    await host.store('pool', PART, NEVER);
    expect(asked).toHaveLength(2);
  });

  it('asks nobody again about what the pool itself refuses', async () => {
    const refused = new RemoteError(503, 'gateway', 'no_usable_bot', 'no bot can send');
    const { host, asked } = poolOf(refused, { messageId: 7 });
    await expect(host.store('pool', PART, NEVER)).rejects.toBe(refused);
    expect(asked).toHaveLength(1);
  });

  it('asks nobody again when nobody wants the part any more', async () => {
    const giveUp = new AbortController();
    const died = new WorkerUnreachableError('w0', false, new Error('socket hang up'));
    const { host, asked } = poolOf(died, { messageId: 7 });
    const stored = host.store('pool', PART, giveUp.signal);
    setImmediate(() => giveUp.abort());
    await expect(stored).rejects.toThrow(PartAbortedError);
    expect(asked).toHaveLength(1);
  });
});
