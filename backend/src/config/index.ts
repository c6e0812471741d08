export * from './app-config.js';
export * from './config-error.js';
export { type Role } from './env.js';
export * from './proxy-settings.js';
export * from './secrets-file.js';
export type { StoreLocation, StoreSettings } from './store-location.js';
export * from './data-dir.js';
export { parseDurationMs } from './units.js';
export { volumeOf } from './volume.js';
