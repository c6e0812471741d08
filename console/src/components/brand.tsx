import { cn } from '@/lib/cn';

/** The product's mark: a message on its way, held by a control ring. */
export function Mark({ className }: { className?: string }) {
  return (
    <svg viewBox="0 0 32 32" aria-hidden className={cn('size-7 shrink-0', className)}>
      <rect width="32" height="32" rx="8" fill="var(--accent)" />
      <path
        d="M22.9 22.3a9.3 9.3 0 1 1 2-9.2"
        fill="none"
        stroke="var(--on-accent)"
        strokeOpacity="0.5"
        strokeWidth="2"
        strokeLinecap="round"
      />
      <path d="M25.5 9.2 9.8 15.3l5 2 2.1 5.2 8.6-13.3Z" fill="var(--on-accent)" />
    </svg>
  );
}

/** Mark and name. */
export function Brand() {
  return (
    <span className="flex items-center gap-2.5">
      <Mark />
      <span className="text-base font-semibold tracking-[-0.02em]">tgcontrol</span>
    </span>
  );
}
