/** Writes TL's bare types into a buffer that grows. `finish` gives what was written. */
export class TlWriter {
  private buffer: Buffer;
  private length = 0;

  constructor(capacity = 256) {
    this.buffer = Buffer.allocUnsafe(capacity);
  }

  int(value: number): this {
    const at = this.grow(4);
    this.buffer.writeInt32LE(value | 0, at);
    return this;
  }

  uint(value: number): this {
    const at = this.grow(4);
    this.buffer.writeUInt32LE(value >>> 0, at);
    return this;
  }

  long(value: bigint): this {
    const at = this.grow(8);
    this.buffer.writeBigInt64LE(BigInt.asIntN(64, value), at);
    return this;
  }

  /** 64 bits from a number that is an exact integer. */
  int53(value: number): this {
    const at = this.grow(8);
    this.buffer.writeUInt32LE(value >>> 0, at);
    this.buffer.writeInt32LE(Math.floor(value / 0x1_0000_0000) | 0, at + 4);
    return this;
  }

  double(value: number): this {
    const at = this.grow(8);
    this.buffer.writeDoubleLE(value, at);
    return this;
  }

  raw(value: Uint8Array): this {
    const at = this.grow(value.length);
    this.buffer.set(value, at);
    return this;
  }

  /** Length in 1 or 4 bytes, then the value padded with zeros to 4 bytes (https://core.telegram.org/mtproto/serialize). */
  bytes(value: Uint8Array): this {
    const header = value.length < 254 ? 1 : 4;
    const padding = -(header + value.length) & 3;
    const at = this.grow(header + value.length + padding);
    if (header === 1) this.buffer.writeUInt8(value.length, at);
    else this.buffer.writeUInt32LE(((value.length << 8) | 254) >>> 0, at);
    this.buffer.set(value, at + header);
    this.buffer.fill(0, at + header + value.length, this.length);
    return this;
  }

  string(value: string): this {
    return this.bytes(Buffer.from(value, 'utf8'));
  }

  /** A view of the writer's own buffer; do not write after it. */
  finish(): Buffer {
    return this.buffer.subarray(0, this.length);
  }

  /** Leaves room for 4 bytes that are known later; see `patchUint`. */
  reserve(): number {
    return this.grow(4);
  }

  patchUint(at: number, value: number): void {
    this.buffer.writeUInt32LE(value >>> 0, at);
  }

  private grow(by: number): number {
    const at = this.length;
    this.length += by;
    if (this.length > this.buffer.length) {
      const larger = Buffer.allocUnsafe(Math.max(this.buffer.length * 2, this.length));
      this.buffer.copy(larger, 0, 0, at);
      this.buffer = larger;
    }
    return at;
  }
}
