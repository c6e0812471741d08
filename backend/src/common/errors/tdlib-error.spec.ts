import { TdlibError, retryAfterOf, statusOfTdlibCode } from './tdlib-error.js';

describe('TdlibError', () => {
  it.each([
    [400, 400],
    [401, 401],
    [406, 406],
    [420, 429],
    [429, 429],
    [500, 500],
    [599, 599],
    [0, 502],
    [8, 400],
    [600, 400],
    [-1, 400],
  ])('with code %d is answered with status %d', (code, status) => expect(statusOfTdlibCode(code)).toBe(status));

  it.each([
    ['Too Many Requests: retry after 7', 7],
    ['retry after x, retry after 0', 0],
    ['retry after  12 ', 12],
    ['retry after 1.5', undefined],
    ['retry after -1', undefined],
    ['wait', undefined],
  ])('reads the wait of %p', (text, seconds) => expect(retryAfterOf(text)).toBe(seconds));

  it('has a wait only when it is a flood', () => {
    expect(new TdlibError(429, 'retry after 5').retryAfterSeconds).toBe(5);
    expect(new TdlibError(420, 'retry after 5').retryAfterSeconds).toBe(5);
    expect(new TdlibError(400, 'retry after 5').retryAfterSeconds).toBeUndefined();
  });
});
