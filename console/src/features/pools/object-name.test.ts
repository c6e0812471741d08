import { objectName, visible } from './object-name';

it.each([
  ['images/1.tar', '1.tar'],
  ['images/', 'images'],
  ['a b', 'a b'],
  [' ', '␣'],
  ['\n', '\\n'],
  ['a/ b\t', '␣b\\t'],
  ['gpj.\u202eexe', 'gpj.\\u202eexe'],
  ['\u00a0\u200b', '␣\\u200b'],
  ['👨‍👩‍👧', '👨‍👩‍👧'],
])('names %j so that it can be seen', (key, name) => {
  expect(objectName(key)).toBe(name);
});

it('shows whole keys', () => {
  expect(visible(' a\n/ b ')).toBe('␣a\\n/ b␣');
});
