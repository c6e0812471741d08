import type { Transport } from '../rpc.js';
import type { TlObject } from '../schema/tl-object.js';
import type { BoxEvent } from '../world/boxes.js';
import type { Channel } from '../world/chats.js';
import { isMember } from '../world/chats.js';
import type { Notice, Origin, WorldListener } from '../world/listener.js';
import type { World } from '../world/world.js';
import { renderNotice } from './render/notices.js';
import { renderEvent } from './render/updates.js';

/** Turns what happens in the world into pushes to the clients that are logged in. */
export class Feed implements WorldListener {
  constructor(
    private readonly world: World,
    private readonly transport: Transport,
  ) {}

  boxChanged(ownerId: number, event: BoxEvent, origin: Origin | undefined): void {
    this.push(ownerId, origin, () => renderEvent(this.world, ownerId, this.world.posting.box(ownerId), event));
  }

  channelChanged(channel: Channel, event: BoxEvent, origin: Origin | undefined): void {
    for (const userId of channel.members.keys()) {
      if (!isMember(channel, userId)) continue;
      this.push(userId, origin, () => renderEvent(this.world, userId, channel, event));
    }
  }

  notice(ownerId: number, notice: Notice, origin?: Origin): void {
    this.push(ownerId, origin, () => renderNotice(this.world, ownerId, notice));
  }

  /** Renders only when there is somebody to tell: most accounts of a large world are not connected. */
  private push(ownerId: number, origin: Origin | undefined, render: () => TlObject | undefined): void {
    const listening = this.transport.keysOf(ownerId).some((key) => key.id !== origin?.keyId);
    if (!listening || this.world.accounts.find(ownerId)?.deaf === true) return;
    const updates = render();
    if (!updates) return;
    this.transport.push(ownerId, updates, origin && { exceptSession: origin.sessionId });
  }
}
