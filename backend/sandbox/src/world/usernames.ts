import { RpcError } from '../rpc.js';
import type { Accounts } from './accounts.js';
import type { Chats } from './chats.js';
import type { PeerRef } from './peer.js';
import { channelPeer, userPeer } from './peer.js';

/** 5 to 32 characters, a letter first (https://core.telegram.org/method/account.updateUsername); bots may have 4. */
const USERNAME = /^[a-z]\w{3,31}$/i;

/** Public names, shared by accounts and channels; upper and lower case are the same name. */
export class Usernames {
  constructor(
    private readonly accounts: Accounts,
    private readonly chats: Chats,
  ) {}

  resolve(username: string): PeerRef | undefined {
    const wanted = username.replace(/^@/, '').toLowerCase();
    const account = this.accounts.all().find((candidate) => candidate.username?.toLowerCase() === wanted);
    if (account) return userPeer(account.id);
    for (const channel of this.chats.state.channels.values()) {
      if (!channel.deleted && channel.username?.toLowerCase() === wanted) return channelPeer(channel.id);
    }
    return undefined;
  }

  /** @throws RpcError `400 USERNAME_INVALID` or `400 USERNAME_OCCUPIED` */
  assertFree(username: string): void {
    if (!USERNAME.test(username)) throw new RpcError(400, 'USERNAME_INVALID');
    if (this.resolve(username)) throw new RpcError(400, 'USERNAME_OCCUPIED');
  }
}
