import { parseJson, placeOf } from './json-text';

it.each([
  '{}',
  '{"a":1}',
  ' { "a" : [ 1 , -2.5e3 , true , null , "x\\n\\u00e9" , {} , [] ] } ',
  '"text"',
  '-0',
  '[[],{"":""}]',
])('finds nothing wrong with %s', (text) => {
  expect(JSON.parse(text)).toBeDefined();
  expect(parseJson(text).problem).toBeUndefined();
});

it.each([
  ['{"a":}', /value is missing/],
  ['{"a"', /colon and a value are missing/],
  ['{"a":1', /} is missing/],
  ['{"a":1,}', /nothing follows/],
  ['{"a":1 "b":2}', /comma is missing/],
  ['{a:1}', /Names stand in quotes|Put “a” in quotes/],
  ['{"a":@name}', /Put “@name” in quotes/],
  ['{"a":"x}', /ends with a quote/],
  ['{"a":"\\q"}', /stands before one of/],
  ['[1,,2]', /one too many/],
  ['[1', /] is missing/],
  ['{} {}', /end before this/],
  ['{"a":01}', /Put “01” in quotes/],
])('names what is wrong with %s', (text, words) => {
  expect(() => JSON.parse(text) as unknown).toThrow();
  expect(parseJson(text).problem?.message).toMatch(words);
});

it('goes on behind a mistake, so that the rest is still known', () => {
  const { root } = parseJson('{"a": , "b": {"@type": "x", ');
  expect(root).toMatchObject({
    kind: 'object',
    members: [
      { name: 'a', value: { kind: 'missing' } },
      { name: 'b', value: { kind: 'object', closed: false, members: [{ name: '@type', value: { value: 'x' } }] } },
    ],
  });
});

it('ends on any text, however broken or deep', () => {
  for (const text of ['{{{{', '[[[,,:]]}', '":":":"', '}}', '['.repeat(5_000), '\\', '{"\\']) {
    expect(parseJson(text).problem).toBeDefined();
  }
});

it('takes an empty text as nothing', () => {
  expect(parseJson(' \n')).toEqual({ root: undefined, problem: undefined });
});

it('tells places as people count them', () => {
  expect(placeOf('{\n  "a": x\n}', 9)).toEqual({ line: 2, column: 8 });
});
