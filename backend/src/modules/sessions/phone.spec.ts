import { ValidationFailedError } from '../../common/errors/index.js';
import { normalizePhone } from './phone.js';

describe('normalizePhone', () => {
  it.each(['+1 (555) 014-2333', '15550142333', '0015550142333', ' +1.555.014.2333 ', '+1–555—014 2333'])(
    'reads %p as the same number',
    (text) => {
      expect(normalizePhone(text)).toBe('15550142333');
    },
  );

  it.each(['', '+', 'abc', '1234', '1234567890123456', '+1555x0142'])('refuses %p', (text) => {
    expect(() => normalizePhone(text)).toThrow(ValidationFailedError);
  });
});
