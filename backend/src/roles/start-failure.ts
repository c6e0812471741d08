import { databaseFailure } from '../common/db/database-failure.js';
import { AppError, causesOf, codeOf, messageOf } from '../common/errors/index.js';
import { ConfigError } from '../config/index.js';

/** What the operator reads when the process does not start: a line for each cause, and a stack only for a bug. */
export function describeStartFailure(error: unknown): string {
  if (error instanceof ConfigError) return error.mistakes.map((mistake) => `tgcontrol: ${mistake}`).join('\n');
  const unavailable = databaseFailure(error);
  if (unavailable) return `tgcontrol: the database of DATABASE_URL is not available: ${causesOf(unavailable.cause)}`;
  if (error instanceof AppError) return `tgcontrol: ${error.message}`;
  const code = codeOf(error) ?? '';
  const text = messageOf(error);
  if (code === 'EADDRINUSE') return `tgcontrol: LISTEN_ADDR is taken: ${text}`;
  if (code === 'EADDRNOTAVAIL') return `tgcontrol: LISTEN_ADDR is not an address of this machine: ${text}`;
  if (code === 'EACCES') return `tgcontrol: not allowed: ${text}`;
  // PostgreSQL's own refusals at connecting: a wrong password, no such role, no such database.
  if (/^(28|3D)/.test(code)) return `tgcontrol: DATABASE_URL is refused: ${text}`;
  return `tgcontrol: ${error instanceof Error ? (error.stack ?? error.message) : String(error)}`;
}
