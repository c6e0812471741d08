import type { SessionRef } from '@/lib/td';
import type { SeenEvent } from './explain';

/** An event with the session that it is of. */
export interface LoggedEvent extends SeenEvent {
  readonly session: SessionRef;
}

/** So many are kept in the page; the server keeps all of them for a day. */
export const KEPT = 1_000;
/** A flood is drawn so many times a second. */
const DRAW_MS = 100;

/** The newest events of a page, each once, newest first. */
export class EventLog {
  private events: readonly LoggedEvent[] = [];
  private readonly ids = new Set<string>();
  private waiting: LoggedEvent[] = [];
  private timer: ReturnType<typeof setTimeout> | undefined;
  private readonly listeners = new Set<() => void>();

  /** For useSyncExternalStore. */
  readonly subscribe = (listener: () => void): (() => void) => {
    this.listeners.add(listener);
    return () => {
      this.listeners.delete(listener);
      if (this.listeners.size > 0) return;
      clearTimeout(this.timer);
      this.timer = undefined;
    };
  };

  /** For useSyncExternalStore. */
  readonly read = (): readonly LoggedEvent[] => this.events;

  /** Takes an event; one that is there already changes nothing. */
  add(event: LoggedEvent): void {
    if (this.ids.has(event.id)) return;
    this.ids.add(event.id);
    this.waiting.push(event);
    this.timer ??= setTimeout(() => this.draw(), DRAW_MS);
  }

  /** Forgets all of them. */
  clear(): void {
    this.waiting = [];
    this.ids.clear();
    this.set([]);
  }

  private draw(): void {
    this.timer = undefined;
    const all = [...this.waiting.reverse(), ...this.events];
    this.waiting = [];
    for (const { id } of all.slice(KEPT)) this.ids.delete(id);
    this.set(all.slice(0, KEPT));
  }

  private set(events: readonly LoggedEvent[]): void {
    this.events = events;
    for (const listener of this.listeners) listener();
  }
}
