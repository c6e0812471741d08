import { types } from 'node:util';

/** `code` of whatever was thrown, as Node, PostgreSQL and Fastify set it; undefined when it has no such text. */
export function codeOf(thrown: unknown): string | undefined {
  if (typeof thrown !== 'object' || thrown === null || !('code' in thrown)) return undefined;
  return typeof thrown.code === 'string' ? thrown.code : undefined;
}

/** The text of whatever was thrown, for a log or an operator. */
export function messageOf(thrown: unknown): string {
  // Not instanceof: errors of Node's own modules belong to another realm inside a vm context.
  return types.isNativeError(thrown) ? thrown.message || thrown.name : String(thrown);
}

/** The texts of an error and of those it gathers: Node puts one for each address into an AggregateError. */
export function causesOf(thrown: unknown): string {
  if (thrown instanceof AggregateError) return thrown.errors.map(messageOf).join(', ');
  return messageOf(thrown);
}
