import { randomUUID } from 'node:crypto';
import { STATUS_CODES, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { Duplex } from 'node:stream';
import {
  HeadersTooLargeError,
  MethodNotAllowedError,
  RequestTimeoutError,
  ValidationFailedError,
} from '../errors/index.js';
import { describe } from './describe.js';

/** Answers what is not even a request: a malformed one, one with too large headers, one that never ends. */
export function refuseConnection(error: Error & { code?: string }, socket: Duplex): void {
  if (error.code === 'ECONNRESET' || !socket.writable) {
    socket.destroy();
    return;
  }
  endWith(
    socket,
    error.code === 'HPE_HEADER_OVERFLOW'
      ? new HeadersTooLargeError()
      : error.code === 'ERR_HTTP_REQUEST_TIMEOUT'
        ? new RequestTimeoutError()
        : new ValidationFailedError([{ path: '', message: 'this is not an HTTP request' }]),
  );
}

/** Takes from Node what it would answer without the envelope, or not at all. */
export function answerForNode(server: Server): void {
  // We are no proxy. Node closes such a connection without a word.
  server.on('connect', (_request: IncomingMessage, socket: Duplex) => {
    endWith(socket, new MethodNotAllowedError('CONNECT', []));
  });
  server.on('checkExpectation', (request: IncomingMessage, response: ServerResponse) => {
    // As https://www.rfc-editor.org/rfc/rfc9110#name-expect lets a server do that knows nothing of it.
    delete request.headers.expect;
    server.emit('request', request, response);
  });
}

/** Answers with the failure's envelope where there is no reply to do it with, and closes. */
export function endWith(socket: Duplex, thrown: unknown): void {
  const { status, body } = describe(thrown);
  const text = JSON.stringify(body);
  socket.end(
    [
      `HTTP/1.1 ${status} ${STATUS_CODES[status] ?? ''}`,
      'Connection: close',
      'Content-Type: application/json; charset=utf-8',
      `Content-Length: ${Buffer.byteLength(text)}`,
      `X-Request-Id: ${randomUUID()}`,
      'X-Error-Source: gateway',
      '',
      text,
    ].join('\r\n'),
  );
}
