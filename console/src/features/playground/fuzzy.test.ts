import { someMethods } from '@/test/td-samples';
import { fuzzyMatch } from './fuzzy';
import { findMethods } from './method-box';

const names = (query: string, kind: 'bot' | 'user' = 'bot') =>
  findMethods(someMethods, query, kind).map(({ method }) => method.name);

it.each([
  ['sm', 'sendMessage'],
  ['sendmes', 'sendMessage'],
  ['gchis', 'getChatHistory'],
  ['getchat', 'getChat'],
  ['me', 'getMe'],
  ['spc', 'searchPublicChat'],
])('finds by %s %s first', (query, name) => {
  expect(names(query)[0]).toBe(name);
});

it('finds nothing when a letter is missing', () => {
  expect(names('sendz')).toEqual([]);
});

it('puts what this session may not call behind what it may', () => {
  expect(names('setc', 'bot')[0]).toBe('setCommands');
  expect(names('', 'user').at(-1)).toBe('setCommands');
});

it('tells which letters were found', () => {
  expect(fuzzyMatch('getChatHistory', 'gch')?.at).toEqual([0, 3, 4]);
  expect(fuzzyMatch('getMe', 'me')?.at).toEqual([3, 4]);
});
