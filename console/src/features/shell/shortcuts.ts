import { useRouter } from 'next/navigation';
import { useEffect, useRef } from 'react';
import { useOverlays } from '@/lib/overlays';
import { DESTINATIONS } from './navigation';

/** Marks the search box of a page, which `/` moves to. */
export const SEARCH_SELECTOR = '[data-page-search]';
const SEQUENCE_MS = 1_200;

const isTyping = (target: EventTarget | null): boolean =>
  target instanceof HTMLElement && (target.isContentEditable || target.matches('input, textarea, select'));

const hasOpenDialog = (): boolean => document.querySelector('[role="dialog"], [role="alertdialog"]') !== null;

interface ShortcutActs {
  openPalette: () => void;
  openHelp: () => void;
}

/** The keys that work on every page. They are silent while somebody types or answers a dialog. */
export function useShortcuts({ openPalette, openHelp }: ShortcutActs): void {
  const router = useRouter();
  const { openCreate } = useOverlays();
  const latest = useRef({ openPalette, openHelp, openCreate });
  useEffect(() => {
    latest.current = { openPalette, openHelp, openCreate };
  });
  useEffect(() => {
    let prefix: { key: string; at: number } | undefined;
    const onKey = (event: KeyboardEvent): void => {
      if (event.defaultPrevented) return;
      if ((event.ctrlKey || event.metaKey) && !event.altKey && event.key.toLowerCase() === 'k') {
        event.preventDefault();
        if (!hasOpenDialog()) latest.current.openPalette();
        return;
      }
      if (event.ctrlKey || event.metaKey || event.altKey || isTyping(event.target) || hasOpenDialog()) return;
      const started = prefix !== undefined && event.timeStamp - prefix.at < SEQUENCE_MS ? prefix.key : undefined;
      prefix = undefined;
      if (started === 'g') {
        const destination = DESTINATIONS.find(({ key }) => key === event.key);
        if (destination) router.push(destination.href);
      } else if (started === 'n') {
        if (event.key === 'b') openAfter(event, () => latest.current.openCreate('bot'));
        if (event.key === 'u') openAfter(event, () => latest.current.openCreate('user'));
      } else if (event.key === 'g' || event.key === 'n') {
        prefix = { key: event.key, at: event.timeStamp };
      } else if (event.key === '?') {
        latest.current.openHelp();
      } else if (event.key === '/') {
        const search = document.querySelector<HTMLInputElement>(SEARCH_SELECTOR);
        if (search) openAfter(event, () => search.focus());
      }
    };
    window.addEventListener('keydown', onKey);
    return () => window.removeEventListener('keydown', onKey);
  }, [router]);
}

/** The key itself must not land in the input that it opens. */
function openAfter(event: KeyboardEvent, act: () => void): void {
  event.preventDefault();
  act();
}
