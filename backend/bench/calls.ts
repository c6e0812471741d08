import { median, round, type Round, type Target } from './lib/load.js';

/** How a way of serving calls compares with the bare route, over all rounds. */
export interface CallResult extends Round {
  /** Of the bare route's calls a second. */
  readonly share: number;
  /** Milliseconds at 200 calls a second, the bare route's taken off. */
  readonly addedP99AtRate: number;
}

const CONNECTIONS = 50;
const STEADY_RATE = 200;

/** Full speed, then a steady rate; every target in each round, so that a busy machine is busy for all of them. */
export async function benchCalls(
  targets: Readonly<Record<string, Target>>,
  rounds: number,
  seconds: number,
): Promise<Record<string, CallResult>> {
  const full = new Map<string, Round[]>();
  const steady = new Map<string, Round[]>();
  for (const target of Object.values(targets)) {
    await round(target, 2, CONNECTIONS);
  }
  for (let number = 0; number < rounds; number += 1) {
    for (const [name, target] of Object.entries(targets)) {
      full.set(name, [...(full.get(name) ?? []), await round(target, seconds, CONNECTIONS)]);
    }
    for (const [name, target] of Object.entries(targets)) {
      steady.set(name, [...(steady.get(name) ?? []), await round(target, seconds, 10, STEADY_RATE)]);
    }
  }
  const of = (from: Map<string, Round[]>, name: string, value: keyof Round): number =>
    median((from.get(name) ?? []).map((each) => each[value]));
  return Object.fromEntries(
    Object.keys(targets).map((name) => [
      name,
      {
        callsPerSecond: of(full, name, 'callsPerSecond'),
        p50: of(full, name, 'p50'),
        p99: of(full, name, 'p99'),
        cpuPerCall: of(full, name, 'cpuPerCall'),
        share: of(full, name, 'callsPerSecond') / of(full, 'bare', 'callsPerSecond'),
        addedP99AtRate: of(steady, name, 'p99') - of(steady, 'bare', 'p99'),
      },
    ]),
  );
}
