/** Width and height in pixels. */
export interface ImageSize {
  readonly width: number;
  readonly height: number;
}

/** As much of a file as `imageSize` needs to see; large metadata may come before a JPEG's dimensions. */
export const IMAGE_HEAD_BYTES = 262_144;

/** Reads the dimensions from the head of a JPEG, PNG, GIF or WebP file; undefined when it is none of these. */
export function imageSize(head: Buffer): ImageSize | undefined {
  if (head.length < 26) return undefined;
  if (head.readUInt32BE(0) === 0x89504e47) return { width: head.readUInt32BE(16), height: head.readUInt32BE(20) };
  if (head.toString('latin1', 0, 3) === 'GIF') return { width: head.readUInt16LE(6), height: head.readUInt16LE(8) };
  if (head.toString('latin1', 0, 4) === 'RIFF' && head.toString('latin1', 8, 12) === 'WEBP') return webpSize(head);
  return head.readUInt16BE(0) === 0xffd8 ? jpegSize(head) : undefined;
}

function webpSize(head: Buffer): ImageSize | undefined {
  if (head.length < 30) return undefined;
  const format = head.toString('latin1', 12, 16);
  if (format === 'VP8X') return { width: head.readUIntLE(24, 3) + 1, height: head.readUIntLE(27, 3) + 1 };
  if (format === 'VP8 ') return { width: head.readUInt16LE(26) & 0x3fff, height: head.readUInt16LE(28) & 0x3fff };
  const bits = head.readUInt32LE(21);
  return { width: (bits & 0x3fff) + 1, height: ((bits >> 14) & 0x3fff) + 1 };
}

/** Walks the segments to the first frame header (SOF0 to SOF15 but the tables DHT, JPG and DAC). */
function jpegSize(head: Buffer): ImageSize | undefined {
  let offset = 2;
  while (offset + 9 <= head.length && head[offset] === 0xff) {
    const marker = head[offset + 1] ?? 0;
    if (marker >= 0xc0 && marker <= 0xcf && marker !== 0xc4 && marker !== 0xc8 && marker !== 0xcc) {
      return { width: head.readUInt16BE(offset + 7), height: head.readUInt16BE(offset + 5) };
    }
    offset += marker === 0xff ? 1 : 2 + head.readUInt16BE(offset + 2);
  }
  return undefined;
}
