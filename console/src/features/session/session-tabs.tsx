import { FolderOpen, Gauge, LayoutList, Radio, Webhook, type LucideIcon } from 'lucide-react';
import { LinkTabs } from '@/components/ui/link-tabs';
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

/** The parts of a session's page. */
export function SessionTabs({ session, current }: { session: { readonly id: string }; current: SessionTab }) {
  return (
    <LinkTabs
      label="Parts of the session"
      tabs={TABS.map(({ tab, name, icon }) => ({
        href: sessionHref(session, tab),
        name,
        icon,
        isCurrent: tab === current,
      }))}
    />
  );
}
