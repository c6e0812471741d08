import {
  Blocks,
  Boxes,
  Files,
  Gauge,
  KeyRound,
  LayoutDashboard,
  MessagesSquare,
  Radio,
  ScrollText,
  Server,
  SquareTerminal,
  Waypoints,
  Webhook,
  type LucideIcon,
} from 'lucide-react';

/** A page of the console and the key that goes to it after `g`. */
export interface Destination {
  readonly href: string;
  readonly name: string;
  readonly icon: LucideIcon;
  readonly key: string;
}

/** What operators look at all day. */
export const MAIN: readonly Destination[] = [
  { href: '/', name: 'Overview', icon: LayoutDashboard, key: 'o' },
  { href: '/sessions/', name: 'Sessions', icon: MessagesSquare, key: 's' },
  { href: '/playground/', name: 'Playground', icon: SquareTerminal, key: 'c' },
  { href: '/events/', name: 'Events', icon: Radio, key: 'e' },
  { href: '/webhooks/', name: 'Webhooks', icon: Webhook, key: 'h' },
  { href: '/files/', name: 'Files', icon: Files, key: 'f' },
  { href: '/pools/', name: 'Bot pools', icon: Boxes, key: 'b' },
];

/** What the bar at the bottom of a phone has room for; the rest is behind its "More". */
export const IN_BAR: readonly Destination[] = MAIN.slice(0, 3);

/** What sessions are made from and run on, and who may use them. */
export const SYSTEM: readonly Destination[] = [
  { href: '/apps/', name: 'Telegram apps', icon: Blocks, key: 'a' },
  { href: '/proxies/', name: 'Proxies', icon: Waypoints, key: 'p' },
  { href: '/tokens/', name: 'API tokens', icon: KeyRound, key: 't' },
  { href: '/limits/', name: 'Limits', icon: Gauge, key: 'l' },
  { href: '/audit/', name: 'Audit', icon: ScrollText, key: 'u' },
  { href: '/workers/', name: 'Workers', icon: Server, key: 'w' },
];

/** What the bar at the bottom of a phone has no room for. */
export const IN_MENU: readonly Destination[] = [...MAIN.slice(IN_BAR.length), ...SYSTEM];

/** Every page, in the order of the sidebar. */
export const DESTINATIONS: readonly Destination[] = [...MAIN, ...SYSTEM];

/** True for the page itself and for the pages under it. */
export function isCurrent(destination: Destination, pathname: string): boolean {
  const here = pathname.endsWith('/') ? pathname : `${pathname}/`;
  return destination.href === '/' ? here === '/' : here.startsWith(destination.href);
}
