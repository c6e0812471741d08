import { Progress } from '@/components/ui/progress';
import { RelativeTime } from '@/components/ui/relative-time';
import type { Tone } from '@/components/ui/tone';
import type { LimitRule } from '@/lib/types';
import { ruleName } from './limit-words';

const NEARLY = 0.8;

function toneOf(share: number): Tone {
  if (share >= 1) return 'bad';
  return share >= NEARLY ? 'wait' : 'info';
}

/** How much of a rule is used in its window, as a bar and in numbers, and when the window ends. */
export function RuleUsage({ rule }: { rule: LimitRule }) {
  const { used, window_end } = rule.usage;
  const share = used / rule.max;
  return (
    <div>
      <Progress label={`Used of ${ruleName(rule)}`} value={used} max={rule.max} tone={toneOf(share)} />
      <p className="tabular mt-1 flex flex-wrap justify-between gap-x-4 text-xs text-ink-2">
        <span>
          {used.toLocaleString('en')} of {rule.max.toLocaleString('en')} used{share >= 1 && ', refused until then'}
        </span>
        <span>
          next window <RelativeTime at={window_end} />
        </span>
      </p>
    </div>
  );
}
