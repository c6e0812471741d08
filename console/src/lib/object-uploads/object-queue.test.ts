import { ApiError } from '@/lib/api-error';
import { ObjectQueue } from './object-queue';
import type { PutRequest } from './put-object';

interface Put {
  readonly request: PutRequest;
  readonly signal: AbortSignal;
  readonly progress: (sent: number) => void;
  readonly end: () => void;
  readonly fail: (error: unknown) => void;
}

let puts: Put[];
let queue: ObjectQueue;
beforeEach(() => {
  puts = [];
  queue = new ObjectQueue(
    (request, signal, progress) =>
      new Promise((resolve, reject) => {
        signal.addEventListener('abort', () => reject(new DOMException('aborted', 'AbortError')));
        puts.push({ request, signal, progress, end: resolve, fail: reject });
      }),
  );
});

const file = (name: string): File => new File(['1234567890'], name);
const states = (): string[] => queue.read().map(({ state }) => state);
const at = (index: number): Put => {
  const put = puts[index];
  if (!put) throw new Error(`there are only ${puts.length} puts`);
  return put;
};
/** Until what was resolved has been followed. */
const settled = (): Promise<void> => new Promise((resolve) => setTimeout(resolve, 0));

it('sends two at once and the others after them, below the folder that is open', async () => {
  queue.add('pool', 'a/b/', [file('1'), file('2'), file('3')]);
  expect(states()).toEqual(['sending', 'sending', 'waiting']);
  expect(at(0).request).toMatchObject({ poolId: 'pool', key: 'a/b/1', replaces: false });
  at(0).end();
  await settled();
  expect(states()).toEqual(['done', 'sending', 'sending']);
});

it('tells what has left the browser from what is stored', () => {
  queue.add('pool', '', [file('1')]);
  at(0).progress(4);
  expect(queue.read()[0]).toMatchObject({ state: 'sending', sent: 4 });
  at(0).progress(10);
  expect(states()).toEqual(['storing']);
});

it('replaces an object only when somebody said so', async () => {
  queue.add('pool', '', [file('1')]);
  at(0).fail(new ApiError({ message: 'there', status: 412, source: 'gateway' }));
  await settled();
  expect(states()).toEqual(['taken']);
  queue.retry(queue.read()[0]?.id ?? '', true);
  expect(at(1).request.replaces).toBe(true);
});

it('keeps why one failed, and sends it again from its begin', async () => {
  queue.add('pool', '', [file('1')]);
  at(0).progress(4);
  at(0).fail(new ApiError({ message: 'too many parts wait', status: 429, source: 'gateway', retryAfterSeconds: 5 }));
  await settled();
  expect(queue.read()[0]).toMatchObject({ state: 'failed', error: { retryAfterSeconds: 5 } });
  queue.retry(queue.read()[0]?.id ?? '');
  expect(queue.read()[0]).toMatchObject({ state: 'sending', sent: 0, error: undefined });
});

it('takes the request back of one that is removed', async () => {
  queue.add('pool', '', [file('1'), file('2'), file('3')]);
  queue.remove(queue.read()[0]?.id ?? '');
  await settled();
  expect(at(0).signal.aborted).toBe(true);
  expect(queue.read().map(({ key, state }) => [key, state])).toEqual([
    ['2', 'sending'],
    ['3', 'sending'],
  ]);
});
