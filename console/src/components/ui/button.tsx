import { cva, type VariantProps } from 'class-variance-authority';
import { LoaderCircle } from 'lucide-react';
import { Slot } from 'radix-ui';
import type { ComponentProps } from 'react';
import { cn } from '@/lib/cn';

const button = cva(
  'inline-flex shrink-0 items-center justify-center gap-2 rounded-md font-medium whitespace-nowrap transition-colors select-none disabled:cursor-not-allowed disabled:opacity-55 aria-disabled:cursor-not-allowed aria-disabled:opacity-55 [&_svg]:size-4 [&_svg]:shrink-0',
  {
    variants: {
      tone: {
        primary: 'bg-accent text-on-accent hover:bg-accent-strong',
        plain: 'border border-line bg-surface text-ink shadow-lift hover:border-line-strong hover:bg-sunken',
        quiet: 'text-ink-2 hover:bg-sunken hover:text-ink',
        danger: 'bg-danger text-white hover:bg-danger-strong dark:text-canvas',
        'danger-quiet': 'border border-line bg-surface text-bad hover:border-bad hover:bg-bad-soft',
      },
      size: {
        md: 'h-9 px-3.5 text-sm',
        sm: 'h-8 px-2.5 text-xs',
        icon: 'size-9',
        'icon-sm': 'size-7 [&_svg]:size-3.5',
      },
    },
    defaultVariants: { tone: 'plain', size: 'md' },
  },
);

interface ButtonProps extends ComponentProps<'button'>, VariantProps<typeof button> {
  /** Renders the only child (a link, say) with the look of a button. */
  asChild?: boolean;
  /** Shows that the act is under way and keeps a second click from starting it again. */
  pending?: boolean;
}

/** A button; of type `button` unless it says `submit`, so that it never sends a form by accident. */
export function Button({
  tone,
  size,
  asChild = false,
  pending = false,
  className,
  children,
  disabled,
  type,
  ...rest
}: ButtonProps) {
  const classes = cn(button({ tone, size }), className);
  if (asChild) {
    return (
      <Slot.Root className={classes} {...rest}>
        {children}
      </Slot.Root>
    );
  }
  return (
    <button
      type={type ?? 'button'}
      className={classes}
      disabled={disabled === true || pending}
      aria-busy={pending || undefined}
      {...rest}
    >
      {pending && <LoaderCircle aria-hidden className="animate-spin" />}
      {children}
    </button>
  );
}
