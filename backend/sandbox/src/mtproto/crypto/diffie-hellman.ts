import { createDiffieHellman, type DiffieHellman } from 'node:crypto';
import { DH_GENERATOR, DH_PRIME, leftPad } from '../../dh-group.js';

/** The server's side of the key exchange. One pair serves the whole process: nothing here has to stay secret. */
export class ServerDiffieHellman {
  readonly generator = DH_GENERATOR;
  readonly prime = DH_PRIME;
  private readonly pair: DiffieHellman;
  /** g^a, 256 bytes. */
  readonly publicValue: Buffer;

  constructor() {
    this.pair = createDiffieHellman(DH_PRIME, DH_GENERATOR);
    this.publicValue = leftPad(this.pair.generateKeys());
  }

  /** @returns the 256-byte authorization key g^(ab). @throws Error when g^b is not a valid public value */
  agree(clientValue: Uint8Array): Buffer {
    return leftPad(this.pair.computeSecret(clientValue));
  }
}
