import { CircleCheck, CircleHelp, CircleX, LoaderCircle, type LucideIcon } from 'lucide-react';
import type { Tone } from '@/components/ui/tone';
import type { SendStatus } from '@/lib/types';

/** What a send's status means; one that the API adds and that is not here fails the type check. */
export const SEND_STATUS: Record<
  SendStatus,
  { readonly word: string; readonly tone: Tone; readonly icon: LucideIcon; readonly explain: string }
> = {
  pending: {
    word: 'Pending',
    tone: 'info',
    icon: LoaderCircle,
    explain: 'On its way to Telegram; an upload may take long.',
  },
  sent: { word: 'Sent', tone: 'ok', icon: CircleCheck, explain: 'Telegram has it under its final id.' },
  failed: { word: 'Failed', tone: 'bad', icon: CircleX, explain: 'It was not sent.' },
  unknown: {
    word: 'Unknown',
    tone: 'wait',
    icon: CircleHelp,
    explain: 'What became of it cannot be learned: the session or its worker ended before Telegram’s word came.',
  },
};
