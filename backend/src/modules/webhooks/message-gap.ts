import type { TdClient } from '../../telegram/index.js';
import { findMissed, type FoundMessage } from './missed-messages.js';
import type { NewestSeen } from './seen-messages.js';

/** What is looked for. */
export interface GapSearch {
  readonly kind: 'bot' | 'user';
  readonly seen: NewestSeen;
  /** Unix seconds: nobody wants older ones. */
  readonly since: number;
  readonly newest: (sequence: number) => number;
  /** Settles once the session takes calls; undefined when it ends before. */
  readonly client: Promise<TdClient | undefined>;
}

/** After that many failures what is missing stays so. */
const ATTEMPTS = 8;
const FIRST_PAUSE_MS = 2_000;
/** More chats than a search could look at. */
const MAX_ANNOUNCED = 10_000;

const NEW_CHAT = /^\{"@type":"updateNewChat","chat":\{"@type":"chat","id":(-?\d+)/;

/**
 * Follows one client from its start, and once TDLib has fetched by itself what it knows to be missing, looks for the messages that
 * its predecessor had noted and not handed over.
 */
export class MessageGap {
  private readonly announced = new Set<number>();
  private isConnected = false;
  private isOver = false;
  private wake: () => void = () => undefined;

  /** Takes each update of the client; most cost two comparisons. */
  watch(type: string, update: string): void {
    if (type === 'updateNewChat' && this.announced.size < MAX_ANNOUNCED) {
      const id = Number(NEW_CHAT.exec(update)?.[1]);
      if (Number.isSafeInteger(id)) this.announced.add(id);
    } else if (type === 'updateConnectionState') {
      // TDLib says so only when it has fetched what was sent meanwhile (connectionStateUpdating before).
      this.isConnected = update.includes('"connectionStateReady"');
      this.wake();
    }
  }

  /**
   * Waits for the connection, and tries again when it breaks.
   * @returns false when the session was closed before
   * @throws Error when it fails time and again
   */
  async search({ client, ...search }: GapSearch, take: (message: FoundMessage) => void): Promise<boolean> {
    const ready = await client;
    for (let attempt = 1; ready !== undefined; attempt += 1) {
      await this.connected();
      if (this.isOver) return false;
      try {
        await findMissed({ ...search, client: ready, announced: () => this.announced }, take);
        return true;
      } catch (error) {
        if (this.hasEnded) return false;
        if (attempt === ATTEMPTS) throw error;
        await this.pause(FIRST_PAUSE_MS * 2 ** (attempt - 1));
      }
    }
    return false;
  }

  end(): void {
    this.isOver = true;
    this.wake();
  }

  private get hasEnded(): boolean {
    return this.isOver;
  }

  private async connected(): Promise<void> {
    while (!this.isConnected && !this.isOver) {
      await new Promise<void>((resolve) => {
        this.wake = resolve;
      });
    }
  }

  private async pause(ms: number): Promise<void> {
    await new Promise<void>((resolve) => {
      const timer = setTimeout(resolve, ms).unref();
      this.wake = (): void => {
        if (!this.isOver) return;
        clearTimeout(timer);
        resolve();
      };
    });
  }
}
