import type { IncomingHttpHeaders } from 'node:http';
import type { Dispatcher, Pool } from 'undici';

/** A whole answer. */
export interface Exchanged {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly text: string;
}

/** Registers what ends the exchange early; called once, before the request is sent. */
export type AbortRegistrar = (abort: () => void) => void;

/**
 * One request with its whole answer as text. `pool.request` would make a stream of each answer, which is most of what a
 * forwarded call costs a gateway.
 * @throws the pool's own errors, or an AbortError
 */
export function exchange(
  pool: Pool,
  request: Dispatcher.DispatchOptions,
  onAbort?: AbortRegistrar,
): Promise<Exchanged> {
  return new Promise((resolve, reject) => {
    pool.dispatch(request, new Exchange(resolve, reject, onAbort));
  });
}

class Exchange implements Dispatcher.DispatchHandler {
  private controller: Dispatcher.DispatchController | undefined;
  private aborted: Error | undefined;
  private status = 0;
  private headers: IncomingHttpHeaders = {};
  private readonly chunks: Buffer[] = [];

  constructor(
    private readonly resolve: (exchanged: Exchanged) => void,
    private readonly reject: (error: Error) => void,
    onAbort: AbortRegistrar | undefined,
  ) {
    onAbort?.(() => {
      this.aborted = new DOMException('This operation was aborted', 'AbortError');
      this.controller?.abort(this.aborted);
    });
  }

  onRequestStart(controller: Dispatcher.DispatchController): void {
    this.controller = controller;
    if (this.aborted !== undefined) {
      controller.abort(this.aborted);
    }
  }

  onResponseStart(_controller: Dispatcher.DispatchController, status: number, headers: IncomingHttpHeaders): void {
    this.status = status;
    this.headers = headers;
  }

  onResponseData(_controller: Dispatcher.DispatchController, chunk: Buffer): void {
    this.chunks.push(chunk);
  }

  onResponseEnd(): void {
    const [first, ...more] = this.chunks;
    const text = first === undefined ? '' : (more.length === 0 ? first : Buffer.concat(this.chunks)).toString('utf8');
    this.resolve({ status: this.status, headers: this.headers, text });
  }

  onResponseError(_controller: Dispatcher.DispatchController, error: Error): void {
    this.reject(error);
  }
}
