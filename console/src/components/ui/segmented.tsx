import { ToggleGroup } from 'radix-ui';
import { cn } from '@/lib/cn';

interface SegmentedProps<T extends string> {
  label: string;
  value: T;
  options: readonly { value: T; label: string; count?: number }[];
  onChange: (value: T) => void;
  className?: string;
}

/** One choice of a few, all in sight. */
export function Segmented<T extends string>({ label, value, options, onChange, className }: SegmentedProps<T>) {
  return (
    <ToggleGroup.Root
      type="single"
      aria-label={label}
      value={value}
      onValueChange={(next) => {
        const chosen = options.find((option) => option.value === next);
        if (chosen) onChange(chosen.value); // pressing the chosen one again answers '' and changes nothing
      }}
      className={cn('inline-flex max-w-full overflow-x-auto rounded-lg border border-line bg-sunken p-0.5', className)}
    >
      {options.map((option) => (
        <ToggleGroup.Item
          key={option.value}
          value={option.value}
          className="inline-flex h-8 items-center gap-1.5 rounded-md px-2.5 text-xs font-medium whitespace-nowrap text-ink-2 hover:text-ink focus-visible:outline-offset-[-2px] data-[state=on]:bg-surface data-[state=on]:text-ink data-[state=on]:shadow-lift"
        >
          {option.label}
          {option.count !== undefined && <span className="tabular text-ink-3">{option.count}</span>}
        </ToggleGroup.Item>
      ))}
    </ToggleGroup.Root>
  );
}
