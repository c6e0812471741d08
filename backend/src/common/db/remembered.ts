import { setTimeout as sleep } from 'node:timers/promises';
import { databaseFailure } from './database-failure.js';

/** How long what the database said may be used. */
export interface RememberOptions {
  /** An answer is taken for true without asking, in milliseconds. */
  readonly freshMs: number;
  /** With the database away the last answer serves so long, in milliseconds. */
  readonly usableMs: number;
  /** A database that says nothing for so long counts as away where there is an old answer; 1 s when absent. */
  readonly patienceMs?: number;
  /** Beyond so many keys the one that was asked for longest ago is forgotten. */
  readonly maxKeys: number;
}

interface Known<Value> {
  readonly value: Value;
  /** When the database was asked for it. */
  readonly at: number;
}

interface Question<Value> {
  readonly answer: Promise<Value | undefined>;
  /** The database takes its time. */
  readonly isLate: Promise<undefined>;
}

const PATIENCE_MS = 1000;
/** Keys that do not exist are whatever clients think of: few are kept, and only while they are fresh. */
const MAX_ABSENT = 1000;

/**
 * What the database is asked for with every request. An answer serves for a moment, the next question is asked once however many
 * wait for it, and with the database away the last answer goes on serving for a while.
 */
export class Remembered<Value extends object | string> {
  private readonly known = new Map<string, Known<Value>>();
  private readonly absent = new Map<string, number>();
  private readonly questions = new Map<string, Question<Value>>();

  /** @param load asks the database; undefined when there is nothing under the key */
  constructor(
    private readonly load: (key: string) => Promise<Value | undefined>,
    private readonly options: RememberOptions,
    private readonly now: () => number = () => performance.now(),
  ) {}

  /**
   * What is under the key; undefined when there is nothing.
   * @throws DatabaseUnavailableError, or what the driver threw, when there is no usable answer either
   */
  async get(key: string): Promise<Value | undefined> {
    const known = this.known.get(key);
    if (known && this.now() - known.at < this.options.freshMs) return known.value;
    const absentAt = this.absent.get(key);
    if (absentAt !== undefined && this.now() - absentAt < this.options.freshMs) return undefined;
    const { answer, isLate } = this.questions.get(key) ?? this.ask(key);
    if (!known) return answer;
    // What was forgotten meanwhile is not used, however long the database is away.
    const isUsable = (): boolean => this.known.get(key) === known && this.now() - known.at < this.options.usableMs;
    try {
      const first = await Promise.race([answer.then((value) => ({ value })), isLate]);
      if (first) return first.value;
    } catch (error) {
      if (databaseFailure(error) && isUsable()) return known.value;
      throw error;
    }
    return isUsable() ? known.value : answer;
  }

  /** What is under the key has changed: the old answer is not used again. */
  forget(key: string): void {
    this.known.delete(key);
    this.absent.delete(key);
    this.questions.delete(key);
  }

  /** As {@link forget}, where the answer is older than so many milliseconds. */
  forgetOlder(key: string, ageMs: number): void {
    const at = this.known.get(key)?.at ?? this.absent.get(key);
    if (at !== undefined && this.now() - at > ageMs) this.forget(key);
  }

  /** As {@link forget}, for every key whose value is meant. */
  forgetWhere(isMeant: (value: Value) => boolean): void {
    for (const [key, { value }] of this.known) if (isMeant(value)) this.known.delete(key);
    this.absent.clear();
    // A question that is under way may have been asked before the change.
    this.questions.clear();
  }

  /** Changes may have been missed: the next question for each key goes to the database. */
  doubt(): void {
    for (const [key, known] of this.known) this.known.set(key, { ...known, at: known.at - this.options.freshMs });
    this.absent.clear();
    this.questions.clear();
  }

  private ask(key: string): Question<Value> {
    const at = this.now();
    const answer = this.load(key).then(
      (value) => {
        if (this.questions.get(key) === question) this.note(key, value, at);
        return value;
      },
      (error: unknown) => {
        if (this.questions.get(key) === question) this.questions.delete(key);
        throw error;
      },
    );
    const question: Question<Value> = {
      answer,
      isLate: sleep(this.options.patienceMs ?? PATIENCE_MS, undefined, { ref: false }),
    };
    this.questions.set(key, question);
    return question;
  }

  private note(key: string, value: Value | undefined, at: number): void {
    this.questions.delete(key);
    this.known.delete(key);
    this.absent.delete(key);
    if (value === undefined) keep(this.absent, key, at, MAX_ABSENT);
    else keep(this.known, key, { value, at }, this.options.maxKeys);
  }
}

/** Maps keep the order in which keys came: the first is the oldest. */
function keep<Value>(map: Map<string, Value>, key: string, value: Value, max: number): void {
  const [oldest] = map.keys();
  if (map.size >= max && oldest !== undefined) map.delete(oldest);
  map.set(key, value);
}
