import { contentDisposition, requireMatch, select } from './download-request.js';

describe('what a download answers', () => {
  it.each([
    [undefined, { kind: 'whole' }],
    ['bytes=0-0', { kind: 'part', from: 0, to: 1 }],
    ['bytes=0-1023', { kind: 'part', from: 0, to: 100 }],
    ['bytes=90-', { kind: 'part', from: 90, to: 100 }],
    ['bytes=-10', { kind: 'part', from: 90, to: 100 }],
    ['bytes=-1000', { kind: 'part', from: 0, to: 100 }],
    ['Bytes = 5 - 6', { kind: 'part', from: 5, to: 7 }],
    ['bytes=0-1,5-6', { kind: 'whole' }],
    ['bytes=6-5', { kind: 'whole' }],
    ['bytes=-', { kind: 'whole' }],
    ['bytes=a-b', { kind: 'whole' }],
    ['lines=1-2', { kind: 'whole' }],
  ])('for Range %j of 100 bytes is %j', (range, selection) => {
    expect(select(100, '"e"', { range })).toEqual(selection);
  });

  it.each(['bytes=100-', 'bytes=100-200', 'bytes=-0'])('for Range %j of 100 bytes is a refusal', (range) => {
    expect(() => select(100, '"e"', { range })).toThrow('the file has 100 bytes');
  });

  it('is nothing new for a client that has it', () => {
    for (const ifNoneMatch of ['"e"', 'W/"e"', '"x", "e"', '*']) {
      expect(select(100, '"e"', { ifNoneMatch, range: 'bytes=0-0' })).toEqual({ kind: 'unchanged' });
    }
    expect(select(100, '"e"', { ifNoneMatch: '"x"' })).toEqual({ kind: 'whole' });
    expect(select(100, undefined, { ifNoneMatch: '*' })).toEqual({ kind: 'whole' });
  });

  it('is the whole file when the client has a part of another one', () => {
    expect(select(100, '"e"', { range: 'bytes=5-', ifRange: '"x"' })).toEqual({ kind: 'whole' });
    expect(select(100, '"e"', { range: 'bytes=5-', ifRange: '"e"' })).toEqual({ kind: 'part', from: 5, to: 100 });
    expect(select(100, '"e"', { range: 'bytes=5-', ifRange: 'W/"e"' })).toEqual({ kind: 'whole' });
  });
});

describe('a download that must be of a certain file', () => {
  it.each(['"e"', '*', '"x", "e"'])('is there for If-Match %j', (ifMatch) => {
    expect(() => requireMatch('"e"', { ifMatch })).not.toThrow();
  });

  it.each([
    ['"x"', '"e"'],
    ['W/"e"', '"e"'],
    ['e', '"e"'],
    ['"e"', undefined],
  ])('is refused for If-Match %j when the file is %j', (ifMatch, etag) => {
    expect(() => requireMatch(etag, { ifMatch })).toThrow('not the one that If-Match names');
  });
});

describe('the name of a download', () => {
  it.each([
    ['a.txt', `attachment; filename="a.txt"; filename*=UTF-8''a.txt`],
    [
      `"q" 'x' (1)*.txt`,
      `attachment; filename="_q_ 'x' (1)*.txt"; filename*=UTF-8''%22q%22%20%27x%27%20%281%29%2A.txt`,
    ],
    ['отчёт.pdf', `attachment; filename="_____.pdf"; filename*=UTF-8''%D0%BE%D1%82%D1%87%D1%91%D1%82.pdf`],
    ['a\r\nb', `attachment; filename="a__b"; filename*=UTF-8''a%0D%0Ab`],
    ['a\uD800', `attachment; filename="a_"; filename*=UTF-8''a_`],
  ])('of %j is %s', (name, header) => {
    expect(contentDisposition(name)).toBe(header);
  });
});
