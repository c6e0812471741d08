import type { PoolStatus } from '@/lib/types';

/** How many stretches the chart shows. */
export const SHOWN_STRETCHES = 60;

/** What the bots of a pool had sent at a moment. */
export interface Sample {
  /** In milliseconds. */
  readonly at: number;
  /** By bot: bytes that have left for Telegram, those of the part that is being sent included. */
  readonly bytes: Readonly<Record<string, number>>;
  /** Of all bots: how often Telegram has refused. */
  readonly refusals: number;
}

/** What went through between two samples. */
export interface Flow {
  readonly at: number;
  readonly bytesPerSecond: number;
  readonly bytes: number;
  readonly refusals: number;
}

/** @param at when the status was told, in milliseconds */
export function sampleOf({ bots }: PoolStatus, at: number): Sample {
  return {
    at,
    bytes: Object.fromEntries(
      bots.map(({ session_id: id, counters, running }) => [id, counters.bytes + (running?.sent ?? 0)]),
    ),
    refusals: bots.reduce((sum, { counters }) => sum + counters.rate, 0),
  };
}

/** The samples with one more, as many as the chart needs. */
export function withSample(samples: readonly Sample[], sample: Sample): readonly Sample[] {
  return [...samples, sample].slice(-SHOWN_STRETCHES - 1);
}

/**
 * What went through from sample to sample. A bot that was not there before, or whose numbers begin anew because another worker runs
 * the pool, counts from its next sample on; a send that failed takes back nothing.
 */
export function flowsOf(samples: readonly Sample[]): readonly Flow[] {
  return samples.slice(1).flatMap((sample, index) => {
    const before = samples[index];
    if (before === undefined) return [];
    const bytes = Object.entries(sample.bytes).reduce(
      (sum, [id, sent]) => sum + Math.max(0, sent - (before.bytes[id] ?? sent)),
      0,
    );
    const seconds = Math.max(0.001, (sample.at - before.at) / 1_000);
    return [
      {
        at: sample.at,
        bytes,
        bytesPerSecond: bytes / seconds,
        refusals: Math.max(0, sample.refusals - before.refusals),
      },
    ];
  });
}
