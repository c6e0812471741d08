import { Card } from '@/components/ui/card';
import { formatBytes } from '@/lib/bytes';
import { cn } from '@/lib/cn';
import { SHOWN_STRETCHES, type Flow } from './throughput';

const clock = new Intl.DateTimeFormat(undefined, { timeStyle: 'medium' });

/** How much goes to Telegram, from look to look. What the bars show is said above them as well. */
export function ThroughputCard({ flows }: { flows: readonly Flow[] }) {
  const most = Math.max(1, ...flows.map(({ bytesPerSecond }) => bytesPerSecond));
  const total = flows.reduce((sum, { bytes }) => sum + bytes, 0);
  const refusals = flows.reduce((sum, flow) => sum + flow.refusals, 0);
  const now = flows.at(-1)?.bytesPerSecond ?? 0;
  const bars = [...Array.from({ length: SHOWN_STRETCHES - flows.length }, () => undefined), ...flows];
  return (
    <Card title="Throughput" description="What left for Telegram while this page is open, the last two minutes of it.">
      <figure aria-label="Throughput">
        <p className="text-sm text-ink-2">
          <strong className="tabular text-lg font-semibold text-ink">{formatBytes(now)}/s</strong>{' '}
          <span className="tabular">
            now, at most {formatBytes(total === 0 ? 0 : most)}/s; {formatBytes(total)} in all;{' '}
            {refusals === 0 ? 'nothing refused' : `${refusals} refused`}.
          </span>
        </p>
        <div aria-hidden className="mt-3 flex h-24 items-end gap-px border-b border-line-strong">
          {bars.map((flow, index) => (
            <div
              key={flow?.at ?? `none-${index}`}
              title={flow && `${clock.format(flow.at)}: ${formatBytes(flow.bytesPerSecond)}/s`}
              className="flex h-full min-w-0 flex-1 flex-col justify-end hover:bg-sunken"
            >
              {flow && flow.bytes > 0 && (
                <div
                  className={cn('min-h-0.5 rounded-t-sm', flow.refusals > 0 ? 'bg-wait-fill' : 'bg-info-fill')}
                  style={{ height: `${(flow.bytesPerSecond / most) * 100}%` }}
                />
              )}
            </div>
          ))}
        </div>
        <ul aria-label="Colours" className="mt-2 flex flex-wrap gap-x-4 gap-y-1 text-xs text-ink-2">
          <Colour fill="bg-info-fill">sent</Colour>
          <Colour fill="bg-wait-fill">sent while Telegram refused a bot</Colour>
        </ul>
      </figure>
    </Card>
  );
}

function Colour({ fill, children }: { fill: string; children: string }) {
  return (
    <li className="flex items-center gap-1.5">
      <span aria-hidden className={cn('size-2.5 rounded-xs', fill)} />
      {children}
    </li>
  );
}
