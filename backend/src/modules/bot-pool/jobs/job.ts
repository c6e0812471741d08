/** Long work on what a pool keeps. */
export type JobKind = 'scrub' | 'gc' | 'purge';

export type JobState = 'waiting' | 'running' | 'done' | 'failed' | 'cancelled';

/** What a job is asked to do. */
export type JobOrder =
  /** @property sample percent of the messages whose bytes are read; of the others it is only seen whether they are there */
  | { readonly kind: 'scrub'; readonly sample: number }
  | { readonly kind: 'gc' }
  /** @property prefix of the keys in the pool's own bucket; undefined for all objects of the pool, in all of its buckets */
  | { readonly kind: 'purge'; readonly prefix?: string };

/** A message that is not what was stored. */
export interface Finding {
  readonly chat_id: number;
  readonly message_id: number;
  readonly problem: 'gone' | 'damaged' | 'unreadable';
  readonly reason: string;
  /** Of the objects that are made of it, the first few. */
  readonly keys: readonly string[];
}

/** How often something has happened, by its name. */
export type JobCounts = Readonly<Record<string, number>>;

/** A job as it is written down. */
export interface JobRow {
  readonly id: string;
  readonly poolId: string;
  readonly order: JobOrder;
  readonly state: JobState;
  /** Where whoever goes on begins: behind this message. */
  readonly cursor: string | undefined;
  readonly done: number;
  readonly total: number | undefined;
  readonly counts: JobCounts;
  readonly findings: readonly Finding[];
  readonly error: string | undefined;
  readonly createdAt: Date;
  readonly startedAt: Date | undefined;
  readonly endedAt: Date | undefined;
}

/** One portion of a job. */
export interface JobStep {
  readonly cursor?: string | undefined;
  readonly done: number;
  readonly counts: JobCounts;
  readonly findings?: readonly Finding[];
  readonly isEnd: boolean;
}

/** Work in portions: each is written down before the next begins, and done anew when its process has died in it. */
export interface JobWork {
  /** How many things there are to be done; undefined where nobody knows. */
  total(job: JobRow): Promise<number | undefined>;
  /** @throws what the signal was aborted with, once the job is somebody else's or nobody's */
  step(job: JobRow, signal: AbortSignal): Promise<JobStep>;
}

/** As many findings as a job keeps. */
export const MAX_FINDINGS = 100;

/** How often each of these names occurs. */
export function countsOf(names: readonly string[]): JobCounts {
  const counts: Record<string, number> = {};
  for (const name of names) counts[name] = (counts[name] ?? 0) + 1;
  return counts;
}
