import fc from 'fast-check';
import { ValidationFailedError } from '../errors/index.js';
import { readJsonBody } from './json-body.js';

function issueOf(text: string): { path: string; message: string } | undefined {
  try {
    readJsonBody(text);
    return undefined;
  } catch (error) {
    if (!(error instanceof ValidationFailedError)) throw error;
    return error.issues[0];
  }
}

describe('readJsonBody', () => {
  it('reads what JSON.parse reads', () => {
    fc.assert(
      fc.property(fc.json({ maxDepth: 5 }), (text) => {
        const value: unknown = JSON.parse(text);
        fc.pre(issueOf(text) === undefined);
        expect(readJsonBody(text)).toEqual(value);
      }),
    );
  });

  it.each(['', ' ', '\n'])('takes %p for no body', (text) => expect(readJsonBody(text)).toBeUndefined());

  it.each([
    ['{"a":9007199254740993}', 'a'],
    ['{"params":{"ids":[1,-9223372036854775808]}}', 'params.ids[1]'],
    ['[[1],[2,12345678901234567890]]', '[1][1]'],
    ['{"a":{"b":1},"c":9007199254740992}', 'c'],
    ['{"a\\"b":{"x":"12345678901234567890"},"d":12345678901234567890}', 'd'],
    ['{"a":"]}{[,\\\\","b":12345678901234567890}', 'b'],
    ['12345678901234567890', ''],
  ])('names the path of the integer that would lose digits in %s', (text, path) => {
    expect(issueOf(text)?.path).toBe(path);
  });

  it.each([
    '{"a":9007199254740991}',
    '{"a":"12345678901234567890"}',
    '{"a":0.1234567890123456789}',
    '{"a":1e30}',
    '{"12345678901234567890":1}',
  ])('takes %s, which loses nothing that was promised', (text) => expect(issueOf(text)).toBeUndefined());

  it('finds every such integer, wherever it stands', () => {
    const key = fc.stringMatching(/^[a-z]{1,5}$/);
    const path = fc.array(fc.oneof(key, fc.nat(3)), { minLength: 1, maxLength: 6 });
    fc.assert(
      fc.property(path, fc.bigInt({ min: 2n ** 53n, max: 2n ** 63n }), (steps, big) => {
        const text = steps.reduceRight<string>(
          (inner, step) =>
            typeof step === 'number' ? `[${'"x",'.repeat(step)}${inner}]` : `{"zero":{"n":[0]},"${step}":${inner}}`,
          String(big),
        );
        const expected = steps.reduce<string>(
          (before, step) =>
            typeof step === 'number' ? `${before}[${step}]` : before === '' ? step : `${before}.${step}`,
          '',
        );
        expect(issueOf(text)?.path).toBe(expected);
      }),
    );
  });

  it.each([
    [String.raw`"\ud800"`, ''],
    [String.raw`{"a":"x","b":["y",{"c":"z\uDFff."}]}`, 'b[1].c'],
    [String.raw`{"a":"\udc00\ud800"}`, 'a'],
    [String.raw`{"a":{"\ud83d":1}}`, 'a'],
  ])('names the path of half of a surrogate pair in %s', (text, path) => {
    expect(issueOf(text)).toEqual({ path, message: 'half of a surrogate pair is not text' });
  });

  it.each([String.raw`{"a":"\ud83d\ude00"}`, String.raw`{"a":"\\ud800"}`, '{"😀":"😀"}'])('takes %s', (text) => {
    expect(readJsonBody(text)).toEqual(JSON.parse(text));
  });

  it.each(['{', '{"a":}', "{'a':1}", '{"a":1}x', 'undefined', '01'])('refuses %s as no JSON', (text) => {
    expect(issueOf(text)?.message).toContain('not valid JSON');
  });

  it('refuses nesting that would overflow a stack, and takes what is merely deep or wide', () => {
    expect(issueOf('['.repeat(100_000) + ']'.repeat(100_000))?.message).toContain('nested deeper');
    expect(issueOf('['.repeat(100) + ']'.repeat(100))).toBeUndefined();
    expect(issueOf(`[${'[],'.repeat(1000)}[]]`)).toBeUndefined();
  });

  it('looks through a body of many small values about as fast as it is parsed', () => {
    const text = `{"x":1234567890123456,"a":[${'{"k":1},'.repeat(900_000)}0]}`;
    let start = performance.now();
    JSON.parse(text);
    const parsing = performance.now() - start;
    start = performance.now();
    readJsonBody(text);
    expect(performance.now() - start).toBeLessThan(4 * parsing + 500);
  });
});
