/** Tickets and cookies carry times that other machines compare with their own; those allow for a minute. */
const MAX_SKEW_MS = 30_000;

/** @throws Error when the clocks differ by more than half a minute; both in Unix milliseconds */
export function requireSameTime(ours: number, theirs: number): void {
  const skew = ours - theirs;
  if (Math.abs(skew) > MAX_SKEW_MS) {
    throw new Error(
      `the clock of this machine is ${Math.round(Math.abs(skew) / 1000)} s ${skew > 0 ? 'ahead of' : 'behind'} that of ` +
        'PostgreSQL: set both (timedatectl set-ntp true)',
    );
  }
}
