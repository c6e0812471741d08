import { readTdSchema } from '../../telegram/index.js';
import { groupOf, isPaced, METHOD_GROUPS, scopeOf, weightOf } from './method-groups.js';

describe('groups of methods', () => {
  it('name methods that td_api has, each in one group', async () => {
    const { methods } = await readTdSchema();
    const known = new Set(methods.map(({ name }) => name));
    const named = Object.values(METHOD_GROUPS).flat();
    expect(named.filter((name) => !known.has(name))).toEqual([]);
    expect(new Set(named).size).toBe(named.length);
  });

  it('close together, and what is in none closes alone', () => {
    expect([scopeOf('sendMessage'), scopeOf('forwardMessages'), scopeOf('getMe')]).toEqual(['@send', '@send', 'getMe']);
    expect([isPaced('joinChat'), isPaced('addContact'), isPaced('searchPublicChat'), isPaced('getMe')]).toEqual([
      true,
      true,
      false,
      false,
    ]);
    expect(groupOf('constructor')).toBeUndefined();
  });

  it.each([
    ['sendMessage', {}, 1],
    ['forwardMessages', { message_ids: [1, 2, 3] }, 3],
    ['sendMessageAlbum', { input_message_contents: [{}, {}] }, 2],
    ['addChatMembers', { user_ids: [] }, 1],
    ['importContacts', { contacts: 'none' }, 1],
    ['importContacts', { contacts: [{}, {}, {}, {}] }, 4],
    ['getChatHistory', { only_local: true }, 0],
    ['getChatHistory', { only_local: false }, 1],
    ['sendMessage', { only_local: true }, 1],
  ])('weigh %s with %j as %d', (method, params, weight) => {
    expect(weightOf(method, params)).toBe(weight);
  });
});
