/** Something that was asked of the world, by a test or an operator, is impossible. */
export class RefusedError extends Error {
  constructor(
    /** Stable and machine-readable, such as `phone_taken`. */
    readonly code: string,
    message: string,
  ) {
    super(message);
    this.name = 'RefusedError';
  }
}
