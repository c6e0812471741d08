import 'reflect-metadata';
import { ValidationFailedError } from '../errors/index.js';
import { decodeCursor, encodeCursor } from './paging.js';

describe('decodeCursor', () => {
  it('reads what encodeCursor wrote', () => {
    const position = { createdAt: new Date(1_700_000_000_000), id: '0b0f1c1e-7d3c-4f53-9a3c-5f0a3d1f2e4b' };
    expect(decodeCursor(encodeCursor(position))).toEqual(position);
  });

  it.each(['x', '\0', '0b0f1c1e', "'"])('refuses a position whose id is %p', (id) => {
    expect(() => decodeCursor(encodeCursor({ createdAt: new Date(1), id }))).toThrow(ValidationFailedError);
  });

  it.each(['', 'abc', '\0', 'é'])('refuses %p', (cursor) => {
    expect(() => decodeCursor(cursor)).toThrow(ValidationFailedError);
  });
});
