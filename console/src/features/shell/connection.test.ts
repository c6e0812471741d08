import { readCauses } from './connection';

it('names each cause with what it is about', () => {
  const report = {
    ok: false,
    error: { message: 'not ready', details: { causes: { database: 'away', disk: 'full' } } },
  };
  expect(readCauses(report)).toEqual(['database: away', 'disk: full']);
});

it('falls back to the message, and to nothing', () => {
  expect(readCauses({ error: { message: 'shutting down' } })).toEqual(['shutting down']);
  expect(readCauses('<html>')).toEqual([]);
});
