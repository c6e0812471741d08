import { randomInt } from 'node:crypto';
import type { Framing } from './obfuscation.js';

const QUICK_ACK = 0x8000_0000;
/** More than the largest packet TDLib makes: a 512 KiB file part with its headers, several times over. */
const MAX_FRAME_BYTES = 16 * 1024 * 1024;

/** One packet of a client. */
export interface Frame {
  readonly packet: Buffer;
  /** The client asks for a quick acknowledgement: bit 31 of the length. */
  readonly wantsQuickAck: boolean;
}

/** Splits a stream into intermediate frames: a 32-bit length, then that many bytes. */
export class FrameReader {
  private chunks: Buffer[] = [];
  private size = 0;

  /** @throws RangeError for a length that cannot be right. */
  push(data: Buffer): Frame[] {
    this.chunks.push(data);
    this.size += data.length;
    const frames: Frame[] = [];
    for (;;) {
      if (this.size < 4) return frames;
      const header = this.head(4).readUInt32LE(0);
      const length = (header & ~QUICK_ACK) >>> 0;
      if (length > MAX_FRAME_BYTES) throw new RangeError(`a frame of ${length} bytes`);
      if (this.size < 4 + length) return frames;
      const packet = this.head(4 + length).subarray(4, 4 + length);
      this.skip(4 + length);
      frames.push({ packet, wantsQuickAck: (header & QUICK_ACK) !== 0 });
    }
  }

  /** A buffer that starts with the next `length` bytes. Joins chunks only when it must. */
  private head(length: number): Buffer {
    const [first] = this.chunks;
    if (first && first.length >= length) return first;
    const joined = Buffer.concat(this.chunks);
    this.chunks = [joined];
    return joined;
  }

  private skip(length: number): void {
    const [first, ...rest] = this.chunks;
    if (!first) return;
    this.size -= length;
    this.chunks = first.length === length ? rest : [first.subarray(length), ...rest];
  }
}

/** Puts a packet into a frame of the connection's framing. */
export function frame(packet: Buffer, framing: Framing): Buffer {
  const padding = framing === 'padded-intermediate' ? randomInt(16) : 0;
  const framed = Buffer.alloc(4 + packet.length + padding);
  framed.writeUInt32LE(packet.length + padding, 0);
  packet.copy(framed, 4);
  return framed;
}
