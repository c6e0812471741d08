import { median } from './lib/load.js';
import { type Confirmed, confirmedSends, type Sender } from './lib/sends-load.js';

/** How fast messages are sent and confirmed, over all rounds. */
export interface SendsResult extends Confirmed {
  /** Of what the bare route confirms a second with as many bots. */
  readonly share: number;
}

/** One way of sending, with a sender for each bot. */
export interface SendsTarget {
  readonly senders: readonly Sender[];
  /** The processes that serve it. */
  readonly pids: readonly number[];
}

/** For so many bots so many requests at a time. */
const LOADS = [
  { bots: 1, connections: 50 },
  { bots: 10, connections: 100 },
] as const;

/** How many bots each target needs. */
export const SENDING_BOTS = 10;

/** Confirmed sends a second: the call answers once Telegram has decided. Both targets in each round, as they come. */
export async function benchSends(
  targets: Readonly<Record<'bare' | 'product', SendsTarget>>,
  rounds: number,
  seconds: number,
): Promise<Record<string, SendsResult>> {
  const results: Record<string, SendsResult> = {};
  for (const { bots, connections } of LOADS) {
    const seen: Record<'bare' | 'product', Confirmed[]> = { bare: [], product: [] };
    const run = ({ senders, pids }: SendsTarget, time: number): Promise<Confirmed> =>
      confirmedSends(senders.slice(0, bots), pids, connections, time);
    await run(targets.bare, 2);
    await run(targets.product, 2);
    for (let number = 0; number < rounds; number += 1) {
      seen.bare.push(await run(targets.bare, seconds));
      seen.product.push(await run(targets.product, seconds));
    }
    const of = (name: 'bare' | 'product', value: keyof Confirmed): number =>
      median(seen[name].map((each) => each[value]));
    for (const name of ['bare', 'product'] as const) {
      results[`${name}, ${bots} ${bots === 1 ? 'bot' : 'bots'}`] = {
        sendsPerSecond: of(name, 'sendsPerSecond'),
        p50: of(name, 'p50'),
        p99: of(name, 'p99'),
        cpuPerSend: of(name, 'cpuPerSend'),
        share: of(name, 'sendsPerSecond') / of('bare', 'sendsPerSecond'),
      };
    }
  }
  return results;
}
