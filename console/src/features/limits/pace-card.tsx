import { Card } from '@/components/ui/card';
import { useNow } from '@/lib/clock';
import { formatCountdown } from '@/lib/time';
import type { Pace } from '@/lib/types';

/** How fast the account writes, and who waits for that now. */
export function PaceCard({ pace, toldAt }: { pace: Pace; toldAt: number }) {
  const left = pace.next_in - Math.max(0, useNow() - toldAt) / 1_000;
  if (pace.per_second === 0) {
    return (
      <Card title="Pace" description="Writes go to Telegram as they come: PACE_PER_SECOND is 0.">
        <p className="text-sm text-ink-2">Nothing waits.</p>
      </Card>
    );
  }
  return (
    <Card
      title="Pace"
      description="Sending, joining, inviting, creating and adding contacts go one after the other, whoever asks."
    >
      <dl className="grid grid-cols-2 gap-x-4 gap-y-3 text-sm sm:grid-cols-4">
        <Value name="At most" value={`${pace.per_second} per second`} />
        <Value name="Waiting now" value={pace.length === 1 ? '1 call' : `${pace.length} calls`} />
        <Value name="The next may go" value={left > 0 ? `in ${formatCountdown(left)}` : 'at once'} />
        <Value name="Refused above" value={`${pace.max_wait} s of waiting`} />
      </dl>
    </Card>
  );
}

function Value({ name, value }: { name: string; value: string }) {
  return (
    <div>
      <dt className="text-xs text-ink-2">{name}</dt>
      <dd className="tabular mt-0.5 font-medium">{value}</dd>
    </div>
  );
}
