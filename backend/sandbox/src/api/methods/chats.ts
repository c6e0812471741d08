import { RpcError } from '../../rpc.js';
import type { TlObject } from '../../schema/tl-object.js';
import { arrayOf, numberOf, objectOf, objectsOf, stringOf } from '../../schema/tl-object.js';
import type { Group } from '../../world/chats.js';
import { groupPeer } from '../../world/peer.js';
import type { Posted } from '../../world/posting.js';
import { randomLong } from '../../world/random.js';
import type { Call, Methods } from '../call.js';
import { readUser } from '../input.js';
import { renderPosted } from '../posted.js';
import { Cast } from '../render/cast.js';
import { renderParticipants } from '../render/chats.js';

/** Basic groups (https://core.telegram.org/api/channel#basic-groups). */
export const chatsMethods: Methods = {
  'messages.createChat': (call, query) => {
    const members = objectsOf(query, 'users').map((input) => readUser(call, input));
    const title = titleOf(query);
    const [group, posted] = call.world.membership.createGroup(call.account, title, members, call.origin);
    // TDLib wants the new message together with a random id, although it chose none.
    return invited(call, group, posted, randomLong());
  },
  'messages.getChats': ({ world, account }, query) => {
    const groups = arrayOf(query, 'id').map((id) => world.chats.group(Number(id)));
    const { chats } = new Cast(world, account.id).add(...groups.map(({ id }) => groupPeer(id))).render();
    return { _: 'messages.chats', chats };
  },
  'messages.getFullChat': (call, query) => {
    const { world, account } = call;
    const group = groupOf(call, query);
    const cast = new Cast(world, account.id).add(groupPeer(group.id)).addUsers(group.members.keys());
    return {
      _: 'messages.chatFull',
      full_chat: {
        _: 'chatFull',
        id: group.id,
        about: '',
        participants: renderParticipants(group),
        notify_settings: { _: 'peerNotifySettings' },
        available_reactions: { _: 'chatReactionsAll' },
      },
      ...cast.render(),
    };
  },
  'messages.addChatUser': (call, query) => {
    const group = groupOf(call, query);
    const user = readUser(call, objectOf(query, 'user_id'));
    return invited(call, group, call.world.membership.addToGroup(call.account, group, user, call.origin));
  },
  'messages.deleteChatUser': (call, query) => {
    const group = groupOf(call, query);
    const user = readUser(call, objectOf(query, 'user_id'));
    const posted = call.world.membership.removeFromGroup(call.account, group, user.id, call.origin);
    return changed(call, group, posted);
  },
  'messages.editChatTitle': (call, query) => {
    const group = groupOf(call, query);
    if (!group.members.has(call.account.id)) throw new RpcError(403, 'CHAT_WRITE_FORBIDDEN');
    group.title = titleOf(query);
    group.version += 1;
    const action = { _: 'messageActionChatEditTitle', title: group.title };
    const posted = call.world.posting.post(call.account, groupPeer(group.id), { action }, { origin: call.origin });
    return changed(call, group, posted);
  },
  'messages.editChatAdmin': (call, query) => {
    const user = readUser(call, objectOf(query, 'user_id'));
    call.world.membership.setGroupAdmin(call.account, groupOf(call, query), user.id, query['is_admin'] === true);
    return true;
  },
};

function groupOf({ world }: Call, query: TlObject): Group {
  return world.chats.group(numberOf(query, 'chat_id'));
}

/** @throws RpcError `400 CHAT_TITLE_EMPTY` */
export function titleOf(query: TlObject): string {
  const title = stringOf(query, 'title').trim();
  if (title === '') throw new RpcError(400, 'CHAT_TITLE_EMPTY');
  return title;
}

/** TDLib changes its member list by `updateChatParticipants` only; the service message is not enough. */
function changed(call: Call, group: Group, posted: Posted, randomId?: bigint): TlObject {
  return renderPosted(
    call,
    [{ posted, randomId }],
    [{ _: 'updateChatParticipants', participants: renderParticipants(group) }],
  );
}

function invited(call: Call, group: Group, posted: Posted, randomId?: bigint): TlObject {
  return { _: 'messages.invitedUsers', updates: changed(call, group, posted, randomId), missing_invitees: [] };
}
