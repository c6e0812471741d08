import {
  Bot,
  CircleQuestionMark,
  KeyRound,
  LogOut,
  MonitorCog,
  Moon,
  Plus,
  Search,
  Sun,
  UserRound,
  type LucideIcon,
} from 'lucide-react';
import { useRouter } from 'next/navigation';
import { Dialog as Radix } from 'radix-ui';
import { useId, useState, type KeyboardEvent } from 'react';
import { sessionName, telegramName } from '@/components/session/name';
import { STATUS } from '@/components/session/status';
import { useFocusReturn } from '@/components/ui/focus-return';
import { cn } from '@/lib/cn';
import { useSignOut } from '@/lib/console-session';
import { sessionHref, useOverlays } from '@/lib/overlays';
import { useSessions } from '@/lib/queries';
import { useTheme } from '@/lib/theme';
import { DESTINATIONS } from './navigation';

interface Entry {
  readonly id: string;
  readonly group: 'Sessions' | 'Actions' | 'Pages';
  readonly name: string;
  readonly detail?: string | undefined;
  readonly icon: LucideIcon;
  readonly run: () => void;
}

const SHOWN = 40;
/** Before anything is typed a few sessions are enough; the actions should be in sight. */
const SHOWN_SESSIONS = 5;

/** True when the letters of `query` come in `text` in that order; an empty query fits everything. */
export function matches(text: string, query: string): boolean {
  const haystack = text.toLowerCase();
  return query
    .toLowerCase()
    .split(/\s+/)
    .every((word) => haystack.includes(word));
}

/** Finds sessions, pages and actions by a few letters. */
export function Palette({ onClose, onHelp }: { onClose: () => void; onHelp: () => void }) {
  const [query, setQuery] = useState('');
  const [active, setActive] = useState(0);
  const listId = useId();
  const returnFocus = useFocusReturn();
  const entries = useEntries(onHelp)
    .filter((entry, index) => query !== '' || entry.group !== 'Sessions' || index < SHOWN_SESSIONS)
    .filter((entry) => matches(`${entry.name} ${entry.detail ?? ''} ${entry.group}`, query.trim()))
    .slice(0, SHOWN);
  const current = entries[Math.min(active, entries.length - 1)];

  const choose = (entry: Entry): void => {
    onClose();
    entry.run();
  };
  const onKeyDown = (event: KeyboardEvent): void => {
    if (event.key === 'ArrowDown' || event.key === 'ArrowUp') {
      event.preventDefault();
      const step = event.key === 'ArrowDown' ? 1 : -1;
      const next = (active + step + entries.length) % Math.max(1, entries.length);
      setActive(next);
      const entry = entries[next];
      if (entry) document.getElementById(`${listId}-${entry.id}`)?.scrollIntoView({ block: 'nearest' });
    } else if (event.key === 'Enter' && current) {
      event.preventDefault();
      choose(current);
    }
  };

  return (
    <Radix.Root open onOpenChange={(open) => !open && onClose()}>
      <Radix.Portal>
        <Radix.Overlay className="fixed inset-0 z-40 animate-fade bg-shade" />
        <Radix.Content
          aria-describedby={undefined}
          onCloseAutoFocus={returnFocus}
          className="fixed inset-x-3 top-[9dvh] z-50 mx-auto flex max-h-[72dvh] max-w-xl animate-rise flex-col overflow-hidden rounded-xl bg-surface shadow-float"
        >
          <Radix.Title className="sr-only">Find or do</Radix.Title>
          <div className="flex items-center gap-3 border-b border-line px-4">
            <Search aria-hidden className="size-4 text-ink-3" />
            <input
              role="combobox"
              aria-label="Find a session, a page or an action"
              aria-expanded
              aria-controls={listId}
              aria-autocomplete="list"
              {...(current ? { 'aria-activedescendant': `${listId}-${current.id}` } : {})}
              value={query}
              onChange={(event) => {
                setQuery(event.target.value);
                setActive(0);
              }}
              onKeyDown={onKeyDown}
              placeholder="Find a session, a page or an action…"
              className="h-12 flex-1 bg-transparent text-base outline-none placeholder:text-ink-3"
            />
          </div>
          <div id={listId} role="listbox" aria-label="Results" className="min-h-0 flex-1 overflow-y-auto p-1.5">
            {entries.map((entry, index) => (
              <Option
                key={entry.id}
                id={`${listId}-${entry.id}`}
                entry={entry}
                selected={entry === current}
                heading={entries[index - 1]?.group !== entry.group}
                onPoint={() => setActive(index)}
                onChoose={() => choose(entry)}
              />
            ))}
          </div>
          {entries.length === 0 && (
            <p role="status" className="px-4 pb-8 text-center text-sm text-ink-2">
              Nothing is called “{query}”.
            </p>
          )}
        </Radix.Content>
      </Radix.Portal>
    </Radix.Root>
  );
}

interface OptionProps {
  id: string;
  entry: Entry;
  selected: boolean;
  heading: boolean;
  onPoint: () => void;
  onChoose: () => void;
}

function Option({ id, entry, selected, heading, onPoint, onChoose }: OptionProps) {
  const Icon = entry.icon;
  return (
    <>
      {heading && (
        <p aria-hidden className="label-caps px-2.5 pt-2 pb-1">
          {entry.group}
        </p>
      )}
      {/* The keyboard stays in the combobox, which points here with aria-activedescendant. */}
      <div
        id={id}
        role="option"
        aria-selected={selected}
        onMouseMove={onPoint}
        onClick={onChoose}
        className={cn(
          'flex h-10 cursor-pointer items-center gap-3 rounded-md px-2.5 text-sm',
          selected && 'bg-accent-soft text-accent-ink',
        )}
      >
        <Icon aria-hidden className="size-4 shrink-0" />
        <span className="truncate font-medium">{entry.name}</span>
        {entry.detail !== undefined && <span className="ml-auto truncate text-xs text-ink-2">{entry.detail}</span>}
      </div>
    </>
  );
}

function useEntries(onHelp: () => void): Entry[] {
  const router = useRouter();
  const sessions = useSessions();
  const { openCreate } = useOverlays();
  const { choose } = useTheme();
  const signOut = useSignOut();
  const pages = DESTINATIONS.map((destination): Entry => ({
    id: `page-${destination.key}`,
    group: 'Pages',
    name: destination.name,
    icon: destination.icon,
    run: () => router.push(destination.href),
  }));
  const actions: Entry[] = [
    { id: 'new-bot', group: 'Actions', name: 'Add a bot', icon: Bot, run: () => openCreate('bot') },
    { id: 'new-user', group: 'Actions', name: 'Log in a user account', icon: UserRound, run: () => openCreate('user') },
    { id: 'new-app', group: 'Actions', name: 'Add a Telegram app', icon: Plus, run: () => openCreate('app') },
    { id: 'new-proxy', group: 'Actions', name: 'Add a proxy', icon: Plus, run: () => openCreate('proxy') },
    { id: 'new-token', group: 'Actions', name: 'Make an API token', icon: KeyRound, run: () => openCreate('token') },
    { id: 'new-pool', group: 'Actions', name: 'Make a bot pool', icon: Plus, run: () => openCreate('pool') },
    { id: 'theme-light', group: 'Actions', name: 'Light theme', icon: Sun, run: () => choose('light') },
    { id: 'theme-dark', group: 'Actions', name: 'Dark theme', icon: Moon, run: () => choose('dark') },
    {
      id: 'theme-system',
      group: 'Actions',
      name: 'Theme of the system',
      icon: MonitorCog,
      run: () => choose('system'),
    },
    { id: 'help', group: 'Actions', name: 'Keyboard shortcuts', icon: CircleQuestionMark, run: onHelp },
    { id: 'sign-out', group: 'Actions', name: 'Sign out', icon: LogOut, run: () => signOut.mutate() },
  ];
  const found = (sessions.data ?? []).map((session): Entry => {
    const name = sessionName(session);
    const account = telegramName(session);
    return {
      id: `session-${session.id}`,
      group: 'Sessions',
      name,
      detail: [account === name ? undefined : account, STATUS[session.status].word]
        .filter((part) => part !== undefined)
        .join(' · '),
      icon: session.kind === 'bot' ? Bot : UserRound,
      run: () => router.push(sessionHref(session)),
    };
  });
  return [...found, ...actions, ...pages];
}
