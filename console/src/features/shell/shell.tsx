'use client';

import { BookOpen, CircleQuestionMark, LogOut, Menu, Search } from 'lucide-react';
import Link from 'next/link';
import { usePathname } from 'next/navigation';
import { useState, type ReactNode } from 'react';
import { Brand, Mark } from '@/components/brand';
import { Button } from '@/components/ui/button';
import { Dialog } from '@/components/ui/dialog';
import { Kbd } from '@/components/ui/kbd';
import { cn } from '@/lib/cn';
import { useSignOut } from '@/lib/console-session';
import { useObjectUploads } from '@/lib/object-uploads';
import { useUploadGuard } from '@/lib/uploads';
import { Announcer } from './announcer';
import { useConnection } from './connection';
import { ConnectionBanner, ConnectionChip } from './connection-chip';
import { FleetBanner } from './fleet-banner';
import { DESTINATIONS, IN_BAR, IN_MENU, MAIN, SYSTEM, isCurrent, type Destination } from './navigation';
import { Palette } from './palette';
import { ShortcutHelp } from './shortcut-help';
import { useShortcuts } from './shortcuts';
import { ThemeSwitch } from './theme-switch';

type Opened = 'palette' | 'help' | 'menu' | undefined;

/** The frame of every page: where one can go, whether it is live, and how to leave. */
export function Shell({ children, overlays }: { children: ReactNode; overlays: ReactNode }) {
  const pathname = usePathname();
  const connection = useConnection();
  const [opened, setOpened] = useState<Opened>();
  const close = (): void => setOpened(undefined);
  useUploadGuard(
    useObjectUploads().some(({ state }) => state === 'waiting' || state === 'sending' || state === 'storing'),
  );
  useShortcuts({ openPalette: () => setOpened('palette'), openHelp: () => setOpened('help') });

  return (
    <div className="flex min-h-dvh">
      <a
        href="#main"
        className="fixed top-2 left-2 z-50 -translate-y-16 rounded-md bg-accent px-3 py-2 text-sm font-medium text-on-accent focus:translate-y-0"
      >
        Skip to the content
      </a>

      <aside className="sticky top-0 hidden h-dvh w-60 shrink-0 flex-col border-r border-line bg-surface lg:flex">
        <div className="flex h-14 items-center px-4">
          <Link href="/" aria-label="tgcontrol, overview" className="rounded-md">
            <Brand />
          </Link>
        </div>
        <div className="px-3 pb-2">
          <button
            type="button"
            onClick={() => setOpened('palette')}
            className="flex h-9 w-full items-center gap-2 rounded-md border border-line bg-canvas px-2.5 text-sm text-ink-3 hover:border-line-strong hover:text-ink-2"
          >
            <Search aria-hidden className="size-4" />
            Find or do…
            <span className="ml-auto">
              <Kbd>Ctrl K</Kbd>
            </span>
          </button>
        </div>
        <nav aria-label="Main" className="flex flex-1 flex-col gap-5 overflow-y-auto px-3 py-2">
          <NavGroup destinations={MAIN} pathname={pathname} />
          <NavGroup title="System" destinations={SYSTEM} pathname={pathname} />
          <ApiDocsLink />
        </nav>
        <div className="flex flex-col gap-3 border-t border-line p-3">
          <div>
            <ConnectionChip connection={connection} />
          </div>
          <div className="flex items-center justify-between">
            <ThemeSwitch />
            <Button
              tone="quiet"
              size="icon-sm"
              className="size-8"
              aria-label="Keyboard shortcuts"
              title="Keyboard shortcuts (?)"
              onClick={() => setOpened('help')}
            >
              <CircleQuestionMark aria-hidden />
            </Button>
          </div>
          <SignOutButton />
        </div>
      </aside>

      <div className="flex min-w-0 flex-1 flex-col">
        <header className="sticky top-0 z-30 flex h-14 items-center gap-3 border-b border-line bg-canvas/90 px-4 backdrop-blur lg:hidden">
          <Link href="/" aria-label="tgcontrol, overview" className="rounded-md">
            <Mark />
          </Link>
          <span className="text-base font-semibold tracking-tight">
            {DESTINATIONS.find((destination) => isCurrent(destination, pathname))?.name ?? 'tgcontrol'}
          </span>
          <span className="ml-auto">
            <ConnectionChip connection={connection} />
          </span>
          <Button tone="quiet" size="icon" aria-label="Find or do" onClick={() => setOpened('palette')}>
            <Search aria-hidden />
          </Button>
        </header>
        <ConnectionBanner connection={connection} />
        {connection.state === 'live' && <FleetBanner />}
        <main id="main" tabIndex={-1} className="flex-1 px-4 pt-5 pb-24 outline-none sm:px-6 lg:px-8 lg:pt-7 lg:pb-12">
          {children}
        </main>
      </div>

      <nav
        aria-label="Main"
        className="fixed inset-x-0 bottom-0 z-30 grid grid-cols-4 border-t border-line bg-surface pb-[env(safe-area-inset-bottom)] lg:hidden"
      >
        {IN_BAR.map((destination) => (
          <BottomLink key={destination.href} destination={destination} current={isCurrent(destination, pathname)} />
        ))}
        <button
          type="button"
          onClick={() => setOpened('menu')}
          className="flex h-14 flex-col items-center justify-center gap-0.5 text-2xs font-medium text-ink-2"
        >
          <Menu aria-hidden className="size-5" />
          More
        </button>
      </nav>

      {opened === 'menu' && (
        <Dialog title="More" onClose={close} keepOnOutsideClick={false}>
          <nav aria-label="More pages" className="flex flex-col">
            {IN_MENU.map((destination) => (
              <NavLink
                key={destination.href}
                destination={destination}
                current={isCurrent(destination, pathname)}
                onFollow={close}
              />
            ))}
            <ApiDocsLink />
          </nav>
          <div className="mt-4 flex items-center justify-between border-t border-line pt-4">
            <span className="text-sm text-ink-2">Theme</span>
            <ThemeSwitch />
          </div>
          <div className="mt-4">
            <SignOutButton />
          </div>
        </Dialog>
      )}
      {opened === 'palette' && <Palette onClose={close} onHelp={() => setOpened('help')} />}
      {opened === 'help' && <ShortcutHelp onClose={close} />}
      {overlays}
      <Announcer />
    </div>
  );
}

function NavGroup({
  title,
  destinations,
  pathname,
}: {
  title?: string;
  destinations: readonly Destination[];
  pathname: string;
}) {
  return (
    <div className="flex flex-col gap-0.5">
      {title !== undefined && <p className="label-caps px-2.5 pb-1">{title}</p>}
      {destinations.map((destination) => (
        <NavLink key={destination.href} destination={destination} current={isCurrent(destination, pathname)} />
      ))}
    </div>
  );
}

interface NavLinkProps {
  destination: Destination;
  current: boolean;
  onFollow?: () => void;
}

function NavLink({ destination, current, onFollow }: NavLinkProps) {
  const Icon = destination.icon;
  return (
    <Link
      href={destination.href}
      aria-current={current ? 'page' : undefined}
      {...(onFollow ? { onClick: onFollow } : {})}
      className={cn(
        'relative flex h-9 items-center gap-2.5 rounded-md px-2.5 text-sm font-medium',
        current ? 'bg-accent-soft text-accent-ink' : 'text-ink-2 hover:bg-sunken hover:text-ink',
      )}
    >
      <Icon aria-hidden className="size-4" strokeWidth={current ? 2.25 : 1.9} />
      {destination.name}
    </Link>
  );
}

function BottomLink({ destination, current }: { destination: Destination; current: boolean }) {
  const Icon = destination.icon;
  return (
    <Link
      href={destination.href}
      aria-current={current ? 'page' : undefined}
      className={cn(
        'flex h-14 flex-col items-center justify-center gap-0.5 text-2xs font-medium',
        current ? 'text-accent-ink' : 'text-ink-2',
      )}
    >
      <span className={cn('grid h-6 w-12 place-items-center rounded-full', current && 'bg-accent-soft')}>
        <Icon aria-hidden className="size-[1.15rem]" strokeWidth={current ? 2.25 : 1.9} />
      </span>
      {destination.name}
    </Link>
  );
}

/** The gateway serves the API's own pages; they are no part of the console, so the link leaves it. */
function ApiDocsLink() {
  return (
    <a
      href="/docs"
      className="flex h-9 items-center gap-2.5 rounded-md px-2.5 text-sm font-medium text-ink-2 hover:bg-sunken hover:text-ink"
    >
      <BookOpen aria-hidden className="size-4" strokeWidth={1.9} />
      API reference
    </a>
  );
}

function SignOutButton() {
  const signOut = useSignOut();
  return (
    <button
      type="button"
      onClick={() => signOut.mutate()}
      disabled={signOut.isPending}
      className="flex h-8 w-full items-center gap-2.5 rounded-md px-2.5 text-sm font-medium text-ink-2 hover:bg-sunken hover:text-ink"
    >
      <LogOut aria-hidden className="size-4" />
      Sign out
    </button>
  );
}
