import { closeSync, fstatSync, ftruncateSync, openSync, readFileSync, writeSync } from 'node:fs';
import { join } from 'node:path';

interface JournalFile {
  readonly descriptor: number;
  size: number;
}

const namesOf = (name: string): readonly [string, string] => [`${name}.0`, `${name}.1`];

/**
 * Lines in a session's directory that are not in the database yet: they survive the process. Each append is one write.
 *
 * Two files take turns: while what one holds is written to the database, new lines go to the other.
 */
export class TurnJournal {
  private active = 0;

  private constructor(private readonly files: readonly [JournalFile, JournalFile]) {}

  /** @param name of the files, which get `.0` and `.1` added; what they hold stays until it is `stored` */
  static open(directory: string, name: string): TurnJournal {
    const [first, second] = namesOf(name);
    return new TurnJournal([openFile(directory, first), openFile(directory, second)]);
  }

  /** The complete lines that the files hold: the last one may be torn when the machine died. */
  static read(directory: string, name: string): readonly string[] {
    return namesOf(name).flatMap((file) => linesOf(join(directory, file)));
  }

  /** @param text whole lines, each with its end. @throws Error when the disk does not take all of it; nothing of it stays then */
  append(text: string): void {
    const file = this.file(this.active);
    const written = writeSync(file.descriptor, text);
    if (written < Buffer.byteLength(text)) {
      // The next line would go on with half of this one.
      ftruncateSync(file.descriptor, file.size);
      throw new Error('the disk took only a part of it');
    }
    file.size += written;
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
    const file = this.file(1 - this.active);
    if (file.size > 0) {
      ftruncateSync(file.descriptor);
      file.size = 0;
    }
  }

  close(): void {
    for (const { descriptor } of this.files) {
      closeSync(descriptor);
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

function linesOf(path: string): readonly string[] {
  try {
    return readFileSync(path, 'utf8').split('\n').slice(0, -1);
  } catch {
    return [];
  }
}
