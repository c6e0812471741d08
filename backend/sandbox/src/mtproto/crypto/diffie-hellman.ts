import { DH_GENERATOR, DH_PRIME, leftPad, modPow, randomExponent } from '../../dh-group.js';

/** The server's side of the key exchange. One pair serves the whole process: nothing here has to stay secret. */
export class ServerDiffieHellman {
  readonly generator = DH_GENERATOR;
  readonly prime = DH_PRIME;
  private readonly exponent = randomExponent();
  /** g^a, 256 bytes. */
  readonly publicValue = modPow(leftPad(Buffer.of(DH_GENERATOR)), this.exponent);

  /** @returns the 256-byte authorization key g^(ab). @throws Error when g^b is not a valid public value */
  agree(clientValue: Buffer): Buffer {
    return modPow(clientValue, this.exponent);
  }
}
