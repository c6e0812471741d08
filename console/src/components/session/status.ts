import {
  Ban,
  CircleCheck,
  CirclePause,
  CircleX,
  KeyRound,
  LoaderCircle,
  LockKeyhole,
  LogOut,
  Mail,
  MailQuestion,
  QrCode,
  TimerOff,
  UserRoundX,
  type LucideIcon,
} from 'lucide-react';
import type { Tone } from '@/components/ui/tone';
import type { Health, SessionKind, SessionStatus } from '@/lib/types';

/** What a status means for the person who looks at it. */
interface StatusMeaning {
  readonly word: string;
  readonly tone: Tone;
  readonly icon: LucideIcon;
  /** Where the status belongs in the list's filter. */
  readonly group: 'ready' | 'waiting' | 'trouble' | 'stopped';
  /** What happened, in a sentence, for the session's page and the overview. */
  readonly explain: string;
  readonly spin?: true;
}

/** Every status has a meaning; one that the API adds and that is not here fails the type check. */
export const STATUS: Record<SessionStatus, StatusMeaning> = {
  connecting: {
    word: 'Connecting',
    tone: 'info',
    icon: LoaderCircle,
    group: 'waiting',
    explain: 'TDLib is connecting to Telegram. This usually takes a few seconds.',
    spin: true,
  },
  awaiting_code: {
    word: 'Code needed',
    tone: 'wait',
    icon: KeyRound,
    group: 'waiting',
    explain: 'Telegram sent a login code and waits for it.',
  },
  awaiting_password: {
    word: 'Password needed',
    tone: 'wait',
    icon: LockKeyhole,
    group: 'waiting',
    explain: 'The code was right. The account also has a two-step verification password.',
  },
  awaiting_qr: {
    word: 'QR to scan',
    tone: 'wait',
    icon: QrCode,
    group: 'waiting',
    explain: 'Telegram waits until the account scans a QR code.',
  },
  awaiting_email: {
    word: 'Email needed',
    tone: 'wait',
    icon: Mail,
    group: 'waiting',
    explain: 'Telegram asks for a login email address before it sends a code.',
  },
  awaiting_email_code: {
    word: 'Email code needed',
    tone: 'wait',
    icon: MailQuestion,
    group: 'waiting',
    explain: 'Telegram sent a code to the login email address and waits for it.',
  },
  awaiting_registration: {
    word: 'Not registered',
    tone: 'wait',
    icon: UserRoundX,
    group: 'waiting',
    explain: 'No Telegram account has this number yet; Telegram waits for a name to register it.',
  },
  authorized: {
    word: 'Ready',
    tone: 'ok',
    icon: CircleCheck,
    group: 'ready',
    explain: 'Signed in and ready for calls.',
  },
  stopped: {
    word: 'Stopped',
    tone: 'idle',
    icon: CirclePause,
    group: 'stopped',
    explain: 'Stopped by an operator. It stays signed in at Telegram and does not start by itself.',
  },
  logged_out: {
    word: 'Logged out',
    tone: 'bad',
    icon: LogOut,
    group: 'trouble',
    explain: 'Telegram ended this authorization, or the account closed it from another device.',
  },
  banned: {
    word: 'Banned',
    tone: 'bad',
    icon: Ban,
    group: 'trouble',
    explain: 'Telegram has banned or deleted this account.',
  },
  expired: {
    word: 'Expired',
    tone: 'bad',
    icon: TimerOff,
    group: 'trouble',
    explain: 'The login was not finished, or its authorization is gone. It needs a new login.',
  },
  error: {
    word: 'Failed',
    tone: 'bad',
    icon: CircleX,
    group: 'trouble',
    explain: 'The session could not be started.',
  },
};

/** True while the login dialog can do something for this session. */
export function isLoggingIn(kind: SessionKind, status: SessionStatus): boolean {
  return kind === 'user' && (status === 'connecting' || status.startsWith('awaiting_'));
}

/** Health is told apart from the status: a session can be signed in and still not be reached. */
export const HEALTH: Record<Health, { readonly word: string; readonly tone: Tone; readonly explain: string }> = {
  ok: { word: 'Healthy', tone: 'ok', explain: 'Connected; updates are coming in.' },
  degraded: { word: 'Degraded', tone: 'wait', explain: 'Something slows this session down.' },
  down: { word: 'Down', tone: 'bad', explain: 'Telegram is not reached at the moment.' },
};

interface Judged {
  readonly kind: SessionKind;
  readonly status: SessionStatus;
  readonly health: Health;
  readonly frozen?: boolean;
}

/** True when health says something; before a login is done, and after its end, only the status counts. */
export function showsHealth(session: Pick<Judged, 'status' | 'health'>): boolean {
  return session.status === 'authorized' || (session.status === 'connecting' && session.health !== 'ok');
}

/** True when somebody has to act: a login waits, an account is lost, or a signed-in session is not well. */
export function needsAttention(session: Judged): boolean {
  const { group } = STATUS[session.status];
  if (group === 'trouble') return true;
  if (group === 'waiting') return session.status !== 'connecting' || session.health === 'down';
  return group === 'ready' && (session.health !== 'ok' || session.frozen === true);
}
