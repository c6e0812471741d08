import type { TlObject } from '../../schema/tl-object.js';
import type { MessageCopy } from '../../world/messages.js';
import type { PeerRef } from '../../world/peer.js';
import { peerKey, userPeer } from '../../world/peer.js';
import type { World } from '../../world/world.js';
import { renderChannel, renderGroup } from './chats.js';
import { renderUser } from './users.js';

/** The fields `users` and `chats` that almost every answer has. */
export interface CastFields {
  readonly users: TlObject[];
  readonly chats: TlObject[];
}

/** Whoever an answer mentions. A client only understands ids whose objects came with, or before, them. */
export class Cast {
  private readonly peers = new Map<string, PeerRef>();

  constructor(
    private readonly world: World,
    private readonly viewerId: number,
  ) {}

  add(...peers: readonly PeerRef[]): this {
    for (const peer of peers) this.peers.set(peerKey(peer), peer);
    return this;
  }

  addUsers(ids: Iterable<number>): this {
    for (const id of ids) this.add(userPeer(id));
    return this;
  }

  addMessages(copies: readonly MessageCopy[]): this {
    for (const { peer, content } of copies) {
      this.add(peer, content.author);
      if (content.forward) this.add(content.forward.from);
      if (content.action) this.addAction(content.action);
      for (const { userId } of content.reactions) this.add(userPeer(userId));
      if (peer.kind === 'user') this.add(userPeer(this.viewerId));
    }
    return this;
  }

  render(): CastFields {
    const users: TlObject[] = [];
    const chats: TlObject[] = [];
    for (const { kind, id } of this.peers.values()) {
      if (kind === 'user') {
        const account = this.world.accounts.find(id);
        if (account) users.push(renderUser(this.world, this.viewerId, account));
        continue;
      }
      const chat = kind === 'group' ? this.renderGroup(id) : this.renderChannel(id);
      if (chat) chats.push(chat);
    }
    return { users, chats };
  }

  private renderGroup(id: number): TlObject | undefined {
    const group = this.world.chats.findGroup(id);
    return group && renderGroup(this.viewerId, group);
  }

  private renderChannel(id: number): TlObject | undefined {
    const channel = this.world.chats.findChannel(id);
    return channel && renderChannel(this.viewerId, channel);
  }

  private addAction(action: TlObject): void {
    const { users, user_id: userId, inviter_id: inviterId } = action;
    const ids: unknown[] = [...(Array.isArray(users) ? (users as unknown[]) : []), userId, inviterId];
    for (const id of ids) {
      if (typeof id === 'number') this.add(userPeer(id));
    }
  }
}
