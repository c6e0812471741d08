import { unzipSync } from 'node:zlib';
import { TlReader } from '../schema/tl-reader.js';
import type { Message } from './envelope.js';

const CONTAINER = 0x73f1f8dc;
const GZIP_PACKED = 0x3072cfa1;

/** The messages of a packet: itself, or what its container holds (https://core.telegram.org/mtproto/service_messages#containers). */
export function unpack(message: Message): Message[] {
  const body = unzip(message.body);
  if (body.length < 4 || body.readUInt32LE(0) !== CONTAINER) return [{ ...message, body }];
  const reader = new TlReader(body, 4);
  const count = reader.uint();
  const messages: Message[] = [];
  for (let index = 0; index < count; index++) {
    const id = reader.long();
    const seqNo = reader.int();
    messages.push({ id, seqNo, body: unzip(reader.raw(reader.uint())) });
  }
  return messages;
}

/** Puts several messages into the body of one. */
export function pack(messages: readonly Message[]): Buffer {
  const parts: Buffer[] = [];
  const header = Buffer.alloc(8);
  header.writeUInt32LE(CONTAINER, 0);
  header.writeUInt32LE(messages.length, 4);
  parts.push(header);
  for (const { id, seqNo, body } of messages) {
    const inner = Buffer.alloc(16);
    inner.writeBigInt64LE(id, 0);
    inner.writeInt32LE(seqNo, 8);
    inner.writeUInt32LE(body.length, 12);
    parts.push(inner, body);
  }
  return Buffer.concat(parts);
}

function unzip(body: Buffer): Buffer {
  if (body.length < 4 || body.readUInt32LE(0) !== GZIP_PACKED) return body;
  return unzipSync(new TlReader(body, 4).bytes());
}
