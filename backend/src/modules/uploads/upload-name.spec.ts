import { validUploadName } from './upload-name.js';

describe('the name of an upload', () => {
  it.each([
    'a',
    'report.txt',
    'отчёт за май.pdf',
    ' x ',
    '...',
    '.hidden',
    '.upload',
    'a'.repeat(255),
    'я'.repeat(127),
  ])('may be %j', (name) => {
    expect(validUploadName(name)).toBe(name);
  });

  it.each([
    [undefined, 'name is required'],
    [['a', 'b'], 'name may be given only once'],
  ])('is one: %j is refused', (name, message) => {
    expect(() => validUploadName(name)).toThrow(message);
  });

  it.each([
    '',
    '.',
    '..',
    '.upload.json',
    '.upload.lock',
    'a/b',
    'a\\b',
    'a\0b',
    'a\nb',
    'a\u202Egpj.exe',
    'a\u2066b',
    'a\u200Fb',
    'a\uD800b',
    'a'.repeat(256),
    'я'.repeat(128),
  ])('may not be %j', (name) => {
    expect(() => validUploadName(name)).toThrow('invalid file name');
  });
});
