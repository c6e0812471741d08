/**
 * Tells that nobody waits for an answer any more. What an AbortSignal does, for one listener: an AbortController with its
 * listeners costs a twentieth of a whole call, and nearly every call ends without it.
 */
export class Departure {
  private listener: (() => void) | undefined;
  private hasLeft = false;

  /** Whether the caller is gone. */
  get left(): boolean {
    return this.hasLeft;
  }

  /** Who wants to know; undefined for nobody. Only the last one is told. */
  notify(listener: (() => void) | undefined): void {
    this.listener = listener;
  }

  /** The caller is gone. */
  leave(): void {
    if (!this.hasLeft) {
      this.hasLeft = true;
      this.listener?.();
    }
  }
}
