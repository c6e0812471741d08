import type { LucideIcon } from 'lucide-react';
import Link from 'next/link';
import { cn } from '@/lib/cn';

interface LinkTab {
  readonly href: string;
  readonly name: string;
  readonly icon: LucideIcon;
  readonly isCurrent: boolean;
}

/** The parts of a page, as links, so that each can be bookmarked. @param label what they are parts of */
export function LinkTabs({ label, tabs }: { label: string; tabs: readonly LinkTab[] }) {
  return (
    <nav aria-label={label} className="-mb-px flex gap-1 overflow-x-auto border-b border-line">
      {tabs.map(({ href, name, icon: Icon, isCurrent }) => (
        <Link
          key={href}
          href={href}
          aria-current={isCurrent ? 'page' : undefined}
          className={cn(
            'flex h-10 shrink-0 items-center gap-2 border-b-2 px-3 text-sm font-medium focus-visible:outline-offset-[-2px]',
            isCurrent
              ? 'border-accent text-ink'
              : 'border-transparent text-ink-2 hover:border-line-strong hover:text-ink',
          )}
        >
          <Icon aria-hidden className="hidden size-4 sm:block" />
          {name}
        </Link>
      ))}
    </nav>
  );
}
