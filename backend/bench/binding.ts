import { startHelper } from './lib/processes.js';
import { median } from './lib/load.js';

/** One way of talking to TDLib. */
export interface BindingResult {
  readonly callsPerSecond: number;
  readonly cpuMicrosecondsPerCall: number;
}

/** What of tdl to use: its client, or the addon below it. Alternating rounds; medians. */
export async function benchBinding(rounds: number): Promise<Record<string, BindingResult>> {
  const results: Record<string, BindingResult> = {};
  for (const result of ['small', 'large'] as const) {
    const seen: Record<'client' | 'addon', BindingResult[]> = { client: [], addon: [] };
    for (let number = 0; number < rounds; number += 1) {
      for (const way of ['client', 'addon'] as const) {
        const helper = await startHelper<BindingResult>('binding-process', { way, result });
        seen[way].push(helper.ready);
        await helper.stop();
      }
    }
    for (const [way, each] of Object.entries(seen)) {
      results[`${way}, ${result} answers`] = {
        callsPerSecond: median(each.map(({ callsPerSecond }) => callsPerSecond)),
        cpuMicrosecondsPerCall: median(each.map(({ cpuMicrosecondsPerCall }) => cpuMicrosecondsPerCall)),
      };
    }
  }
  return results;
}
