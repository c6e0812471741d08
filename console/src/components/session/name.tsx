import { Bot, UserRound } from 'lucide-react';
import { cn } from '@/lib/cn';
import type { SessionKind, SessionSummary } from '@/lib/types';

type Named = Pick<SessionSummary, 'id' | 'kind' | 'label' | 'username' | 'phone'>;

const present = (value: string | null | undefined): value is string =>
  value !== undefined && value !== null && value !== '';

/** Digits as the registry keeps them, with the plus that people write. */
export function formatPhone(phone: string): string {
  return phone.startsWith('+') ? phone : `+${phone}`;
}

/** What people call the session: its label, else its Telegram name, else its number, else a short id. */
export function sessionName(session: Named): string {
  if (present(session.label)) return session.label;
  return telegramName(session) ?? `${session.kind === 'bot' ? 'Bot' : 'User'} ${session.id.slice(0, 8)}`;
}

/** The @name, or the number of an account without one. */
export function telegramName(session: Named): string | undefined {
  if (present(session.username)) return `@${session.username}`;
  return present(session.phone) ? formatPhone(session.phone) : undefined;
}

/** Bot or user, as an icon with its word for screen readers. */
export function KindMark({ kind, large = false }: { kind: SessionKind; large?: boolean }) {
  const Icon = kind === 'bot' ? Bot : UserRound;
  return (
    <span
      title={kind === 'bot' ? 'Bot' : 'User account'}
      className={cn(
        'grid shrink-0 place-items-center rounded-lg border border-line bg-sunken text-ink-2',
        large ? 'size-11' : 'size-8',
      )}
    >
      <Icon aria-hidden className={large ? 'size-5' : 'size-4'} strokeWidth={1.75} />
      <span className="sr-only">{kind === 'bot' ? 'Bot' : 'User account'}</span>
    </span>
  );
}
