import { NotFoundException } from '@nestjs/common';
import {
  DatabaseUnavailableError,
  MethodNotAllowedError,
  NotFoundError,
  RemoteError,
  TdlibError,
  UnauthenticatedError,
  ValidationFailedError,
} from '../errors/index.js';
import { describe as describeFailure } from './describe.js';

describe('describe', () => {
  it('gives a failure of ours its code, status, details and source', () => {
    expect(describeFailure(new NotFoundError('app', '7'))).toMatchObject({
      status: 404,
      headers: { 'x-error-source': 'gateway' },
      unexpected: false,
      body: { ok: false, error: { source: 'gateway', code: 'app_not_found', message: 'app not found' } },
    });
  });

  it("passes TDLib's code as a number, with the wait it asks for", () => {
    const { status, headers, body } = describeFailure(new TdlibError(429, 'Too Many Requests: retry after 13'));
    expect({ status, headers, body }).toEqual({
      status: 429,
      headers: { 'x-error-source': 'tdlib', 'retry-after': '13' },
      body: {
        ok: false,
        error: { source: 'tdlib', code: 429, message: 'Too Many Requests: retry after 13', retry_after: 13 },
      },
    });
  });

  it("lets a client tell TDLib's 401 from ours", () => {
    expect(describeFailure(new TdlibError(401, 'SESSION_REVOKED')).headers).toEqual({ 'x-error-source': 'tdlib' });
    expect(describeFailure(new UnauthenticatedError()).headers).toEqual({
      'x-error-source': 'gateway',
      'www-authenticate': 'Bearer realm="tgcontrol"',
    });
  });

  it('hides whatever a bug says', () => {
    const { status, unexpected, body } = describeFailure(new Error('password=hunter2'));
    expect({ status, unexpected, body }).toEqual({
      status: 500,
      unexpected: true,
      body: { ok: false, error: { source: 'gateway', code: 'internal_error', message: 'internal error' } },
    });
    for (const thrown of [undefined, null, 'text', 7, {}]) expect(describeFailure(thrown).status).toBe(500);
  });

  it('hides what the database says, and tells an absent one from a bug', () => {
    const away = Object.assign(new Error('server closed'), { code: '57P01', query: 'SELECT secret' });
    expect(describeFailure(away)).toMatchObject({ status: 503, body: { error: { code: 'database_unavailable' } } });
    const bug = Object.assign(new Error('column "x" does not exist'), { code: '42703', query: 'SELECT x' });
    expect(describeFailure(bug)).toMatchObject({ status: 500, body: { error: { message: 'internal error' } } });
    expect(describeFailure(new DatabaseUnavailableError(away)).headers['retry-after']).toBe('2');
  });

  it("does not take another socket's failure for the database's", () => {
    const refused = Object.assign(new Error('connect ECONNREFUSED'), { code: 'ECONNREFUSED', syscall: 'connect' });
    expect(describeFailure(refused).status).toBe(500);
  });

  it('keeps the failure of another process as it was', () => {
    const remote = new RemoteError(409, 'gateway', 'session_not_ready', 'the session is banned', { sessionId: 's' });
    expect(describeFailure(remote)).toMatchObject({
      status: 409,
      body: { error: { code: 'session_not_ready', message: 'the session is banned', session_id: 's' } },
    });
  });

  it('names the allowed methods, and the wrong fields', () => {
    expect(describeFailure(new MethodNotAllowedError('PUT', ['GET', 'POST'])).headers['allow']).toBe('GET, POST');
    const issues = [{ path: 'a', message: 'is wrong' }];
    expect(describeFailure(new ValidationFailedError(issues)).body.error.details).toEqual({ issues });
  });

  it("takes a framework's refusal for bad input", () => {
    expect(describeFailure(new NotFoundException('x'))).toMatchObject({ status: 400 });
  });
});
