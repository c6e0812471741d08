import { closeSync, fstatSync, ftruncateSync, openSync, readFileSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { parseSend, writeSend } from './send-line.js';
import type { SendState } from './tracked-send.js';

const FILES = ['sends.0', 'sends.1'] as const;

interface JournalFile {
  readonly descriptor: number;
  size: number;
}

/**
 * What is known of a session's sends and not in the database yet, in the session's directory: it survives the process. Appended
 * at once, so that an outcome is not lost with the process that saw it; TDLib tells it only once.
 *
 * Two files take turns: while what one holds is written to the database, new lines go to the other.
 */
export class SendJournal {
  private active = 0;

  private constructor(private readonly files: readonly [JournalFile, JournalFile]) {}

  /**
   * Opens the journal of a directory.
   * @returns also what a former process has left, the last state of each send; it stays in the files until it is `stored`
   */
  static open(directory: string): { readonly journal: SendJournal; readonly left: readonly SendState[] } {
    const left = new Map<string, SendState>();
    const states = FILES.flatMap((name) => linesOf(join(directory, name)).flatMap((line) => parseSend(line) ?? []));
    // A pending state never comes after the decision, so the order of the files does not matter.
    for (const state of states) {
      if (left.get(state.id)?.decidedAt === undefined) {
        left.set(state.id, state);
      }
    }
    return {
      journal: new SendJournal([openFile(directory, FILES[0]), openFile(directory, FILES[1])]),
      left: [...left.values()],
    };
  }

  append(state: SendState): void {
    const file = this.file(this.active);
    file.size += writeSync(file.descriptor, writeSend(state));
  }

  /** What was appended so far is about to be written to the database. */
  rotate(): void {
    const other = 1 - this.active;
    if (this.file(other).size === 0) {
      this.active = other;
    }
  }

  /** What was appended before the last `rotate` is in the database. */
  stored(): void {
    this.truncate(this.file(1 - this.active));
  }

  close(): void {
    for (const { descriptor } of this.files) {
      closeSync(descriptor);
    }
  }

  private truncate(file: JournalFile): void {
    if (file.size > 0) {
      ftruncateSync(file.descriptor);
      file.size = 0;
    }
  }

  private file(index: number): JournalFile {
    return index === 0 ? this.files[0] : this.files[1];
  }
}

function openFile(directory: string, name: string): JournalFile {
  const descriptor = openSync(join(directory, name), 'a', 0o600);
  return { descriptor, size: fstatSync(descriptor).size };
}

/** Complete lines only: the last one may be torn when the machine died. */
function linesOf(path: string): readonly string[] {
  try {
    return readFileSync(path, 'utf8').split('\n').slice(0, -1);
  } catch {
    return [];
  }
}
