export * from './access.js';
export * from './describe.js';
export * from './envelope.js';
export * from './openapi.js';
export * from './request-context.js';
export * from './returns.decorator.js';
export * from './validation.js';
