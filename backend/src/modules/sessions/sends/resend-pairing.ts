/** What tells messages of one chat apart. */
interface Printed {
  readonly fingerprint: number;
}

/** Beyond this the comparison of all with all would take too long and too much memory; the ends of the lists still pair. */
const MAX_COMPARISONS = 1_000_000;

/**
 * Finds out which sends the messages are that TDLib, started anew, sends again under new temporary ids. Both lists belong to
 * one chat and are in the order in which the messages were sent, which TDLib keeps. As many as possible are paired in order.
 * Messages that are gone went before those that are left, so among equal ones the newest are meant.
 * @returns for each resent message its send, or undefined when it is none of them
 */
export function pairResends<Send extends Printed>(
  sends: readonly Send[],
  resent: readonly Printed[],
): readonly (Send | undefined)[] {
  const pairs: (Send | undefined)[] = resent.map(() => undefined);
  let rows = sends.length;
  let columns = resent.length;
  while (rows > 0 && columns > 0 && isSame(sends[rows - 1], resent[columns - 1])) {
    rows -= 1;
    columns -= 1;
    pairs[columns] = sends[rows];
  }
  if (rows * columns > MAX_COMPARISONS) {
    return pairs;
  }
  // The longest common subsequence: lengths[row][column] is that of the first so many of each.
  const width = columns + 1;
  const lengths = new Int32Array((rows + 1) * width);
  const length = (row: number, column: number): number => lengths[row * width + column] ?? 0;
  for (let row = 1; row <= rows; row += 1) {
    for (let column = 1; column <= columns; column += 1) {
      lengths[row * width + column] = isSame(sends[row - 1], resent[column - 1])
        ? length(row - 1, column - 1) + 1
        : Math.max(length(row - 1, column), length(row, column - 1));
    }
  }
  while (rows > 0 && columns > 0) {
    if (isSame(sends[rows - 1], resent[columns - 1])) {
      rows -= 1;
      columns -= 1;
      pairs[columns] = sends[rows];
    } else if (length(rows - 1, columns) >= length(rows, columns - 1)) {
      rows -= 1;
    } else {
      columns -= 1;
    }
  }
  return pairs;
}

function isSame(send: Printed | undefined, message: Printed | undefined): boolean {
  return send?.fingerprint === message?.fingerprint;
}
