import { imageSize } from './image-size.js';

/** A header followed by enough bytes to be taken for a file. */
const padded = (...parts: readonly Buffer[]): Buffer => Buffer.concat([...parts, Buffer.alloc(32)]);

describe('the size of an image', () => {
  it('is read from PNG, GIF, WebP and JPEG heads', () => {
    const png = Buffer.from('89504e470d0a1a0a0000000d494844520000028000000168', 'hex');
    expect(imageSize(padded(png))).toEqual({ width: 640, height: 360 });
    expect(imageSize(padded(Buffer.from('GIF89a'), Buffer.from('80026801', 'hex')))).toEqual({
      width: 640,
      height: 360,
    });
    const webp = Buffer.from('52494646000000005745425056503858000000000000000007f0200067010000', 'hex');
    webp.writeUIntLE(639, 24, 3);
    webp.writeUIntLE(359, 27, 3);
    expect(imageSize(padded(webp))).toEqual({ width: 640, height: 360 });
    const jpeg = Buffer.from('ffd8ffe000104a46494600010100000100010000ffc0001108016802800301', 'hex');
    expect(imageSize(padded(jpeg))).toEqual({ width: 640, height: 360 });
  });

  it('is unknown for anything else', () => {
    expect(imageSize(padded(Buffer.from('%PDF-1.7')))).toBeUndefined();
    expect(imageSize(Buffer.from([0xff, 0xd8]))).toBeUndefined();
  });
});
