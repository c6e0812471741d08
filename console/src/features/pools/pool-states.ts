import {
  Ban,
  CircleCheck,
  CirclePause,
  CircleX,
  Hourglass,
  LogOut,
  Moon,
  TriangleAlert,
  Upload,
  type LucideIcon,
} from 'lucide-react';
import type { Tone } from '@/components/ui/tone';
import type { PoolBotStatus, PoolStatus, RemoteState } from '@/lib/types';

interface Meaning {
  readonly word: string;
  readonly tone: Tone;
  readonly icon: LucideIcon;
  readonly explain: string;
}

/** Every state of a pool has a meaning; one that the API adds and that is not here fails the type check. */
export const POOL_STATE: Record<PoolStatus['state'], Meaning> = {
  ok: { word: 'Working', tone: 'ok', icon: CircleCheck, explain: 'Every bot can send.' },
  degraded: {
    word: 'Degraded',
    tone: 'wait',
    icon: TriangleAlert,
    explain: 'Some bots rest or are put aside; the others do their work.',
  },
  saturated: {
    word: 'Saturated',
    tone: 'wait',
    icon: Hourglass,
    explain: 'No bot can send at the moment; parts wait until the first limit ends.',
  },
  unavailable: {
    word: 'Unavailable',
    tone: 'bad',
    icon: CircleX,
    explain: 'No bot may send, so that uploads are refused. The reason stands beside each bot.',
  },
  paused: {
    word: 'Paused',
    tone: 'idle',
    icon: CirclePause,
    explain: 'Nothing is sent until somebody resumes the pool. Objects can be read.',
  },
};

/** And every state of a bot. */
export const BOT_STATE: Record<PoolBotStatus['state'], Meaning> = {
  idle: { word: 'Free', tone: 'ok', icon: Moon, explain: 'It takes the next part.' },
  uploading: {
    word: 'Sending',
    tone: 'info',
    icon: Upload,
    explain: 'It sends one part, and takes the next after it.',
  },
  cooling: { word: 'Resting', tone: 'wait', icon: Hourglass, explain: 'Telegram has asked it to wait.' },
  budget: {
    word: 'At its limit',
    tone: 'wait',
    icon: Hourglass,
    explain: 'It has sent as much as the pool lets it, so that Telegram has nothing to refuse.',
  },
  paused: { word: 'Paused', tone: 'idle', icon: CirclePause, explain: 'Somebody has paused it.' },
  quarantined: { word: 'Put aside', tone: 'bad', icon: Ban, explain: 'It cannot send, and gets nothing.' },
  leaving: { word: 'Leaving', tone: 'idle', icon: LogOut, explain: 'It ends what it sends, and leaves the pool.' },
};

/** What a bot that could send is while its pool is paused. */
export const OF_PAUSED_POOL: Meaning = { ...BOT_STATE.paused, explain: 'The pool is paused.' };

const ADVICE: readonly (readonly [RegExp, string])[] = [
  [
    /no administrator|ADMIN_REQUIRED|not a member|NOT_PARTICIPANT|USER_BANNED_IN_CHANNEL|kicked|CHANNEL_PRIVATE|chat not found|not accessible/i,
    'Make it an administrator of the chat who may post and delete messages, then verify.',
  ],
  [
    /may not (?:post|delete)|FORBIDDEN|not enough rights|no rights|RESTRICTED/i,
    'Give it the rights to post and to delete messages in the chat, then verify.',
  ],
  [/no channel or supergroup/i, 'Pools store in channels and supergroups: choose another chat.'],
  [
    /\bbanned\b|DEACTIVATED|FROZEN/i,
    'Telegram has closed its account: take it out, and add another bot in its place. If that was a mistake of Telegram’s, sign it in again once the account is back.',
  ],
  [
    /UNAUTHORIZED|AUTH_KEY|SESSION_|ACCESS_TOKEN|token|not authorized|stopped|expired|revoked|logged_out/i,
    'Sign the bot in again on the page of its session, then verify.',
  ],
];

/** What somebody can do about a bot that was put aside. */
export function adviceFor(reason: string): string {
  return ADVICE.find(([pattern]) => pattern.test(reason))?.[1] ?? 'Put right what it says, then verify.';
}

/** What became of the messages of something that was deleted, as a sentence. */
export const REMOTE_WORDS: Record<RemoteState, string> = {
  deleted: 'Messages that nothing else uses are deleted.',
  none: 'It had no messages of its own.',
  pending: 'Some messages could not be deleted yet; collecting tries again.',
  not_possible: 'Messages older than 48 hours, which bots may not delete, stay in the chat unused.',
};
