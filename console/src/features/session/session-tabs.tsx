import { FolderOpen, Gauge, LayoutList, Radio, Webhook, type LucideIcon } from 'lucide-react';
import Link from 'next/link';
import { cn } from '@/lib/cn';
import { sessionHref, type SessionTab } from '@/lib/overlays';
import { useUrlState } from '@/lib/url-state';

const TABS: readonly { readonly tab: SessionTab; readonly name: string; readonly icon: LucideIcon }[] = [
  { tab: 'summary', name: 'Summary', icon: LayoutList },
  { tab: 'events', name: 'Events', icon: Radio },
  { tab: 'webhooks', name: 'Webhooks', icon: Webhook },
  { tab: 'files', name: 'Files', icon: FolderOpen },
  { tab: 'limits', name: 'Limits', icon: Gauge },
];

/** Which part of a session's page the address asks for. */
export function useSessionTab(): SessionTab {
  const asked = useUrlState().get('tab');
  return TABS.find(({ tab }) => tab === asked)?.tab ?? 'summary';
}

/** The parts of a session's page, as links, so that each can be bookmarked. */
export function SessionTabs({ session, current }: { session: { readonly id: string }; current: SessionTab }) {
  return (
    <nav aria-label="Parts of the session" className="-mb-px flex gap-1 overflow-x-auto border-b border-line">
      {TABS.map(({ tab, name, icon: Icon }) => (
        <Link
          key={tab}
          href={sessionHref(session, tab)}
          aria-current={tab === current ? 'page' : undefined}
          className={cn(
            'flex h-10 shrink-0 items-center gap-2 border-b-2 px-3 text-sm font-medium focus-visible:outline-offset-[-2px]',
            tab === current
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
