import { KeyedLock } from './keyed-lock.js';

describe('KeyedLock', () => {
  it('runs work for one key after another and for other keys at once', async () => {
    const lock = new KeyedLock();
    const log: string[] = [];
    let release = (): void => undefined;
    const gate = new Promise<void>((resolve) => (release = resolve));
    const first = lock.run('a', async () => {
      await gate;
      log.push('a1');
    });
    const second = lock.run('a', () => Promise.resolve(log.push('a2')));
    await lock.run('b', () => Promise.resolve(log.push('b')));
    expect(lock.has('a')).toBe(true);
    release();
    await Promise.all([first, second]);
    expect(log).toEqual(['b', 'a1', 'a2']);
    expect(lock.keys).toEqual([]);
  });

  it('goes on after a failure, which only its own caller sees', async () => {
    const lock = new KeyedLock();
    const failing = lock.run('a', () => Promise.reject(new Error('no')));
    const following = lock.run('a', () => Promise.resolve('yes'));
    await expect(failing).rejects.toThrow('no');
    await expect(following).resolves.toBe('yes');
  });
});
