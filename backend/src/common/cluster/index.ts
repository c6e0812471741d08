export * from './caller-signature.js';
export * from './worker-client.js';
