/** The bytes end before the value does, or are not what the schema says. */
export class TlParseError extends Error {
  constructor(message: string) {
    super(message);
    this.name = 'TlParseError';
  }
}

/** Reads TL's bare types from a buffer (https://core.telegram.org/mtproto/serialize). All reads move `offset` forward. */
export class TlReader {
  constructor(
    readonly buffer: Buffer,
    public offset = 0,
  ) {}

  get remaining(): number {
    return this.buffer.length - this.offset;
  }

  /** Signed 32 bits. @throws TlParseError */
  int(): number {
    return this.buffer.readInt32LE(this.take(4));
  }

  /** Unsigned 32 bits: constructor ids and flag words. @throws TlParseError */
  uint(): number {
    return this.buffer.readUInt32LE(this.take(4));
  }

  /** Constructor id at the current position, which does not move. @throws TlParseError */
  peek(): number {
    const id = this.uint();
    this.offset -= 4;
    return id;
  }

  /** Signed 64 bits. @throws TlParseError */
  long(): bigint {
    return this.buffer.readBigInt64LE(this.take(8));
  }

  /** Signed 64 bits that are known to fit a double exactly. @throws TlParseError */
  int53(): number {
    const at = this.take(8);
    return this.buffer.readInt32LE(at + 4) * 0x1_0000_0000 + this.buffer.readUInt32LE(at);
  }

  /** @throws TlParseError */
  double(): number {
    return this.buffer.readDoubleLE(this.take(8));
  }

  /** A view, not a copy. @throws TlParseError */
  raw(length: number): Buffer {
    const at = this.take(length);
    return this.buffer.subarray(at, at + length);
  }

  /** A view, not a copy. @throws TlParseError */
  bytes(): Buffer {
    let length = this.buffer.readUInt8(this.take(1));
    let header = 1;
    if (length === 254) {
      length = this.buffer.readUIntLE(this.take(3), 3);
      header = 4;
    }
    const value = this.raw(length);
    const padding = -(header + length) & 3;
    // The last string of a packet may lack its padding only in a broken packet; take() reports it.
    this.take(padding);
    return value;
  }

  /** UTF-8. @throws TlParseError */
  string(): string {
    return this.bytes().toString('utf8');
  }

  private take(length: number): number {
    const at = this.offset;
    if (at + length > this.buffer.length) {
      throw new TlParseError(`needs ${String(length)} bytes at ${String(at)} of ${String(this.buffer.length)}`);
    }
    this.offset = at + length;
    return at;
  }
}
