import { CompiledFilters, type UpdateFilters } from './filters.js';

const passes = (filters: UpdateFilters, type: string, chatId?: number): boolean =>
  new CompiledFilters(filters).wants({ type, chatId });

describe('CompiledFilters', () => {
  it.each([
    ['nothing is filtered', {}, 'updateUser', undefined, true],
    ['no types are every type', { types: [] }, 'updateUser', undefined, true],
    ['the type is named', { types: ['updateUser'] }, 'updateUser', undefined, true],
    ['another type is named', { types: ['updateNewMessage'] }, 'updateUser', undefined, false],
    ['the type is excluded', { exclude_types: ['updateUser'] }, 'updateUser', undefined, false],
    [
      'it is named and excluded',
      { types: ['updateUser'], exclude_types: ['updateUser'] },
      'updateUser',
      undefined,
      false,
    ],
    ['the chat is named', { chats: [-5] }, 'updateNewMessage', -5, true],
    ['another chat is named', { chats: [-5] }, 'updateNewMessage', 5, false],
    ['it has no chat', { chats: [-5] }, 'updateUser', undefined, false],
    ['no chat is allowed', { chats: [] }, 'updateNewMessage', 5, false],
    ['the chat passes and the type does not', { chats: [5], types: ['x'] }, 'updateNewMessage', 5, false],
    ['an event of the product is not named', {}, 'tgcontrol.session.status', undefined, false],
    ['one is named', { types: ['tgcontrol.session.status'] }, 'tgcontrol.session.status', undefined, true],
    ['one is named beside chats', { types: ['tgcontrol.x'], chats: [5] }, 'tgcontrol.x', undefined, true],
  ] as const)('when %s', (_when, filters, type, chatId, isWanted) => {
    expect(passes(filters, type, chatId)).toBe(isWanted);
  });
});
