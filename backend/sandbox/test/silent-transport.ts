import type { Transport } from '../src/rpc.js';

/** A transport that nobody is connected to. */
export const SILENT_TRANSPORT: Transport = {
  push: () => undefined,
  pushToKey: () => undefined,
  keysOf: () => [],
  keyById: () => undefined,
  destroyKeys: () => undefined,
  dropConnections: () => undefined,
  connections: () => [],
  keyConflicts: () => [],
  addProxy: () => Promise.reject(new Error('there is no network')),
  changeProxy: () => {
    throw new Error('there is no network');
  },
  removeProxy: () => Promise.resolve(),
  proxies: () => [],
  exportKeys: () => [],
  importKeys: () => undefined,
};
