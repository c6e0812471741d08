import { DatabaseUnavailableError } from '../errors/index.js';
import { Remembered } from './remembered.js';

/** A database whose answers the test gives, one question at a time. */
class Database {
  readonly asked: string[] = [];
  private readonly waiting: { resolve: (value: string | undefined) => void; reject: (error: Error) => void }[] = [];

  readonly load = (key: string): Promise<string | undefined> => {
    this.asked.push(key);
    return new Promise((resolve, reject) => this.waiting.push({ resolve, reject }));
  };

  answer(value: string | undefined): void {
    this.waiting.shift()?.resolve(value);
  }

  fail(error: Error): void {
    this.waiting.shift()?.reject(error);
  }
}

describe('Remembered', () => {
  let now: number;
  let database: Database;
  let remembered: Remembered<string>;
  const away = new DatabaseUnavailableError(new Error('away'));

  beforeEach(() => {
    now = 0;
    database = new Database();
    const options = { freshMs: 1000, usableMs: 60_000, patienceMs: 20, maxKeys: 2 };
    remembered = new Remembered(database.load, options, () => now);
  });

  /** Has it know a value under the key, as of now. */
  async function learn(key: string, value: string | undefined): Promise<void> {
    const answer = remembered.get(key);
    database.answer(value);
    expect(await answer).toBe(value);
  }

  it('asks once, however many wait for the answer', async () => {
    const answers = Promise.all([remembered.get('a'), remembered.get('a'), remembered.get('a')]);
    database.answer('one');
    expect(await answers).toEqual(['one', 'one', 'one']);
    expect(database.asked).toEqual(['a']);
  });

  it('does not ask again while the answer is fresh', async () => {
    await learn('a', 'one');
    now = 999;
    expect(await remembered.get('a')).toBe('one');
    now = 1000;
    await learn('a', 'two');
    expect(database.asked).toEqual(['a', 'a']);
  });

  it('counts the age of an answer from its question', async () => {
    const answer = remembered.get('a');
    now = 1000;
    database.answer('one');
    await answer;
    await learn('a', 'two');
  });

  it('serves the last answer while the database is away, but not for ever', async () => {
    await learn('a', 'one');
    now = 59_999;
    const served = remembered.get('a');
    database.fail(away);
    expect(await served).toBe('one');
    now = 60_000;
    const refused = remembered.get('a');
    database.fail(away);
    await expect(refused).rejects.toBe(away);
  });

  it('has nothing to serve for what was never asked', async () => {
    const answer = remembered.get('a');
    database.fail(away);
    await expect(answer).rejects.toBe(away);
    await learn('a', 'one');
  });

  it('hides no other failure', async () => {
    await learn('a', 'one');
    now = 1000;
    const answer = remembered.get('a');
    const bug = new Error('a bug');
    database.fail(bug);
    await expect(answer).rejects.toBe(bug);
  });

  it('does not wait long for a database that says nothing, when it has an answer', async () => {
    await learn('a', 'one');
    now = 1000;
    expect(await remembered.get('a')).toBe('one');
    expect(await remembered.get('a')).toBe('one');
    expect(database.asked).toEqual(['a', 'a']);
    const other = remembered.get('b');
    database.answer('late');
    database.answer('two');
    expect(await other).toBe('two');
    now = 1500;
    expect(await remembered.get('a')).toBe('late');
  });

  it('knows for a moment that there is nothing, and no longer with the database away', async () => {
    await learn('a', undefined);
    now = 999;
    expect(await remembered.get('a')).toBeUndefined();
    now = 1000;
    const answer = remembered.get('a');
    database.fail(away);
    await expect(answer).rejects.toBe(away);
  });

  it('forgets what it knew when there is nothing any more', async () => {
    await learn('a', 'one');
    now = 1000;
    await learn('a', undefined);
    now = 2000;
    const answer = remembered.get('a');
    database.fail(away);
    await expect(answer).rejects.toBe(away);
  });

  describe('of what has changed', () => {
    it('does not use the old answer again, even with the database away', async () => {
      await learn('a', 'one');
      remembered.forget('a');
      const answer = remembered.get('a');
      database.fail(away);
      await expect(answer).rejects.toBe(away);
    });

    it('does not keep the answer to a question from before', async () => {
      const before = remembered.get('a');
      remembered.forget('a');
      const after = remembered.get('a');
      expect(database.asked).toEqual(['a', 'a']);
      database.answer('old');
      database.answer('new');
      expect(await before).toBe('old');
      expect(await after).toBe('new');
      expect(await remembered.get('a')).toBe('new');
    });

    it('does not serve it to those who wait for a database that went away', async () => {
      await learn('a', 'one');
      now = 1000;
      const answer = remembered.get('a');
      remembered.forgetWhere((value) => value === 'one');
      database.fail(away);
      await expect(answer).rejects.toBe(away);
    });

    it('forgets by value, and leaves the others', async () => {
      await learn('a', 'one');
      await learn('b', 'two');
      remembered.forgetWhere((value) => value === 'one');
      expect(await remembered.get('b')).toBe('two');
      await learn('a', 'new');
    });
  });

  it('asks again after a doubt, and still serves while the database is away', async () => {
    await learn('a', 'one');
    remembered.doubt();
    const served = remembered.get('a');
    database.fail(away);
    expect(await served).toBe('one');
    await learn('a', 'two');
  });

  it('keeps no more keys than it may', async () => {
    await learn('a', 'one');
    await learn('b', 'two');
    now = 1000;
    await learn('a', 'one');
    await learn('c', 'three');
    expect(await remembered.get('a')).toBe('one');
    await learn('b', 'two');
    expect(database.asked).toEqual(['a', 'b', 'a', 'c', 'b']);
  });

  it('keeps few keys that do not exist', async () => {
    await learn('a', 'one');
    for (let key = 0; key < 2000; key++) await learn(`nothing ${key}`, undefined);
    expect(await remembered.get('a')).toBe('one');
    await learn('nothing 0', undefined);
    expect(await remembered.get('nothing 1999')).toBeUndefined();
  });
});
