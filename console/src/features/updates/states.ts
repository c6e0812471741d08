import {
  CircleCheck,
  CirclePause,
  CircleX,
  Clock,
  KeyRound,
  Radio,
  TriangleAlert,
  type LucideIcon,
} from 'lucide-react';
import type { Tone } from '@/components/ui/tone';
import type { DeliveryStatus, SubscriptionState } from '@/lib/types';

interface Meaning {
  readonly word: string;
  readonly tone: Tone;
  readonly icon: LucideIcon;
  readonly explain: string;
}

/** Every state of a subscription; one that the API adds and that is not here fails the type check. */
export const SUBSCRIPTION_STATE: Record<SubscriptionState, Meaning> = {
  active: { word: 'Active', tone: 'ok', icon: CircleCheck, explain: 'Updates are delivered.' },
  failing: {
    word: 'Failing',
    tone: 'bad',
    icon: TriangleAlert,
    explain: 'The last attempt failed. What comes waits, and is tried again.',
  },
  disabled: { word: 'Off', tone: 'idle', icon: CirclePause, explain: 'Nothing is delivered, and nothing new is kept.' },
  token_disabled: {
    word: 'Token off',
    tone: 'wait',
    icon: KeyRound,
    explain: 'The token that made it is disabled, or does not cover the session any more.',
  },
};

/** Every state of a delivery. */
export const DELIVERY_STATUS: Record<DeliveryStatus, Meaning> = {
  pending: { word: 'Waiting', tone: 'info', icon: Clock, explain: 'It is to be tried, or under way.' },
  delivered: { word: 'Delivered', tone: 'ok', icon: CircleCheck, explain: 'The receiver answered with 2xx.' },
  failed: { word: 'Given up', tone: 'bad', icon: CircleX, explain: 'Every attempt failed.' },
  stored: { word: 'Kept', tone: 'idle', icon: Radio, explain: 'It is kept for readers of the stream.' },
};
