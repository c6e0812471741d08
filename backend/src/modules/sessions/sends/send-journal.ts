import { TurnJournal } from '../turn-journal.js';
import { parseSend, writeSend } from './send-line.js';
import type { SendState } from './tracked-send.js';

const NAME = 'sends';

/**
 * What is known of a session's sends and not in the database yet. Appended at once, so that an outcome is not lost with the
 * process that saw it; TDLib tells it only once.
 */
export class SendJournal {
  private constructor(private readonly journal: TurnJournal) {}

  /**
   * Opens the journal of a directory.
   * @returns also what a former process has left, the last state of each send; it stays in the files until it is `stored`
   */
  static open(directory: string): { readonly journal: SendJournal; readonly left: readonly SendState[] } {
    const left = new Map<string, SendState>();
    const states = TurnJournal.read(directory, NAME).flatMap((line) => parseSend(line) ?? []);
    // A pending state never comes after the decision, so the order of the files does not matter.
    for (const state of states) {
      if (left.get(state.id)?.decidedAt === undefined) {
        left.set(state.id, state);
      }
    }
    return { journal: new SendJournal(TurnJournal.open(directory, NAME)), left: [...left.values()] };
  }

  append(state: SendState): void {
    this.journal.append(writeSend(state));
  }

  /** See {@link TurnJournal.rotate}. */
  rotate(): void {
    this.journal.rotate();
  }

  /** See {@link TurnJournal.stored}. */
  stored(): void {
    this.journal.stored();
  }

  close(): void {
    this.journal.close();
  }
}
