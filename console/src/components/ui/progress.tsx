import { cn } from '@/lib/cn';
import { TONE_FILL, type Tone } from './tone';

interface ProgressProps {
  /** What goes on: "report.pdf". */
  label: string;
  value: number;
  max: number;
  tone?: Tone;
}

/** How far something is. */
export function Progress({ label, value, max, tone = 'info' }: ProgressProps) {
  const percent = max === 0 ? 0 : Math.min(100, (value / max) * 100);
  return (
    <div
      role="progressbar"
      aria-label={label}
      aria-valuemin={0}
      aria-valuemax={100}
      aria-valuenow={Math.floor(percent)}
      className="h-1.5 overflow-hidden rounded-full bg-sunken"
    >
      <div className={cn('h-full rounded-full transition-[width]', TONE_FILL[tone])} style={{ width: `${percent}%` }} />
    </div>
  );
}
