import { API_TOKEN } from './app.js';

/** An event as streams give it. */
export interface StreamEvent {
  readonly id: string;
  readonly cursor: string;
  readonly update: Record<string, unknown>;
}

/** An event that has a name, as those of pools. */
export interface NamedEvent {
  readonly id: string | undefined;
  readonly name: string;
  readonly data: Record<string, unknown>;
}

/** Reads server-sent events as a browser does, without one. */
export class EventStream {
  readonly events: StreamEvent[] = [];
  readonly names: string[] = [];
  readonly named: NamedEvent[] = [];
  /** Each id as it came, also without an event. */
  readonly ids: string[] = [];
  status = 0;
  isOver = false;
  private readonly aborting = new AbortController();

  /** @param headers in the place of the master's */
  static open(url: string, headers: Readonly<Record<string, string>> = {}): EventStream {
    const stream = new EventStream();
    void stream.read(url, { authorization: `Bearer ${API_TOKEN}`, ...headers }).catch(() => undefined);
    return stream;
  }

  close(): void {
    this.aborting.abort();
  }

  private async read(url: string, headers: Readonly<Record<string, string>>): Promise<void> {
    try {
      const kept = Object.fromEntries(Object.entries(headers).filter(([, value]) => value !== ''));
      const response = await fetch(url, {
        headers: { accept: 'text/event-stream', ...kept },
        signal: this.aborting.signal,
      });
      this.status = response.status;
      if (!response.ok || response.body === null) return;
      let text = '';
      for await (const chunk of response.body.pipeThrough(new TextDecoderStream())) {
        text += chunk;
        const blocks = text.split('\n\n');
        text = blocks.pop() ?? '';
        for (const block of blocks) this.take(block);
      }
    } finally {
      this.isOver = true;
    }
  }

  private take(block: string): void {
    const {
      id,
      event: name,
      data,
    } = Object.fromEntries(
      block.split('\n').map((line) => [line.slice(0, line.indexOf(': ')), line.slice(line.indexOf(': ') + 2)]),
    ) as { id?: string; event?: string; data?: string };
    if (name !== undefined) this.named.push({ id, name, data: JSON.parse(data ?? '{}') as Record<string, unknown> });
    for (const line of block.split('\n')) {
      if (line.startsWith('id: ')) this.ids.push(line.slice(4));
      if (line.startsWith('event: ')) this.names.push(line.slice(7));
      if (line.startsWith('data: ') && !block.startsWith('event: ')) {
        this.events.push(JSON.parse(line.slice(6)) as StreamEvent);
      }
    }
  }
}
