/** The part of autocannon that is used here; it publishes no types. */
declare module 'autocannon' {
  interface Request {
    readonly method: string;
    readonly path: string;
    readonly body: string;
    readonly headers: Readonly<Record<string, string>>;
    readonly onResponse?: (status: number, body: string) => void;
  }
  interface Client {
    setRequests(requests: readonly Request[]): void;
  }
  interface Options {
    readonly url: string;
    readonly method?: string;
    readonly body?: string;
    readonly headers?: Readonly<Record<string, string>>;
    readonly connections: number;
    /** Seconds. */
    readonly duration: number;
    readonly overallRate?: number;
    /** Called for each connection. */
    readonly setupClient?: (client: Client) => void;
  }
  interface Result {
    readonly requests: { readonly total: number };
    /** Seconds. */
    readonly duration: number;
    /** Milliseconds. */
    readonly latency: { readonly p50: number; readonly p99: number };
    readonly non2xx: number;
    readonly errors: number;
  }
  // eslint-disable-next-line no-restricted-syntax -- autocannon is a CommonJS module whose export is the function
  export default function autocannon(options: Options): Promise<Result>;
}
