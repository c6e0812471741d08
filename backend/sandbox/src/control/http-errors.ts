import type { FastifyError, FastifyReply } from 'fastify';
import { UnknownProxyError } from '../proxy/proxies.js';
import { RpcError } from '../rpc.js';
import { RefusedError } from '../world/errors.js';
import { UnknownError } from './unknown-error.js';

interface Failure {
  readonly status: number;
  readonly code: string;
  readonly message: string;
  readonly details?: Readonly<Record<string, unknown>>;
}

/** Answers with the product's error envelope. */
export function sendFailure(reply: FastifyReply, thrown: unknown): void {
  const { status, ...error } = describe(thrown);
  void reply.status(status).send({ ok: false, error: { source: 'sandbox', ...error } });
}

function describe(thrown: unknown): Failure {
  if (thrown instanceof UnknownError) {
    return { status: 404, code: `${thrown.what.replaceAll(' ', '_')}_not_found`, message: thrown.message };
  }
  if (thrown instanceof UnknownProxyError) return { status: 404, code: 'proxy_not_found', message: thrown.message };
  if (thrown instanceof RefusedError) return { status: 400, code: thrown.code, message: thrown.message };
  if (thrown instanceof RpcError) {
    // Telegram's own words: a username that is taken, a message that would not change.
    return { status: 400, code: 'telegram_error', message: thrown.text, details: { telegram_code: thrown.code } };
  }
  if (isFastifyError(thrown)) return describeFastify(thrown);
  return { status: 500, code: 'internal_error', message: thrown instanceof Error ? thrown.message : String(thrown) };
}

function isFastifyError(thrown: unknown): thrown is FastifyError {
  return thrown instanceof Error && 'statusCode' in thrown;
}

function describeFastify({ validation, statusCode = 500, message }: FastifyError): Failure {
  if (!validation) return { status: statusCode, code: 'bad_request', message };
  const issues = validation.map(({ instancePath, params, message: issue }) => {
    const missing = params['missingProperty'];
    const path = instancePath.slice(1).replaceAll('/', '.');
    return { path: typeof missing === 'string' ? missing : path, message: issue ?? 'is invalid' };
  });
  return { status: 400, code: 'validation_failed', message, details: { issues } };
}
