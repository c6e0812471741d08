import { PassThrough } from 'node:stream';
import { FrameReader, FrameType, FrameWriter, MAX_PAYLOAD_BYTES } from './frames.js';

interface Frame {
  readonly type: number;
  readonly call: number;
  readonly text: string;
}

function readerInto(frames: Frame[]): FrameReader {
  return new FrameReader((type, call, payload) => frames.push({ type, call, text: payload.toString('utf8') }));
}

async function written(write: (writer: FrameWriter) => Promise<void> | void): Promise<Buffer> {
  const connection = new PassThrough({ highWaterMark: 1024 * 1024 });
  await write(new FrameWriter(connection));
  await new Promise((resolve) => setImmediate(resolve));
  connection.end();
  return Buffer.concat((await connection.toArray()) as Buffer[]);
}

describe('frames of a call line', () => {
  it('arrive as they were written, however the connection cuts them', async () => {
    const bytes = await written((writer) => {
      writer.write(FrameType.Call, 1, 'a call with ünïcödé 🚀');
      writer.write(FrameType.Abandoned, 1, '');
      writer.write(FrameType.Call, 0xffffffff, 'another');
    });
    for (const size of [1, 2, 7, 10, bytes.length]) {
      const frames: Frame[] = [];
      const reader = readerInto(frames);
      for (let at = 0; at < bytes.length; at += size) reader.push(bytes.subarray(at, at + size));
      expect(frames).toEqual([
        { type: FrameType.Call, call: 1, text: 'a call with ünïcödé 🚀' },
        { type: FrameType.Abandoned, call: 1, text: '' },
        { type: FrameType.Call, call: 0xffffffff, text: 'another' },
      ]);
    }
  });

  it('let a short answer pass a long one', async () => {
    const long = 'ü'.repeat(300_000);
    const bytes = await written(async (writer) => {
      const answering = writer.answer(1, long);
      await writer.answer(2, 'short');
      await answering;
    });
    const frames: Frame[] = [];
    const parts: Buffer[] = [];
    const reader = new FrameReader((type, call, payload) => {
      frames.push({ type, call, text: '' });
      if (call === 1) parts.push(Buffer.from(payload));
    });
    reader.push(bytes);
    expect(Buffer.concat(parts).toString('utf8')).toBe(long);
    expect(frames.findIndex(({ call }) => call === 2)).toBeLessThan(3);
    expect(frames.at(-1)).toMatchObject({ type: FrameType.Answer, call: 1 });
  });

  it('are refused when they are longer than any of ours', () => {
    const header = Buffer.alloc(9);
    header.writeUInt32BE(MAX_PAYLOAD_BYTES + 1);
    expect(() => readerInto([]).push(header)).toThrow(RangeError);
  });
});
