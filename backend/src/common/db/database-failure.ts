import { DatabaseUnavailableError } from '../errors/errors.js';

/** SQLSTATE classes and codes that say "not now" and nothing about the statement. */
const UNAVAILABLE_STATES = /^(08...|53[0-3]00|57P0[1-5]|58...|25006|XX001)$/;
const NETWORK_CODES = new Set([
  'ECONNREFUSED',
  'ECONNRESET',
  'ENOTFOUND',
  'EAI_AGAIN',
  'EPIPE',
  'ETIMEDOUT',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'ENOENT',
]);
/** Texts of pg and its pool, which carry no code. */
const DRIVER_TEXTS =
  /^(Connection terminated|timeout exceeded when trying to connect|Query read timeout|Client has encountered a connection error|Cannot use a pool after calling end|Driver not Connected|Client was closed)/i;

function codeOf(value: unknown): string | undefined {
  if (typeof value !== 'object' || value === null || !('code' in value)) return undefined;
  return typeof value.code === 'string' ? value.code : undefined;
}

/** The driver's own error behind TypeORM's, or the value itself. */
function driverErrorOf(thrown: unknown): unknown {
  if (typeof thrown === 'object' && thrown !== null && 'driverError' in thrown) return thrown.driverError;
  return thrown;
}

/** The SQLSTATE of a failed statement (`23505` is a unique violation), and the constraint that refused it. */
export function sqlFailure(thrown: unknown): { readonly state: string; readonly constraint?: string } | undefined {
  const error = driverErrorOf(thrown);
  const state = codeOf(error);
  if (state === undefined || !/^(?=.*\d)[0-9A-Z]{5}$/.test(state)) return undefined;
  const constraint = (error as { constraint?: unknown }).constraint;
  return typeof constraint === 'string' ? { state, constraint } : { state };
}

/** Whether `thrown` is a violation of the constraint or unique index of this name. */
export function violates(thrown: unknown, constraint: string): boolean {
  return sqlFailure(thrown)?.constraint === constraint;
}

/** {@link DatabaseUnavailableError} when `thrown` says that PostgreSQL is away; undefined for anything else. */
export function databaseFailure(thrown: unknown): DatabaseUnavailableError | undefined {
  if (typeof thrown !== 'object' || thrown === null) return undefined;
  const fromDriver = 'driverError' in thrown || 'query' in thrown;
  const error = driverErrorOf(thrown);
  const state = sqlFailure(thrown)?.state;
  if (state !== undefined && UNAVAILABLE_STATES.test(state)) return new DatabaseUnavailableError(thrown);
  const text = error instanceof Error ? error.message : '';
  if (DRIVER_TEXTS.test(text)) return new DatabaseUnavailableError(thrown);
  const network = codeOf(error);
  if (network === undefined || !NETWORK_CODES.has(network)) return undefined;
  // The same codes come from sockets that are no database's: only what the driver threw counts.
  const syscall = (error as { syscall?: unknown }).syscall;
  const isPgStack = error instanceof Error && /[\\/]pg(-pool)?[\\/]/.test(error.stack ?? '');
  return fromDriver || (syscall !== 'open' && isPgStack) ? new DatabaseUnavailableError(thrown) : undefined;
}

/** Whether a row could not be deleted because others refer to it (SQLSTATE 23503). */
export function isStillReferred(thrown: unknown): boolean {
  return sqlFailure(thrown)?.state === '23503';
}
