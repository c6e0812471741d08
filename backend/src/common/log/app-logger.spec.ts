import { runInContext } from '../http/index.js';
import { AppLogger } from './app-logger.js';

describe('AppLogger', () => {
  const lines: Record<string, unknown>[] = [];
  const logger = AppLogger.create('debug', {
    write: (line) => void lines.push(JSON.parse(line) as Record<string, unknown>),
  });

  beforeEach(() => lines.splice(0));

  it('writes no secret, at the top or one level down', () => {
    const secrets = { token: 's3', api_hash: 's3', phone: 's3', password: 's3' };
    logger.info('event', { ...secrets, body: secrets, request: { headers: { authorization: 's3', cookie: 's3' } } });
    expect(JSON.stringify(lines)).not.toContain('s3');
  });

  it("writes an error's text, code and causes, and never the parameters of a statement", () => {
    const error = Object.assign(new Error('outer', { cause: new Error('inner') }), {
      code: '23505',
      query: 'INSERT',
      parameters: ['+70000000000'],
      driverError: { detail: 'Key (phone)=(+70000000000)' },
    });
    logger.failure('failed', error);
    expect(lines).toMatchObject([
      { level: 'error', err: { message: 'outer', code: '23505', cause: { message: 'inner' } } },
    ]);
    expect(JSON.stringify(lines)).not.toContain('70000000000');
  });

  it('puts the id of the request into every line', () => {
    runInContext({ requestId: 'r-1', remoteAddress: '::1' }, () => logger.warn('inside'));
    logger.warn('outside');
    expect(lines.map(({ requestId }) => requestId)).toEqual(['r-1', undefined]);
  });

  it("takes Nest's way of naming who logs", () => {
    logger.error('broken', 'a stack', 'SomeService');
    logger.log('started', 'InstanceLoader');
    expect(lines).toMatchObject([
      { level: 'error', context: 'SomeService', stack: 'a stack', msg: 'broken' },
      { level: 'debug', context: 'InstanceLoader' },
    ]);
  });
});
