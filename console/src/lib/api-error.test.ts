import { ApiError } from './api-error';

const answer = (status: number, body: unknown, headers: Record<string, string> = {}) =>
  ApiError.fromResponse(new Response(typeof body === 'string' ? body : JSON.stringify(body), { status, headers }));

it('reads the envelope with the request id', async () => {
  const error = await answer(
    409,
    { ok: false, error: { source: 'gateway', code: 'in_use', message: 'used', details: { session_ids: ['a', 1] } } },
    { 'X-Request-Id': 'r-1' },
  );
  expect(error).toMatchObject({ status: 409, source: 'gateway', code: 'in_use', message: 'used', requestId: 'r-1' });
  expect(error.sessionsInUse).toEqual(['a']);
});

it('makes a readable error of an answer that is not ours', async () => {
  const error = await answer(502, '<html>bad gateway</html>');
  expect(error.message).toBe('The server answered 502 without saying why.');
  expect(error.issues).toEqual([]);
});

it.each([
  [401, 'gateway', true],
  [401, 'tdlib', false],
  [403, 'gateway', false],
])('a %i of %s ends the console session: %s', async (status, source, ends) => {
  const error = await answer(status, { ok: false, error: { source, message: 'no' } });
  expect(error.endsConsoleSession).toBe(ends);
});

it('tells a lost connection apart from a refusal', () => {
  expect(ApiError.from(new TypeError('Failed to fetch'))).toMatchObject({ source: 'network', status: 0 });
});
