/** More than is written between two sweeps; what is left waits for the next one. */
const MAX_ROUNDS = 1_000;

/**
 * Removes what is old, portion by portion, so that no statement takes long or locks others out.
 * @param sweep how many one statement has removed; undefined when another process is at it
 * @param portion how many it removes at most: less says that nothing is left
 */
export async function sweepAll(sweep: () => Promise<number | undefined>, portion: number): Promise<void> {
  for (let round = 0; round < MAX_ROUNDS; round += 1) {
    if ((await sweep()) !== portion) return;
  }
}
