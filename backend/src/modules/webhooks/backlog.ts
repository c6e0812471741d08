/** How much of all sessions of a process may wait in memory to be stored, in characters. */
const MAX_WAITING = 256 * 1024 * 1024;
/** How much of one session may. */
const MAX_OF_ONE = 64 * 1024 * 1024;
/** So much of a session waits however much the others have: their flood costs it nothing. */
const ALWAYS_OF_ONE = 1024 * 1024;

/** What the sessions of a process have waiting, together. */
export class Backlog {
  private total = 0;

  /**
   * Whether a session may have more waiting.
   * @param own what it has already, in characters
   */
  hasRoom(own: number, more: number): boolean {
    if (own + more > MAX_OF_ONE) return false;
    return own + more <= ALWAYS_OF_ONE || this.total + more <= MAX_WAITING;
  }

  add(characters: number): void {
    this.total += characters;
  }

  remove(characters: number): void {
    this.total -= characters;
  }
}
