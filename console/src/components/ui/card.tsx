import type { ReactNode } from 'react';
import { cn } from '@/lib/cn';

interface CardProps {
  title?: string;
  description?: ReactNode;
  /** At the right of the title. */
  aside?: ReactNode;
  children: ReactNode;
  /** Rows that bring their own padding. */
  flush?: boolean;
  className?: string;
}

/** A titled panel; a region of the page when it has a title. */
export function Card({ title, description, aside, children, flush = false, className }: CardProps) {
  return (
    <section
      {...(title === undefined ? {} : { 'aria-label': title })}
      className={cn('overflow-hidden rounded-xl border border-line bg-surface shadow-lift', className)}
    >
      {title !== undefined && (
        <header className="flex flex-wrap items-start justify-between gap-x-4 gap-y-2 px-4 pt-3.5 pb-3 sm:px-5">
          <div className="min-w-0 flex-1 basis-56">
            <h2 className="text-base font-semibold tracking-tight">{title}</h2>
            {description !== undefined && <div className="mt-0.5 text-sm text-ink-2">{description}</div>}
          </div>
          {aside}
        </header>
      )}
      <div className={cn(!flush && 'px-4 pb-4 sm:px-5 sm:pb-5', !flush && title === undefined && 'pt-4 sm:pt-5')}>
        {children}
      </div>
    </section>
  );
}
