import { METHODS_ABOUT_MEMBERS, namesMembers, staysInNamedChats } from './chat-methods.js';
import { classOf } from './method-classes.js';
import { namesChat } from './named-chats.js';
import { readTdSchema } from './td-schema.js';

describe('what stays within the chats that it names', () => {
  it.each([
    ['getChatHistory', { chat_id: 1 }],
    ['forwardMessages', { chat_id: 1, from_chat_id: 2 }],
    ['getSupergroupMembers', { supergroup_id: 1 }],
    ['getMe', {}],
    ['parseMarkdown', { text: {} }],
  ])('is %s', async (method, params) => {
    expect(await staysInNamedChats(method, params)).toBe(true);
  });

  it.each([
    ['getChats', {}],
    ['searchMessages', { chat_list: null, query: 'code' }],
    ['searchMessages with a chat where it does not look', { chat_id: 1, query: 'code' }],
    ['getMessageLinkInfo', { url: 'tg://openmessage?user_id=777000' }],
    ['getChatFolder', { chat_folder_id: 1 }],
    ['getChatHistory of no chat', { chat_id: 0 }],
    ['setPinnedChats without chats', { chat_ids: [] }],
    ['getCurrentState', {}],
    ['getFile', { file_id: 1 }],
    ['unknownMethod', { chat_id: 1 }],
    ['setPinnedChats, which unpins all others', { chat_ids: [1] }],
    ['optimizeStorage, which may name those that are left alone', { exclude_chat_ids: [1] }],
  ])('is not %s', async (what, params) => {
    expect(await staysInNamedChats(/^\w+/.exec(what)?.[0] ?? '', params)).toBe(false);
  });

  it('takes users for members only beside the chat of a method that is about them', async () => {
    const { methods } = await readTdSchema();
    const known = new Map(methods.map(({ name, parameters }) => [name, parameters.map((each) => each.name)]));
    for (const method of METHODS_ABOUT_MEMBERS) {
      expect({ method, has: known.get(method)?.includes('chat_id') }).toEqual({ method, has: true });
    }
    expect(namesMembers('banChatMember', { chat_id: -5, member_id: 7 })).toBe(true);
    expect(namesMembers('banChatMember', { member_id: 7 })).toBe(false);
    expect(namesMembers('getUser', { chat_id: -5, user_id: 7 })).toBe(false);
  });

  it('is no method that hands out chats, messages or files of all chats, as td_api declares them', async () => {
    const { methods } = await readTdSchema();
    const telling = methods.filter(
      ({ name, parameters, returns }) =>
        classOf(name) !== 'account' &&
        /^(Chats?|Messages?|Found(?!Position)\w*|MessageLinkInfo|Updates|File|FilePart|ChatFolder(?!Icon)\w*|Call.*Messages)$/.test(
          returns,
        ) &&
        !parameters.some((each) => namesChat(each.name)),
    );
    expect(telling.length).toBeGreaterThan(20);
    // Its own upload, which is no message's yet.
    for (const { name } of telling.filter((each) => each.name !== 'preliminaryUploadFile')) {
      expect({ name, stays: await staysInNamedChats(name, {}) }).toEqual({ name, stays: false });
    }
  });
});
