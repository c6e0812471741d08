/**
 * The layer of tdl below its client: TDLib's own JSON strings, in and out. tdl publishes no types for it. Why this layer is
 * used: docs/adr/0001-tdlib-below-tdl.md.
 */
declare module 'tdl/dist/addon.js' {
  export interface Addon {
    readonly tdnew: {
      /** Makes the receiving thread; once per process. `timeout` is td_receive's, in seconds. */
      readonly init: (timeout: number) => void;
      readonly ref: () => void;
      readonly unref: () => void;
      readonly createClientId: () => number;
      readonly send: (clientId: number, request: string) => void;
      /** Must not be called again before its promise is settled. Null when nothing came within the timeout. */
      readonly receive: () => Promise<string | null>;
      readonly execute: (request: string) => string;
    };
    setLogMessageCallback(maxVerbosity: number, callback: ((verbosity: number, message: string) => void) | null): void;
  }
  export function loadAddon(libraryFile: string, ignoreAlreadyLoaded?: boolean): Addon;
}
