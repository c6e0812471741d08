export * from './caller-signature.js';
export * from './worker-client.js';
export { CALL_LINE_PATH, CALL_LINE_PROTOCOL, type LineCall } from './call-line.js';
export { CallLines } from './call-lines.js';
