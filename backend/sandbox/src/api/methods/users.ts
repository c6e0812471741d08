import type { TlObject } from '../../schema/tl-object.js';
import { objectOf, objectsOf } from '../../schema/tl-object.js';
import { userPeer } from '../../world/peer.js';
import type { Account } from '../../world/accounts.js';
import type { Call, Methods } from '../call.js';
import { readUser } from '../input.js';
import { Cast } from '../render/cast.js';
import { renderUser } from '../render/users.js';

/** https://core.telegram.org/methods#users */
export const usersMethods: Methods = {
  'users.getUsers': (call, query) =>
    objectsOf(query, 'id').map((input) => renderUser(call.world, call.account.id, readUser(call, input))),
  'users.getFullUser': (call, query) => {
    const user = readUser(call, objectOf(query, 'id'));
    const cast = new Cast(call.world, call.account.id).add(userPeer(user.id)).render();
    return { _: 'users.userFull', full_user: fullUser(call, user), ...cast };
  },
};

function fullUser({ world, account }: Call, user: Account): TlObject {
  const mine = world.chats.groupsOf(account.id);
  return {
    _: 'userFull',
    id: user.id,
    ...(user.about !== undefined && { about: user.about }),
    ...(account.blocked.has(user.id) && { blocked: true }),
    settings: { _: 'peerSettings' },
    notify_settings: { _: 'peerNotifySettings' },
    ...(user.kind === 'bot' && { bot_info: { _: 'botInfo', user_id: user.id, commands: [] } }),
    common_chats_count: mine.filter((group) => group.members.has(user.id)).length,
  };
}
