import { crc32 } from 'node:zlib';

/** What goes on computing a checksum over pieces; the part of node:crypto's Hash that is used. */
export interface Digest {
  update(piece: Buffer): unknown;
  /** The checksum with its highest byte first. */
  digest(): Buffer;
}

const SLICES = 8;

/** Tables for eight bytes at a time: entry `256 * n + b` is what byte b does when n zero bytes follow it. */
interface Tables {
  readonly low: Uint32Array;
  readonly high: Uint32Array;
}

/** @param polynomial reflected, as two halves; a polynomial of 32 bits has no high half */
function makeTables(polynomial: { readonly high: number; readonly low: number }): Tables {
  const low = new Uint32Array(256 * SLICES);
  const high = new Uint32Array(256 * SLICES);
  for (let byte = 0; byte < 256; byte += 1) {
    let [h, l] = [0, byte];
    for (let bit = 0; bit < 8; bit += 1) {
      const carry = l & 1;
      l = ((l >>> 1) | (h << 31)) >>> 0;
      h >>>= 1;
      if (carry) {
        l = (l ^ polynomial.low) >>> 0;
        h = (h ^ polynomial.high) >>> 0;
      }
    }
    low[byte] = l;
    high[byte] = h;
  }
  for (let index = 256; index < 256 * SLICES; index += 1) {
    const [l, h] = [low[index - 256] ?? 0, high[index - 256] ?? 0];
    const byte = l & 255;
    low[index] = (((l >>> 8) | (h << 24)) ^ (low[byte] ?? 0)) >>> 0;
    high[index] = ((h >>> 8) ^ (high[byte] ?? 0)) >>> 0;
  }
  return { low, high };
}

/** CRC-32 as zip and gzip have it. */
export class Crc32 implements Digest {
  private value = 0;

  update(piece: Buffer): void {
    this.value = crc32(piece, this.value);
  }

  digest(): Buffer {
    const bytes = Buffer.alloc(4);
    bytes.writeUInt32BE(this.value);
    return bytes;
  }
}

/**
 * A CRC of up to 64 bits, reflected, beginning with ones and inverted at the end, eight bytes at a time. Node has neither CRC-32C
 * nor CRC-64/NVME.
 */
class SlicedCrc implements Digest {
  private low = 0xffffffff;
  private high: number;

  constructor(
    private readonly tables: Tables,
    private readonly bytes: 4 | 8,
  ) {
    this.high = bytes === 8 ? 0xffffffff : 0;
  }

  update(piece: Buffer): void {
    const { low: L, high: H } = this.tables;
    let { low, high } = this;
    let at = 0;
    const at8 = (index: number): number => piece[index] ?? 0;
    for (; at + 8 <= piece.length; at += 8) {
      const a = low ^ (at8(at) | (at8(at + 1) << 8) | (at8(at + 2) << 16) | (at8(at + 3) << 24));
      const b = high ^ (at8(at + 4) | (at8(at + 5) << 8) | (at8(at + 6) << 16) | (at8(at + 7) << 24));
      const i0 = 1792 + (a & 255);
      const i1 = 1536 + ((a >>> 8) & 255);
      const i2 = 1280 + ((a >>> 16) & 255);
      const i3 = 1024 + (a >>> 24);
      const i4 = 768 + (b & 255);
      const i5 = 512 + ((b >>> 8) & 255);
      const i6 = 256 + ((b >>> 16) & 255);
      const i7 = b >>> 24;
      const of = (table: Uint32Array): number =>
        (table[i0] ?? 0) ^
        (table[i1] ?? 0) ^
        (table[i2] ?? 0) ^
        (table[i3] ?? 0) ^
        (table[i4] ?? 0) ^
        (table[i5] ?? 0) ^
        (table[i6] ?? 0) ^
        (table[i7] ?? 0);
      low = of(L);
      high = of(H);
    }
    for (; at < piece.length; at += 1) {
      const index = (low ^ at8(at)) & 255;
      low = ((low >>> 8) | (high << 24)) ^ (L[index] ?? 0);
      high = (high >>> 8) ^ (H[index] ?? 0);
    }
    this.low = low;
    this.high = high;
  }

  digest(): Buffer {
    const bytes = Buffer.alloc(8);
    bytes.writeUInt32BE(~this.high >>> 0, 0);
    bytes.writeUInt32BE(~this.low >>> 0, 4);
    return bytes.subarray(8 - this.bytes);
  }
}

let tables32c: Tables | undefined;
let tables64: Tables | undefined;

/** CRC-32C (Castagnoli). */
export function makeCrc32c(): Digest {
  tables32c ??= makeTables({ high: 0, low: 0x82f63b78 });
  return new SlicedCrc(tables32c, 4);
}

/** CRC-64/NVME. */
export function makeCrc64Nvme(): Digest {
  tables64 ??= makeTables({ high: 0x9a6c9329, low: 0xac4bc9b5 });
  return new SlicedCrc(tables64, 8);
}
