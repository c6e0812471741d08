import { asCurl, callBody, paramsProblem } from './call';

const request = { kind: 'bot', id: 'abc', method: 'sendMessage', paramsText: '' } as const;

it('takes an empty text as no params', () => {
  expect(paramsProblem('  ')).toBeUndefined();
  expect(callBody('getMe', ' ')).toBe('{"method":"getMe"}');
});

it.each(['[1]', '"text"', '5', 'null'])('refuses %s, which is JSON but no object', (text) => {
  expect(paramsProblem(text)).toMatch(/one JSON object/);
});

it("gives the parser's words for what is not JSON", () => {
  expect(paramsProblem('{ chat_id: 1 }')).toMatch(/JSON/);
});

it('sends integers beyond 2^53 exactly as they were typed', () => {
  expect(callBody('getChat', '{"chat_id": 9007199254740993}')).toBe(
    '{"method":"getChat","params":{"chat_id": 9007199254740993}}',
  );
});

it('writes a curl call with a placeholder for the token', () => {
  expect(asCurl('http://127.0.0.1:8080', { ...request, paramsText: '{"chat_id":1}' })).toBe(
    [
      "curl -sS 'http://127.0.0.1:8080/v1/bot/abc/call' \\",
      '  -H "Authorization: Bearer $TOKEN" \\',
      "  -H 'Content-Type: application/json' \\",
      `  -d '{"method":"sendMessage","params":{"chat_id":1}}'`,
    ].join('\n'),
  );
});

it('keeps a quote of the params from ending the shell word', () => {
  expect(asCurl('http://x', { ...request, paramsText: `{"text":"it's"}` })).toContain(String.raw`it'\''s`);
});
