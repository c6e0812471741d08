import { Bot, KeyRound, MonitorCog, ShieldQuestionMark, UserRoundCog, type LucideIcon } from 'lucide-react';
import type { AuditEvent } from '@/lib/types';

/** Who can have done something. */
export const ACTORS: Record<AuditEvent['actor'], { readonly word: string; readonly icon: LucideIcon }> = {
  master: { word: 'The API token', icon: KeyRound },
  console: { word: 'The console', icon: UserRoundCog },
  token: { word: 'A token', icon: Bot },
  nobody: { word: 'Nobody known', icon: ShieldQuestionMark },
  system: { word: 'tgcontrol itself', icon: MonitorCog },
};
