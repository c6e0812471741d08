import { seeded } from '../seeded.js';

/** What can happen to a fleet. */
export const FAULTS = [
  'kill',
  'end',
  'stop',
  'freeze',
  'postgres',
  'deadConnections',
  'cut',
  'silence',
  'join',
  'move',
  'drain',
] as const;
export type FaultKind = (typeof FAULTS)[number];

/** One fault, with all that chance decides about it. */
export interface Fault {
  readonly kind: FaultKind;
  /** From 1. */
  readonly worker: number;
  /** How long it lasts, for those that last. */
  readonly seconds: number;
  /** From 0 up to 1, for what else there is to choose. */
  readonly choice: number;
}

/** How large a plan is. */
export interface FaultPlan {
  readonly seed: number;
  readonly kinds: readonly FaultKind[];
  readonly workers: number;
  /** The longest fault. */
  readonly seconds: number;
  /** How often one begins while another lasts, from 0 up to 1. */
  readonly together: number;
}

/**
 * Faults without an end, the same for the same plan, in steps of those that happen at once. Each kind comes once before any comes
 * again, and no worker has two at once.
 */
export function* faultSteps({ seed, kinds, workers, seconds, together }: FaultPlan): Generator<readonly Fault[]> {
  const random = seeded(seed);
  const next = (kind: FaultKind): Fault => ({
    kind,
    worker: 1 + Math.floor(random() * workers),
    seconds: 1 + random() * (seconds - 1),
    choice: random(),
  });
  for (;;) {
    const round = kinds.map((kind) => ({ kind, at: random() })).toSorted((a, b) => a.at - b.at);
    const faults = round.map(({ kind }) => next(kind));
    for (let fault = faults.shift(); fault !== undefined; fault = faults.shift()) {
      const step = [fault];
      const [other] = faults;
      if (other !== undefined && other.worker !== fault.worker && random() < together) {
        step.push(other);
        faults.shift();
      }
      yield step;
    }
  }
}
