import { randomBytes } from 'node:crypto';
import type { EncryptionKey } from './auth-key.js';
import { decryptIge, encryptIge } from './crypto/aes-ige.js';
import { sha256 } from './crypto/hashes.js';
import { deriveKeys, FROM_CLIENT, FROM_SERVER, messageKey } from './crypto/key-derivation.js';

/** auth_key_id and msg_key. */
const OUTER_BYTES = 24;
/** salt, session_id, msg_id, seq_no and length. */
const INNER_BYTES = 32;
const MIN_PADDING = 12;

/** One message and its place in a session. */
export interface Message {
  readonly id: bigint;
  readonly seqNo: number;
  readonly body: Buffer;
}

/** A client's packet after decryption. */
export interface OpenedPacket {
  readonly salt: bigint;
  readonly sessionId: bigint;
  readonly message: Message;
  /** What to send back, without a length, when the client asked for a quick acknowledgement. */
  readonly quickAck: Buffer;
}

/**
 * Opens a packet of MTProto 2.0 (https://core.telegram.org/mtproto/description).
 * @returns undefined when it was not made with this key
 */
export function openPacket(key: EncryptionKey, packet: Buffer): OpenedPacket | undefined {
  // Frames of the padded transport end in up to 15 more random bytes.
  const length = (packet.length - OUTER_BYTES) & ~15;
  if (length < INNER_BYTES) return undefined;
  const msgKey = packet.subarray(8, OUTER_BYTES);
  const keys = deriveKeys(key.secret, msgKey, FROM_CLIENT);
  const plain = decryptIge(packet.subarray(OUTER_BYTES, OUTER_BYTES + length), keys.key, keys.iv);
  const hash = sha256(key.secret.subarray(88 + FROM_CLIENT, 120 + FROM_CLIENT), plain);
  const bodyLength = plain.readUInt32LE(28);
  if (!hash.subarray(8, 24).equals(msgKey) || INNER_BYTES + bodyLength > plain.length) return undefined;
  const quickAck = Buffer.from(hash.subarray(0, 4));
  quickAck.writeUInt32LE((quickAck.readUInt32LE(0) | 0x8000_0000) >>> 0, 0);
  return {
    salt: plain.readBigInt64LE(0),
    sessionId: plain.readBigInt64LE(8),
    message: {
      id: plain.readBigInt64LE(16),
      seqNo: plain.readInt32LE(24),
      body: plain.subarray(INNER_BYTES, INNER_BYTES + bodyLength),
    },
    quickAck,
  };
}

/** Encrypts one message of the server. */
export function sealPacket(key: EncryptionKey, salt: bigint, sessionId: bigint, message: Message): Buffer {
  const used = INNER_BYTES + message.body.length;
  const padding = MIN_PADDING + (-(used + MIN_PADDING) & 15);
  const plain = Buffer.allocUnsafe(used + padding);
  plain.writeBigInt64LE(salt, 0);
  plain.writeBigInt64LE(sessionId, 8);
  plain.writeBigInt64LE(message.id, 16);
  plain.writeInt32LE(message.seqNo, 24);
  plain.writeInt32LE(message.body.length, 28);
  message.body.copy(plain, INNER_BYTES);
  randomBytes(padding).copy(plain, used);
  const msgKey = messageKey(key.secret, plain, FROM_SERVER);
  const keys = deriveKeys(key.secret, msgKey, FROM_SERVER);
  const header = Buffer.allocUnsafe(8);
  header.writeBigInt64LE(key.id);
  return Buffer.concat([header, msgKey, encryptIge(plain, keys.key, keys.iv)]);
}

/** A message outside of any session, as the key exchange uses them. */
export function plainPacket(messageId: bigint, body: Buffer): Buffer {
  const header = Buffer.alloc(20);
  header.writeBigInt64LE(messageId, 8);
  header.writeUInt32LE(body.length, 16);
  return Buffer.concat([header, body]);
}

/** The body of a client's plain packet. TDLib's msg_id there is 0, so it is not looked at. */
export function plainBody(packet: Buffer): Buffer | undefined {
  if (packet.length < 20) return undefined;
  const length = packet.readUInt32LE(16);
  return packet.length < 20 + length ? undefined : packet.subarray(20, 20 + length);
}
