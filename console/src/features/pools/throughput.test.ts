import { aPoolBot, aPoolStatus } from '@/test/samples';
import { flowsOf, SHOWN_STRETCHES, sampleOf, withSample } from './throughput';

const counters = { ok: 0, rate: 0, transient: 0, fault: 0, bytes: 0 };
const running = { object_id: 'o', part_id: 'p', bytes: 1_000, sent: 400, since: '2026-11-30T10:00:00.000Z' };

it('counts what has left of the part that is being sent, and it once when the part is there', () => {
  const before = sampleOf(aPoolStatus({ bots: [aPoolBot({ counters: { ...counters, bytes: 500 }, running })] }), 0);
  const after = sampleOf(aPoolStatus({ bots: [aPoolBot({ counters: { ...counters, bytes: 1_500 } })] }), 2_000);
  expect(flowsOf([before, after])).toEqual([{ at: 2_000, bytes: 600, bytesPerSecond: 300, refusals: 0 }]);
});

it('shows no negative flow and no leap when a send fails, numbers begin anew, or a bot joins', () => {
  const bot = (id: string, bytes: number, rate = 0) =>
    aPoolBot({ session_id: id, counters: { ...counters, bytes, rate } });
  const flows = flowsOf([
    sampleOf(aPoolStatus({ bots: [bot('a', 900, 3)] }), 0),
    sampleOf(aPoolStatus({ bots: [bot('a', 0, 0), bot('b', 5_000, 1)] }), 1_000),
    sampleOf(aPoolStatus({ bots: [bot('a', 100, 0), bot('b', 5_000, 2)] }), 2_000),
  ]);
  expect(flows.map(({ bytes, refusals }) => [bytes, refusals])).toEqual([
    [0, 0],
    [100, 1],
  ]);
});

it('keeps as many samples as it shows, whatever the page has been open for', () => {
  let samples: ReturnType<typeof withSample> = [];
  for (let at = 0; at < 500; at += 1) samples = withSample(samples, { at, bytes: {}, refusals: 0 });
  expect(flowsOf(samples)).toHaveLength(SHOWN_STRETCHES);
  expect(samples.at(-1)?.at).toBe(499);
});
