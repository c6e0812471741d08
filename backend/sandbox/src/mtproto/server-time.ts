import type { Clock } from '../rpc.js';

/**
 * The time that one key's clients are told, and the message ids made from it.
 *
 * TDLib takes a message only when its id lies between 300 s before and 30 s after the server's time as TDLib knows it, and
 * outside of a key exchange it lets that time only grow (td/mtproto/AuthData.cpp, check_packet). So when the sandbox's clock
 * is set back, a key that was already told a later time goes on from there at normal speed. The state is per key: a
 * process-wide one would carry one client's time into all others.
 */
export class ServerTime {
  private latestMs = 0;
  private latestAt = 0;
  private lastId = 0n;

  constructor(private readonly clock: Clock) {}

  /** Unix milliseconds; never goes back. */
  now(): number {
    const realMs = performance.now();
    const carriedOn = this.latestMs + (realMs - this.latestAt);
    const now = Math.max(this.clock.now(), this.latestMs === 0 ? 0 : carriedOn);
    this.latestMs = now;
    this.latestAt = realMs;
    return now;
  }

  /** Unix seconds. */
  seconds(): number {
    return Math.floor(this.now() / 1000);
  }

  /**
   * An id greater than all before it: unix time times 2^32, odd as every message of a server is
   * (https://core.telegram.org/mtproto/description#message-identifier-msg-id).
   */
  nextMessageId(): bigint {
    const now = this.now();
    const seconds = Math.floor(now / 1000);
    const fraction = Math.floor(((now - seconds * 1000) / 1000) * 0x4000_0000);
    const id = (BigInt(seconds) << 32n) | (BigInt(fraction) << 2n) | 1n;
    this.lastId = id > this.lastId ? id : this.lastId + 4n;
    return this.lastId;
  }
}
