import { types } from 'node:util';
import { DatabaseUnavailableError } from '../errors/errors.js';
import { codeOf } from '../errors/thrown.js';

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

function saysAway(error: unknown): boolean {
  const state = sqlFailure(error)?.state;
  if (state !== undefined) return UNAVAILABLE_STATES.test(state);
  if (types.isNativeError(error) && DRIVER_TEXTS.test(error.message)) return true;
  return NETWORK_CODES.has(codeOf(error) ?? '');
}

/**
 * {@link DatabaseUnavailableError} when `thrown` came from the database's driver and says that PostgreSQL is away;
 * undefined for anything else, such as the failure of another socket.
 */
export function databaseFailure(thrown: unknown): DatabaseUnavailableError | undefined {
  if (thrown instanceof DatabaseUnavailableError) return thrown;
  if (typeof thrown !== 'object' || thrown === null) return undefined;
  const isFromDriver = 'driverError' in thrown || 'query' in thrown || sqlFailure(thrown) !== undefined;
  const isDriversText = types.isNativeError(thrown) && DRIVER_TEXTS.test(thrown.message);
  return (isFromDriver || isDriversText) && saysAway(driverErrorOf(thrown))
    ? new DatabaseUnavailableError(thrown)
    : undefined;
}

/** The failure of connecting to the database, by its name when it says that PostgreSQL is away. */
export function connectFailure(error: Error): Error {
  return saysAway(error) ? new DatabaseUnavailableError(error) : error;
}

/** Whether a row could not be deleted because others refer to it (SQLSTATE 23503). */
export function isStillReferred(thrown: unknown): boolean {
  return sqlFailure(thrown)?.state === '23503';
}
