export * from './app-error.js';
export * from './errors.js';
export * from './tdlib-error.js';
export * from './remote-error.js';
export * from './thrown.js';
