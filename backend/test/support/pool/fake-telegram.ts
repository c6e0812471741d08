import {
  type Part,
  SendError,
  type SendPort,
  type SendRequest,
  sha256Of,
  type StoredPart,
} from '../../../src/modules/bot-pool/dispatcher/part.js';
import type { VirtualClock } from './virtual-clock.js';

/** A part whose bytes can be read again and again. */
export interface FakePart extends Part {
  readonly open: () => Uint8Array;
}

/** What one send of a bot comes to; `ok` where nothing is said. */
export type Behaviour =
  | { readonly do: 'ok' }
  | { readonly do: 'fail'; readonly error: Error }
  /** Nothing leaves, and only an abort ends it. */
  | { readonly do: 'hang' }
  /** Posted, and then the connection breaks; `found` says whether the message can be found again. */
  | { readonly do: 'lose-answer'; readonly found: boolean }
  /** An abort comes too late. */
  | { readonly do: 'ignore-abort' }
  | { readonly do: 'answer'; readonly answer: Partial<StoredPart> };

export interface FakeBotOptions {
  readonly latencyMs?: number;
  /** Messages a minute that the server takes of this bot. */
  readonly perMinute?: number;
  /** Reports progress at this interval while it sends. */
  readonly progressMs?: number;
  /** @param n which send of this bot it is, from 1 on */
  readonly script?: (n: number, at: number) => Behaviour | undefined;
}

export interface FakeMessage {
  readonly id: number;
  readonly botId: string;
  readonly partId: string;
  readonly sha256: string;
}

/** A send as the recorder saw it. */
export interface SeenSend {
  readonly botId: string;
  readonly partId: string;
  readonly startedAt: number;
  endedAt: number | undefined;
  outcome: 'stored' | 'rate' | 'failed' | 'aborted' | undefined;
}

const LATENCY_MS = 100;
const MINUTE_MS = 60_000;

/**
 * A storage channel and the bots that may post to it, as far as the pool can tell them from Telegram's. It takes down what breaks
 * a rule: two sends of a bot at once, and sends to a bot that has been told to wait.
 */
export class FakeTelegram implements SendPort<FakePart> {
  readonly messages: FakeMessage[] = [];
  readonly sends: SeenSend[] = [];
  readonly violations: string[] = [];
  /** The most bytes that were being sent at once. */
  peakBytes = 0;
  private readonly bots = new Map<string, FakeBotOptions>();
  private readonly sending = new Set<string>();
  private readonly counts = new Map<string, number>();
  private readonly restUntil = new Map<string, number>();
  private readonly postedAt = new Map<string, number[]>();
  private openBytes = 0;

  constructor(private readonly clock: VirtualClock) {}

  setBot(botId: string, options: FakeBotOptions = {}): void {
    this.bots.set(botId, options);
  }

  sendsOf(botId: string): SeenSend[] {
    return this.sends.filter((send) => send.botId === botId);
  }

  get rejected(): number {
    return this.sends.filter(({ outcome }) => outcome === 'rate').length;
  }

  find({ part }: Pick<SendRequest<FakePart>, 'botId' | 'chatId' | 'part'>): Promise<StoredPart | undefined> {
    const message = this.findable.has(part.id) ? this.messages.findLast(({ partId }) => partId === part.id) : undefined;
    return Promise.resolve(
      message && { botId: message.botId, chatId: 1, messageId: message.id, sizeBytes: part.sizeBytes },
    );
  }

  private readonly findable = new Set<string>();

  async send(request: SendRequest<FakePart>): Promise<StoredPart> {
    const { botId, part, signal } = request;
    const options = this.bots.get(botId) ?? {};
    const seen: SeenSend = {
      botId,
      partId: part.id,
      startedAt: this.clock.now(),
      endedAt: undefined,
      outcome: undefined,
    };
    this.expectAllowed(seen);
    this.sends.push(seen);
    const count = (this.counts.get(botId) ?? 0) + 1;
    this.counts.set(botId, count);
    this.sending.add(botId);
    const sha256 = this.read(part);
    this.openBytes += part.sizeBytes;
    this.peakBytes = Math.max(this.peakBytes, this.openBytes);
    try {
      const behaviour = options.script?.(count, this.clock.now()) ?? { do: 'ok' };
      const stored = await this.come(request, options, behaviour, sha256);
      seen.outcome = 'stored';
      return stored;
    } catch (error) {
      seen.outcome = outcomeOf(error, signal);
      if (seen.outcome === 'rate') this.rest(botId, error);
      throw error;
    } finally {
      seen.endedAt = this.clock.now();
      this.sending.delete(botId);
      this.openBytes -= part.sizeBytes;
    }
  }

  private async come(
    request: SendRequest<FakePart>,
    options: FakeBotOptions,
    behaviour: Behaviour,
    sha256: string,
  ): Promise<StoredPart> {
    const { latencyMs = LATENCY_MS } = options;
    const waitMs = behaviour.do === 'hang' ? Infinity : latencyMs;
    await this.elapse(request, waitMs, options.progressMs, behaviour.do === 'ignore-abort');
    this.refuseAboveLimit(request.botId, options);
    switch (behaviour.do) {
      case 'fail':
        throw behaviour.error;
      case 'lose-answer':
        this.post(request, sha256);
        if (behaviour.found) this.findable.add(request.part.id);
        throw new SendError('the connection broke', undefined, 'answer_lost');
      case 'answer':
        return { ...this.post(request, sha256), ...behaviour.answer };
      case 'ok':
      case 'hang':
      case 'ignore-abort':
        return this.post(request, sha256);
    }
  }

  private elapse(
    { signal, onProgress, part }: SendRequest<FakePart>,
    ms: number,
    progressMs: number | undefined,
    ignoresAbort: boolean,
  ): Promise<void> {
    return new Promise((resolve, reject) => {
      const cancels: (() => void)[] = [];
      const finish = (end: () => void): void => {
        for (const cancel of cancels) cancel();
        signal.removeEventListener('abort', aborted);
        end();
      };
      const aborted = (): void => finish(() => reject(new Error('taken back')));
      if (ms !== Infinity) cancels.push(this.clock.schedule(this.clock.now() + ms, () => finish(resolve)));
      if (!ignoresAbort) signal.addEventListener('abort', aborted);
      const tick = (n: number): void => {
        if (progressMs === undefined) return;
        cancels.push(
          this.clock.schedule(this.clock.now() + progressMs, () => {
            onProgress(Math.min(part.sizeBytes, n));
            tick(n + 1);
          }),
        );
      };
      tick(1);
    });
  }

  private post({ botId, chatId, part }: SendRequest<FakePart>, sha256: string): StoredPart {
    const id = this.messages.length + 1;
    this.messages.push({ id, botId, partId: part.id, sha256 });
    const from = this.clock.now() - MINUTE_MS;
    const recent = (this.postedAt.get(botId) ?? []).filter((at) => at > from);
    this.postedAt.set(botId, [...recent, this.clock.now()]);
    return { botId, chatId, messageId: id, sizeBytes: part.sizeBytes };
  }

  private refuseAboveLimit(botId: string, { perMinute }: FakeBotOptions): void {
    if (perMinute === undefined) return;
    const from = this.clock.now() - MINUTE_MS;
    const recent = (this.postedAt.get(botId) ?? []).filter((at) => at > from);
    if (recent.length < perMinute) return;
    const seconds = Math.max(1, Math.ceil(((recent.at(-perMinute) ?? 0) - from) / 1_000));
    throw new SendError(`Too Many Requests: retry after ${seconds}`, 429);
  }

  private read(part: FakePart): string {
    const sha256 = sha256Of(part.open());
    if (part.sha256 !== undefined && part.sha256 !== sha256)
      this.violations.push(`${part.id} was read with other bytes`);
    return sha256;
  }

  private expectAllowed({ botId, startedAt }: SeenSend): void {
    if (this.sending.has(botId)) {
      this.violations.push(`I1: two sends of ${botId} at once at ${startedAt}`);
    }
    const until = this.restUntil.get(botId) ?? -Infinity;
    if (startedAt < until) this.violations.push(`I2: ${botId} sent at ${startedAt}, rests until ${until}`);
  }

  private rest(botId: string, error: unknown): void {
    const seconds = /(?:retry after |_WAIT_)([\d.]+)/.exec(error instanceof Error ? error.message : '')?.[1];
    const until = this.clock.now() + Number(seconds ?? 0) * 1_000;
    this.restUntil.set(botId, Math.max(this.restUntil.get(botId) ?? -Infinity, until));
  }
}

function outcomeOf(error: unknown, signal: AbortSignal): SeenSend['outcome'] {
  if (signal.aborted) return 'aborted';
  const text = error instanceof Error ? error.message : '';
  return /retry after|_WAIT_/.test(text) || (error instanceof SendError && error.code === 429) ? 'rate' : 'failed';
}
