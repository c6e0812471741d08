import { namedIn } from './named-chats.js';

const chats = (params: object): number[] => {
  const { chatIds, userIds } = namedIn(params as Record<string, unknown>);
  return [...chatIds, ...userIds];
};

describe('the chats that parameters name', () => {
  it.each([
    ['chat_id', { chat_id: -1001 }, [-1001]],
    ['digits in a string, which TDLib takes for a number', { from_chat_id: '777000' }, [777_000]],
    ['vectors', { chat_ids: [1, '2', 0] }, [1, 2]],
    ['vectors in vectors', { user_ids: [[5], [[6]]] }, [5, 6]],
    ['a MessageSender', { sender_id: { '@type': 'messageSenderChat', chat_id: -5 } }, [-5]],
    ['the private chat of a user', { member_id: { '@type': 'messageSenderUser', user_id: 7 } }, [7]],
    ['reply_to', { chat_id: 1, reply_to: { '@type': 'inputMessageReplyToExternalMessage', chat_id: 2 } }, [1, 2]],
    [
      'what is to be forwarded',
      { chat_id: 1, contents: [{ '@type': 'inputMessageForwarded', from_chat_id: 9 }] },
      [1, 9],
    ],
    ['folders', { folder: { included_chat_ids: [3], pinned_chat_ids: [4] } }, [3, 4]],
    ['supergroups', { supergroup_id: 1234 }, [-1_000_000_001_234]],
    ['basic groups', { basic_group_id: 12 }, [-12]],
    ['secret chats', { secret_chat_id: 12 }, [-1_999_999_999_988]],
    ['topics of Saved Messages', { saved_messages_topic_id: 777_000 }, [777_000]],
    ['stories', { story_poster_chat_id: -100 }, [-100]],
  ])('are found in %s', (_where, params, expected) => {
    expect(chats(params)).toEqual(expected);
  });

  it.each([
    ['messages', { message_id: 777_000, message_ids: [777_000], message_thread_id: 5 }],
    ['topics', { forum_topic_id: 777_000, direct_messages_chat_topic_id: 777_000 }],
    ['folders', { chat_folder_id: 777_000 }],
    ['nothing', { chat_id: 0, user_id: null, offset_chat_id: '' }],
    ['texts', { text: { text: '777000' }, username: '777000' }],
    ['who is mentioned', { entities: [{ type: { '@type': 'textEntityTypeMentionName', user_id: 5 } }] }],
  ])('are not seen in the ids of %s', (_what, params) => {
    expect(chats(params)).toEqual([]);
  });

  it.each([
    [{ file_id: 5 }, true],
    [{ photo: { '@type': 'inputFileId', id: 5 } }, true],
    [{ sticker_file_ids: ['5'] }, true],
    [{ photo: { '@type': 'inputFileRemote', id: 'AgAD' } }, false],
    [{ file_id: 0 }, false],
  ])('and files by their number: %j', (params, expected) => {
    expect(namedIn(params).hasFileNumber).toBe(expected);
  });
});
