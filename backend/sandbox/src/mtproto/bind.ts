import { bigintOf, bytesOf, numberOf, type TlObject } from '../schema/tl-object.js';
import type { TlSchema } from '../schema/tl-schema.js';
import { RpcError } from '../rpc.js';
import type { PermanentKey, TemporaryKey } from './auth-key.js';
import { decryptIge } from './crypto/aes-ige.js';
import { deriveKeysV1, messageKeyV1 } from './crypto/key-derivation.js';
import type { KeyStore } from './key-store.js';

/** auth_key_id and msg_key. */
const OUTER_BYTES = 24;
/** 16 random bytes, msg_id, seq_no and length. */
const INNER_BYTES = 32;

/** A call of `auth.bindTempAuthKey` and where it came from. */
export interface BindCall {
  readonly key: TemporaryKey;
  readonly sessionId: bigint;
  readonly messageId: bigint;
  readonly query: TlObject;
}

/**
 * Binds a temporary key to a permanent one (https://core.telegram.org/method/auth.bindTempAuthKey). The proof is a message
 * in MTProto 1.0 under the permanent key that repeats what the outer call says.
 *
 * @throws RpcError ENCRYPTED_MESSAGE_INVALID; TDLib takes it for a sign that the permanent key is lost.
 */
export function bindTemporaryKey(call: BindCall, keys: KeyStore, schema: TlSchema): void {
  const { key, query } = call;
  const permanent = keys.findPermanent(bigintOf(query, 'perm_auth_key_id'));
  const inner = permanent && openProof(permanent, bytesOf(query, 'encrypted_message'), call.messageId, schema);
  if (
    inner?._ !== 'mt_bind_auth_key_inner' ||
    bigintOf(inner, 'nonce') !== bigintOf(query, 'nonce') ||
    bigintOf(inner, 'temp_auth_key_id') !== key.id ||
    bigintOf(inner, 'perm_auth_key_id') !== permanent?.id ||
    bigintOf(inner, 'temp_session_id') !== call.sessionId ||
    numberOf(inner, 'expires_at') !== numberOf(query, 'expires_at')
  ) {
    throw new RpcError(400, 'ENCRYPTED_MESSAGE_INVALID');
  }
  keys.bind(key, permanent);
}

function openProof(key: PermanentKey, packet: Buffer, messageId: bigint, schema: TlSchema): TlObject | undefined {
  const encrypted = packet.subarray(OUTER_BYTES);
  if (encrypted.length < INNER_BYTES || encrypted.length % 16 !== 0 || packet.readBigInt64LE(0) !== key.id)
    return undefined;
  const msgKey = packet.subarray(8, OUTER_BYTES);
  const { key: aesKey, iv } = deriveKeysV1(key.secret, msgKey);
  const plain = decryptIge(encrypted, aesKey, iv);
  const end = INNER_BYTES + plain.readUInt32LE(28);
  if (end > plain.length || !messageKeyV1(plain.subarray(0, end)).equals(msgKey)) return undefined;
  const sameMessage = plain.readBigInt64LE(16) === messageId && plain.readInt32LE(24) === 0;
  return sameMessage ? schema.read(plain.subarray(INNER_BYTES, end)) : undefined;
}
