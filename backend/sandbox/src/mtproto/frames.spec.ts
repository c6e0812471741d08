import { randomBytes } from 'node:crypto';
import { frame, FrameReader } from './frames.js';

describe('FrameReader', () => {
  const packets = [randomBytes(100), randomBytes(4), randomBytes(70_000), randomBytes(12)];

  it.each([1, 3, 104, 65_536, 1_000_000])('finds the same packets however the stream is cut: %d bytes', (size) => {
    const stream = Buffer.concat(packets.map((packet) => frame(packet, 'intermediate')));
    const reader = new FrameReader();
    const found: Buffer[] = [];
    for (let at = 0; at < stream.length; at += size) {
      found.push(...reader.push(stream.subarray(at, at + size)).map(({ packet }) => Buffer.from(packet)));
    }
    expect(found).toEqual(packets);
  });

  it('tells which packets want a quick acknowledgement', () => {
    const framed = frame(Buffer.alloc(8), 'intermediate');
    framed.writeUInt32LE((framed.readUInt32LE(0) | 0x8000_0000) >>> 0, 0);
    expect(new FrameReader().push(framed)).toEqual([{ packet: Buffer.alloc(8), wantsQuickAck: true }]);
  });

  it('gives up on a length that no client sends', () => {
    expect(() => new FrameReader().push(Buffer.from('ffffff7f', 'hex'))).toThrow(RangeError);
  });
});
