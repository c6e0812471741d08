/**
 * AES-256 decryption of single blocks with lookup tables (FIPS 197, section 5.3.5).
 *
 * IGE needs the result of one block before it can form the next one's input, so node's native ciphers, which are fast only
 * over many blocks in one call, cannot be used for decryption.
 */

const SBOX = new Uint8Array(256);
const INVERSE_SBOX = new Uint8Array(256);
/** InvSubBytes and InvMixColumns of one byte, for each of the four positions in a column. */
const T0 = new Uint32Array(256);
const T1 = new Uint32Array(256);
const T2 = new Uint32Array(256);
const T3 = new Uint32Array(256);

const ROUNDS = 14;
const KEY_WORDS = 8;

fillTables();

/** Round keys of the equivalent inverse cipher: 4 words for each of 15 rounds. @param key 32 bytes */
export function expandDecryptionKey(key: Uint8Array): Uint32Array {
  const encryption = expandKey(key);
  const decryption = new Uint32Array(4 * (ROUNDS + 1));
  for (let round = 0; round <= ROUNDS; round++) {
    for (let column = 0; column < 4; column++) {
      const word = at(encryption, 4 * (ROUNDS - round) + column);
      decryption[4 * round + column] = round === 0 || round === ROUNDS ? word : inverseMixColumn(word);
    }
  }
  return decryption;
}

/** Decrypts the four big-endian words of `block` in place. */
export function decryptBlock(keys: Uint32Array, block: Uint32Array): void {
  // Index accesses are in range by construction; `| 0` also tells the compiler that they are numbers.
  let a = (block[0] as number) ^ (keys[0] as number);
  let b = (block[1] as number) ^ (keys[1] as number);
  let c = (block[2] as number) ^ (keys[2] as number);
  let d = (block[3] as number) ^ (keys[3] as number);
  let k = 4;
  for (let round = 1; round < ROUNDS; round++) {
    const e =
      (T0[a >>> 24] as number) ^
      (T1[(d >>> 16) & 255] as number) ^
      (T2[(c >>> 8) & 255] as number) ^
      (T3[b & 255] as number) ^
      (keys[k] as number);
    const f =
      (T0[b >>> 24] as number) ^
      (T1[(a >>> 16) & 255] as number) ^
      (T2[(d >>> 8) & 255] as number) ^
      (T3[c & 255] as number) ^
      (keys[k + 1] as number);
    const g =
      (T0[c >>> 24] as number) ^
      (T1[(b >>> 16) & 255] as number) ^
      (T2[(a >>> 8) & 255] as number) ^
      (T3[d & 255] as number) ^
      (keys[k + 2] as number);
    const h =
      (T0[d >>> 24] as number) ^
      (T1[(c >>> 16) & 255] as number) ^
      (T2[(b >>> 8) & 255] as number) ^
      (T3[a & 255] as number) ^
      (keys[k + 3] as number);
    a = e;
    b = f;
    c = g;
    d = h;
    k += 4;
  }
  block[0] = lastRound(a, d, c, b) ^ (keys[k] as number);
  block[1] = lastRound(b, a, d, c) ^ (keys[k + 1] as number);
  block[2] = lastRound(c, b, a, d) ^ (keys[k + 2] as number);
  block[3] = lastRound(d, c, b, a) ^ (keys[k + 3] as number);
}

function lastRound(w: number, x: number, y: number, z: number): number {
  return (
    ((INVERSE_SBOX[w >>> 24] as number) << 24) ^
    ((INVERSE_SBOX[(x >>> 16) & 255] as number) << 16) ^
    ((INVERSE_SBOX[(y >>> 8) & 255] as number) << 8) ^
    (INVERSE_SBOX[z & 255] as number)
  );
}

function expandKey(key: Uint8Array): Uint32Array {
  const words = new Uint32Array(4 * (ROUNDS + 1));
  const view = new DataView(key.buffer, key.byteOffset, key.byteLength);
  for (let i = 0; i < KEY_WORDS; i++) words[i] = view.getUint32(i * 4);
  let rcon = 1;
  for (let i = KEY_WORDS; i < words.length; i++) {
    let word = at(words, i - 1);
    if (i % KEY_WORDS === 0) {
      word = substitute(((word << 8) | (word >>> 24)) >>> 0) ^ (rcon << 24);
      rcon = double(rcon);
    } else if (i % KEY_WORDS === 4) {
      word = substitute(word);
    }
    words[i] = at(words, i - KEY_WORDS) ^ word;
  }
  return words;
}

function substitute(word: number): number {
  return (
    ((at(SBOX, word >>> 24) << 24) |
      (at(SBOX, (word >>> 16) & 255) << 16) |
      (at(SBOX, (word >>> 8) & 255) << 8) |
      at(SBOX, word & 255)) >>>
    0
  );
}

function inverseMixColumn(word: number): number {
  return (
    at(T0, at(SBOX, word >>> 24)) ^
    at(T1, at(SBOX, (word >>> 16) & 255)) ^
    at(T2, at(SBOX, (word >>> 8) & 255)) ^
    at(T3, at(SBOX, word & 255))
  );
}

function fillTables(): void {
  fillSboxes();
  for (let i = 0; i < 256; i++) {
    const s = at(INVERSE_SBOX, i);
    const s2 = double(s);
    const s4 = double(s2);
    const s8 = double(s4);
    const word = (((s8 ^ s4 ^ s2) << 24) | ((s8 ^ s) << 16) | ((s8 ^ s4 ^ s) << 8) | (s8 ^ s2 ^ s)) >>> 0;
    T0[i] = word;
    T1[i] = (word >>> 8) | (word << 24);
    T2[i] = (word >>> 16) | (word << 16);
    T3[i] = (word >>> 24) | (word << 8);
  }
}

/** Walks all non-zero elements of GF(2^8) as powers of the generator 3, with their inverses. */
function fillSboxes(): void {
  let p = 1;
  let q = 1;
  do {
    p = p ^ double(p);
    q ^= q << 1;
    q ^= q << 2;
    q ^= q << 4;
    q &= 255;
    if (q & 0x80) q ^= 0x09;
    const rotated = q ^ rotate(q, 1) ^ rotate(q, 2) ^ rotate(q, 3) ^ rotate(q, 4);
    SBOX[p] = rotated ^ 0x63;
  } while (p !== 1);
  SBOX[0] = 0x63;
  for (let i = 0; i < 256; i++) INVERSE_SBOX[at(SBOX, i)] = i;
}

function rotate(byte: number, bits: number): number {
  return ((byte << bits) | (byte >>> (8 - bits))) & 255;
}

/** Multiplication by x in GF(2^8). */
function double(byte: number): number {
  return ((byte << 1) ^ (byte & 0x80 ? 0x11b : 0)) & 255;
}

function at(array: Uint8Array | Uint32Array, index: number): number {
  return array[index] ?? 0;
}
