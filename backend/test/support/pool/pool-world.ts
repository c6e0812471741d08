import { getEventListeners, setMaxListeners } from 'node:events';
import {
  DEFAULT_SETTINGS,
  Dispatcher,
  type DispatcherSettings,
  type PoolEvent,
  type SubmitOptions,
} from '../../../src/modules/bot-pool/dispatcher/dispatcher.js';
import { type Orphan, sha256Of, type StoredPart } from '../../../src/modules/bot-pool/dispatcher/part.js';
import type { NewBot } from '../../../src/modules/bot-pool/dispatcher/pool-bot.js';
import { type FakeBotOptions, type FakePart, FakeTelegram } from './fake-telegram.js';
import { VirtualClock } from './virtual-clock.js';

export type Ending = { readonly stored: StoredPart } | { readonly error: Error };

const failed = (error: unknown): Ending => ({ error: error instanceof Error ? error : new Error(String(error)) });

/** A part that has been handed to the dispatcher. */
interface Accepted {
  readonly part: FakePart;
  readonly endings: Ending[];
  readonly signal: AbortSignal | undefined;
}

/** A dispatcher with bots that are fakes and a clock that is moved by hand; it knows what must hold whatever happens. */
export class PoolWorld {
  readonly clock = new VirtualClock();
  readonly telegram = new FakeTelegram(this.clock);
  readonly events: PoolEvent[] = [];
  readonly orphans: Orphan[] = [];
  dispatcher: Dispatcher<FakePart>;
  private readonly accepted: Accepted[] = [];
  private readonly objects = new Map<string, { readonly sha256: string; readonly messageIds: number[] }>();
  private made = 0;

  /** By bot: what a next process has to know. */
  private readonly cooldowns = new Map<string, number>();

  constructor(private readonly settings: Partial<DispatcherSettings> = {}) {
    this.dispatcher = this.newDispatcher();
  }

  /** The process ends and another one goes on, with the same bots and what was written down of them. */
  async restart(drainMs: number): Promise<void> {
    const bots = this.dispatcher.status().bots.map(({ botId }) => botId);
    await this.dispatcher.close(drainMs);
    this.dispatcher = this.newDispatcher();
    for (const id of bots) {
      const cooldownUntil = this.cooldowns.get(id);
      this.dispatcher.addBot({ id, ...(cooldownUntil !== undefined && { cooldownUntil }) });
    }
  }

  private newDispatcher(): Dispatcher<FakePart> {
    const settings = { ...DEFAULT_SETTINGS, ...this.settings };
    return new Dispatcher<FakePart>(this.telegram, this.clock, 1, settings, (event) => {
      this.events.push(event);
      if (event.type === 'orphan') this.orphans.push(event.orphan);
      if (event.type === 'cooldown') this.cooldowns.set(event.botId, event.untilUnixMs);
    });
  }

  /** @returns their ids: `bot-0`, `bot-1`, … */
  addBots(count: number, options: FakeBotOptions = {}): string[] {
    const ids = Array.from({ length: count }, (_, n) => `bot-${n}`);
    for (const id of ids) this.addBot({ id }, options);
    return ids;
  }

  addBot(bot: NewBot, options: FakeBotOptions = {}): void {
    this.telegram.setBot(bot.id, options);
    this.dispatcher.addBot(bot);
  }

  part(fields: Partial<FakePart> = {}): FakePart {
    this.made += 1;
    const id = `part-${this.made}`;
    const bytes = Buffer.from(fields.id ?? id);
    return {
      id,
      ownerId: 'token',
      objectId: fields.id ?? id,
      sizeBytes: bytes.length,
      sha256: sha256Of(bytes),
      open: () => bytes,
      ...fields,
    };
  }

  submit(part: FakePart = this.part(), options: SubmitOptions = {}): Promise<StoredPart> {
    const accepted: Accepted = { part, endings: [], signal: options.signal };
    if (options.signal !== undefined) setMaxListeners(0, options.signal);
    this.accepted.push(accepted);
    const work = this.dispatcher.submit(part, options);
    work.then(
      (stored) => accepted.endings.push({ stored }),
      (error: unknown) => accepted.endings.push(failed(error)),
    );
    return work;
  }

  /** Many parts at once; each is an object of its own. @returns how each ended, once all have; time has to be let pass */
  submitAll(count: number, options: SubmitOptions = {}): Promise<Ending[]> {
    return Promise.all(
      Array.from({ length: count }, () =>
        this.submit(this.part(), options).then((stored): Ending => ({ stored }), failed),
      ),
    );
  }

  /** As `submitAll`, and lets time pass until all have ended. */
  submitMany(count: number, options: SubmitOptions = {}): Promise<Ending[]> {
    return this.clock.until(this.submitAll(count, options), `${count} parts`);
  }

  /** Stores an object of several parts: it is there once all of them are, and not at all when one fails. */
  async storeObject(key: string, parts: number, ownerId = 'token'): Promise<void> {
    const abort = new AbortController();
    const all = Array.from({ length: parts }, (_, n) =>
      this.part({ id: `${key}/${n}`, objectId: key, ownerId, open: () => Buffer.from(`${key}/${n}`) }),
    );
    try {
      const submitted = all.map(async (part) => this.submit(part, { signal: abort.signal }));
      const results = await Promise.allSettled(
        submitted.map((work) =>
          work.catch((error: unknown) => {
            abort.abort();
            throw error;
          }),
        ),
      );
      const stored = results.flatMap((result) => (result.status === 'fulfilled' ? [result.value] : []));
      const failure = results.find((result) => result.status === 'rejected');
      if (failure !== undefined) {
        for (const { botId, chatId, messageId } of stored) {
          this.orphans.push({ botId, chatId, partId: key, messageId, reason: 'cancelled' });
        }
        throw failure.reason as Error;
      }
      const sha256 = sha256Of(Buffer.concat(all.map((part) => part.open())));
      this.objects.set(key, { sha256, messageIds: stored.map(({ messageId }) => messageId) });
    } finally {
      abort.abort();
    }
  }

  isVisible(key: string): boolean {
    return this.objects.has(key);
  }

  /** Ends the pool and checks the seven invariants of the whole run. */
  async expectInvariants(): Promise<void> {
    await this.clock.until(this.dispatcher.close(0), 'closing');
    const { violations, messages } = this.telegram;
    // I1, I2: a bot sends one at a time, and nothing while it rests.
    expect(violations).toEqual([]);
    // I3: each part that was taken has ended, and once.
    expect(this.accepted.filter(({ endings }) => endings.length !== 1).map(({ part }) => part.id)).toEqual([]);
    // I4: what is being sent at once is bounded by the bots, whatever waits.
    const largest = Math.max(0, ...this.accepted.map(({ part }) => part.sizeBytes));
    const bots = new Set(this.telegram.sends.map(({ botId }) => botId)).size;
    expect(this.telegram.peakBytes).toBeLessThanOrEqual(largest * bots);
    // I5: a stored part is in the channel as it was given, and an object has all of its parts, in order.
    const byId = new Map(messages.map((message) => [message.id, message]));
    for (const { part, endings } of this.accepted) {
      const [ending] = endings;
      if (ending !== undefined && 'stored' in ending) {
        expect(byId.get(ending.stored.messageId)).toMatchObject({ partId: part.id, sha256: sha256Of(part.open()) });
      }
    }
    for (const [key, { messageIds }] of this.objects) {
      expect(messageIds.map((id) => byId.get(id)?.partId)).toEqual(messageIds.map((_, n) => `${key}/${n}`));
    }
    // I6: whatever is in the channel belongs to a part that was stored, or is known to be left behind.
    const referenced = new Set(
      this.accepted.flatMap(({ endings }) =>
        endings.flatMap((ending) => ('stored' in ending ? ending.stored.messageId : [])),
      ),
    );
    const orphaned = new Set(this.orphans.map(({ messageId }) => messageId));
    const maybe = new Set(this.orphans.filter(({ messageId }) => messageId === undefined).map(({ partId }) => partId));
    const lost = messages.filter(({ id, partId }) => !referenced.has(id) && !orphaned.has(id) && !maybe.has(partId));
    expect(lost).toEqual([]);
    // I7: no timer and no listener is left.
    expect(this.clock.pendingTimers).toBe(0);
    for (const { signal } of this.accepted) {
      if (signal !== undefined) expect(getEventListeners(signal, 'abort')).toHaveLength(0);
    }
  }
}
