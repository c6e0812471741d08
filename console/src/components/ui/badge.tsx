import type { LucideIcon } from 'lucide-react';
import { cn } from '@/lib/cn';
import { TONE_CHIP, TONE_TEXT, type Tone } from './tone';

interface BadgeProps {
  tone: Tone;
  icon: LucideIcon;
  /** The word; a state is never told by icon and colour alone. */
  children: string;
  title?: string | undefined;
  /** Without ground, for a second sign beside a badge. */
  bare?: boolean;
  spin?: boolean;
}

/** A state as icon and word. */
export function Badge({ tone, icon: Icon, children, title, bare = false, spin = false }: BadgeProps) {
  return (
    <span
      title={title}
      className={cn(
        'inline-flex items-center gap-1.5 text-xs font-medium whitespace-nowrap',
        bare ? TONE_TEXT[tone] : cn('h-6 rounded-full pr-2.5 pl-2', TONE_CHIP[tone]),
      )}
    >
      <Icon aria-hidden className={cn('size-3.5 shrink-0', spin && 'animate-spin')} strokeWidth={2.25} />
      {children}
    </span>
  );
}
