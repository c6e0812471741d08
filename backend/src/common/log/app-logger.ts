import { types } from 'node:util';
import { Injectable, type LoggerService } from '@nestjs/common';
import { type Logger, destination, pino } from 'pino';
import { currentContext } from '../http/request-context.js';

/** How much is logged. */
export type LogLevel = 'fatal' | 'error' | 'warn' | 'info' | 'debug' | 'trace' | 'silent';

/** Names under which a secret might be logged by mistake, at the top or one level down. */
const SECRET_NAMES = [
  'token',
  'api_hash',
  'apiHash',
  'phone',
  'password',
  'secret',
  'new_password',
  'authorization',
  'cookie',
  'master_key',
  'masterKey',
  'database_encryption_key',
];

function redactPaths(): string[] {
  return [...SECRET_NAMES, ...SECRET_NAMES.map((name) => `*.${name}`), '*.headers.authorization', '*.headers.cookie'];
}

/** An error as it is logged: never with the parameters of a statement, which hold phones and sealed secrets. */
function errorFields(error: unknown): unknown {
  if (!types.isNativeError(error)) return error;
  const { code, query } = error as Error & { code?: unknown; query?: unknown };
  return {
    type: error.name,
    message: error.message,
    stack: error.stack,
    ...(code !== undefined && { code }),
    ...(query !== undefined && { query }),
    ...(error.cause !== undefined && { cause: errorFields(error.cause) }),
  };
}

/** One JSON line an event, on standard error, with the request's id and without secrets. Also Nest's own logger. */
@Injectable()
export class AppLogger implements LoggerService {
  private constructor(private readonly pino: Logger) {}

  /** @param to where the lines go; standard error by default, so that standard output stays for people */
  static create(level: LogLevel, to: { write(line: string): void } = destination({ dest: 2, sync: true })): AppLogger {
    return new AppLogger(
      pino(
        {
          level,
          base: null,
          timestamp: pino.stdTimeFunctions.isoTime,
          formatters: { level: (label) => ({ level: label }) },
          serializers: { err: errorFields },
          redact: { paths: redactPaths(), censor: '[secret]' },
          mixin: () => {
            const context = currentContext();
            return context ? { requestId: context.requestId } : {};
          },
        },
        to,
      ),
    );
  }

  /** A logger whose lines carry `name` as their `context`. */
  for(name: string): AppLogger {
    return new AppLogger(this.pino.child({ context: name }));
  }

  info(message: string, fields: Readonly<Record<string, unknown>> = {}): void {
    this.pino.info(fields, message);
  }

  /** A failure with its cause and stack. */
  failure(message: string, cause: unknown, fields: Readonly<Record<string, unknown>> = {}): void {
    this.pino.error({ ...fields, err: types.isNativeError(cause) ? cause : new Error(String(cause)) }, message);
  }

  log(message: unknown, ...rest: unknown[]): void {
    const fields = nestFields(rest);
    if (NEST_CHATTER.has(fields['context'])) this.pino.debug(fields, String(message));
    else this.pino.info(fields, String(message));
  }

  error(message: unknown, ...rest: unknown[]): void {
    if (message instanceof Error) this.failure(message.message, message, nestFields(rest));
    else this.pino.error(nestFields(rest), String(message));
  }

  warn(message: unknown, ...rest: unknown[]): void {
    this.pino.warn(nestFields(rest), String(message));
  }

  debug(message: unknown, ...rest: unknown[]): void {
    this.pino.debug(nestFields(rest), String(message));
  }

  verbose(message: unknown, ...rest: unknown[]): void {
    this.pino.trace(nestFields(rest), String(message));
  }

  fatal(message: unknown, ...rest: unknown[]): void {
    this.pino.fatal(nestFields(rest), String(message));
  }
}

/** Parts of Nest that tell, at every start, what the code says anyway. */
const NEST_CHATTER = new Set<unknown>([
  'InstanceLoader',
  'NestApplication',
  'NestFactory',
  'RouterExplorer',
  'RoutesResolver',
]);

/** Nest appends the name of the class that logs, and before it a stack for errors; ours append an object of fields. */
function nestFields(rest: readonly unknown[]): Record<string, unknown> {
  const fields: Record<string, unknown> = {};
  for (const value of rest) {
    if (value instanceof Error) fields['err'] = value;
    else if (typeof value === 'object' && value !== null) Object.assign(fields, value);
  }
  const texts = rest.filter((value) => typeof value === 'string');
  const context = texts.at(-1);
  if (context !== undefined) fields['context'] = context;
  if (texts.length > 1) fields['stack'] = texts[0];
  return fields;
}
