import { toEvent, type SeenEvent } from './explain';

/** How a stream stands: `ended` when its subscription is gone or may not be read any more. */
export type StreamState = 'connecting' | 'live' | 'cut' | 'ended';

interface StreamHandlers {
  readonly onEvent: (event: SeenEvent) => void;
  readonly onState: (state: StreamState) => void;
}

const AGAIN_MS = [1_000, 2_000, 5_000, 10_000] as const;

/**
 * The events after a cursor, without a gap: the browser goes on by itself after a lost connection, with the id of the last event; where
 * it gives up, as when a proxy answers 502, this opens a new one after the last cursor.
 */
export class EventStream {
  private source: EventSource | undefined;
  private timer: ReturnType<typeof setTimeout> | undefined;
  private failures = 0;

  /** @param address where events are, without its query */
  constructor(
    private readonly address: string,
    private cursor: string,
    private readonly handlers: StreamHandlers,
  ) {
    this.open();
  }

  /** Ends it. */
  close(): void {
    clearTimeout(this.timer);
    this.source?.close();
  }

  private open(): void {
    this.handlers.onState(this.failures === 0 ? 'connecting' : 'cut');
    const source = new EventSource(`${this.address}?after=${encodeURIComponent(this.cursor)}`);
    this.source = source;
    source.onopen = () => {
      this.failures = 0;
      this.handlers.onState('live');
    };
    source.onmessage = (message: MessageEvent<string>) => {
      const event = toEvent(JSON.parse(message.data));
      if (!event) return;
      this.cursor = event.cursor;
      this.handlers.onEvent(event);
    };
    source.addEventListener('end', () => {
      this.close();
      this.handlers.onState('ended');
    });
    source.onerror = () => {
      this.handlers.onState('cut');
      if (source.readyState !== EventSource.CLOSED) return;
      const wait = AGAIN_MS[Math.min(this.failures, AGAIN_MS.length - 1)];
      this.failures += 1;
      this.timer = setTimeout(() => this.open(), wait);
    };
  }
}
