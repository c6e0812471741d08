import { Eye, Send, ShieldAlert, Wrench, type LucideIcon } from 'lucide-react';
import type { Tone } from '@/components/ui/tone';
import type { MethodClass } from '@/lib/types';

/** What a method of a class does to an account; a class that the API adds and that is not here fails the type check. */
export const METHOD_CLASS: Record<
  MethodClass,
  { readonly word: string; readonly tone: Tone; readonly icon: LucideIcon; readonly explain: string }
> = {
  read: { word: 'Read', tone: 'idle', icon: Eye, explain: 'Looks, and changes nothing but what was seen.' },
  send: { word: 'Send', tone: 'info', icon: Send, explain: 'Puts something before other people.' },
  manage: { word: 'Manage', tone: 'wait', icon: Wrench, explain: 'Changes chats, contacts or settings.' },
  account: {
    word: 'Account',
    tone: 'bad',
    icon: ShieldAlert,
    explain: 'Can take over, end or empty the account. Scoped tokens may call it only when they were given this class.',
  },
};
