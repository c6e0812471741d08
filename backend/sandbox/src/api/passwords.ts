import { RpcError } from '../rpc.js';
import { DH_GENERATOR, DH_PRIME } from '../dh-group.js';
import { randomBytes } from 'node:crypto';
import type { TlObject } from '../schema/tl-object.js';
import { bigintOf, bytesOf, objectOf, optionalObjectOf, optionalStringOf } from '../schema/tl-object.js';
import type { Account } from '../world/accounts.js';
import type { PasswordChallenge, PasswordVerifier } from '../world/srp.js';
import { adoptVerifier, checkProof, createChallenge } from '../world/srp.js';
import type { Call } from './call.js';

/** Where a key remembers the question it was asked. */
const CHALLENGE = 'password-challenge';
const ALGORITHM = 'passwordKdfAlgoSHA256SHA256PBKDF2HMACSHA512iter100000SHA256ModPow';

/** Salt that the server proposes for a new password; the client appends its own bytes (https://core.telegram.org/api/srp). */
const NEW_SALT_BYTES = 8;
const SECURE_RANDOM_BYTES = 256;

/** `account.password`, with a fresh question when there is a password. */
export function renderPassword(call: Call, account: Account): TlObject {
  return {
    _: 'account.password',
    ...(account.password && renderChallenge(call, account.password)),
    ...(account.recoveryEmail !== undefined && { has_recovery: true }),
    ...(account.email !== undefined && account.email !== '' && { login_email_pattern: account.email }),
    new_algo: algorithm(randomBytes(NEW_SALT_BYTES), randomBytes(16)),
    // TDLib sets no password unless it knows this algorithm too, although nothing is stored with it.
    new_secure_algo: {
      _: 'securePasswordKdfAlgoPBKDF2HMACSHA512iter100000',
      salt: randomBytes(NEW_SALT_BYTES),
    },
    secure_random: randomBytes(SECURE_RANDOM_BYTES),
  };
}

/**
 * @throws RpcError `400 PASSWORD_HASH_INVALID` for a wrong password, `400 SRP_ID_INVALID` for an answer to an old question
 */
export function checkPassword({ context }: Call, account: Account, proof: TlObject): void {
  if (!account.password) {
    if (proof._ === 'inputCheckPasswordEmpty') return;
    throw new RpcError(400, 'PASSWORD_HASH_INVALID');
  }
  if (proof._ !== 'inputCheckPasswordSRP') throw new RpcError(400, 'PASSWORD_HASH_INVALID');
  const challenge = context.key.data.get(CHALLENGE) as PasswordChallenge | undefined;
  context.key.data.delete(CHALLENGE);
  if (challenge?.id !== bigintOf(proof, 'srp_id')) throw new RpcError(400, 'SRP_ID_INVALID');
  const isRight = checkProof(account.password, challenge, { A: bytesOf(proof, 'A'), M1: bytesOf(proof, 'M1') });
  if (!isRight) throw new RpcError(400, 'PASSWORD_HASH_INVALID');
}

/** Sets, changes or removes the password as `account.updatePasswordSettings` asks. @throws RpcError as `checkPassword` */
export function changePassword(account: Account, settings: TlObject): void {
  const newAlgorithm = optionalObjectOf(settings, 'new_algo');
  if (!newAlgorithm) return;
  const hash = bytesOf(settings, 'new_password_hash');
  if (newAlgorithm._ !== ALGORITHM || hash.length === 0) {
    account.password = undefined;
    return;
  }
  const [salt1, salt2] = [bytesOf(newAlgorithm, 'salt1'), bytesOf(newAlgorithm, 'salt2')];
  account.password = adoptVerifier(salt1, salt2, hash, optionalStringOf(settings, 'hint'));
}

/** The field `password` of a query. @throws RpcError as `checkPassword` */
export function checkPasswordOf(call: Call, query: TlObject): void {
  checkPassword(call, call.account, objectOf(query, 'password'));
}

function renderChallenge({ context }: Call, verifier: PasswordVerifier): Partial<TlObject> {
  const challenge = createChallenge(verifier);
  context.key.data.set(CHALLENGE, challenge);
  return {
    has_password: true,
    current_algo: algorithm(verifier.salt1, verifier.salt2),
    srp_B: challenge.B,
    srp_id: challenge.id,
    ...(verifier.hint !== undefined && { hint: verifier.hint }),
  };
}

function algorithm(salt1: Buffer, salt2: Buffer): TlObject {
  return { _: ALGORITHM, salt1, salt2, g: DH_GENERATOR, p: DH_PRIME };
}
