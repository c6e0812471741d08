import {
  CircleCheck,
  CircleStop,
  CircleX,
  Clock,
  Eraser,
  LoaderCircle,
  SearchCheck,
  WandSparkles,
  type LucideIcon,
} from 'lucide-react';
import type { Tone } from '@/components/ui/tone';
import type { PoolJob } from '@/lib/types';

interface State {
  readonly word: string;
  readonly tone: Tone;
  readonly icon: LucideIcon;
}

/** Every state of a job; one that the API adds and that is not here fails the type check. */
export const JOB_STATE: Record<PoolJob['state'], State> = {
  waiting: { word: 'Waiting', tone: 'idle', icon: Clock },
  running: { word: 'Running', tone: 'info', icon: LoaderCircle },
  done: { word: 'Done', tone: 'ok', icon: CircleCheck },
  failed: { word: 'Failed', tone: 'bad', icon: CircleX },
  cancelled: { word: 'Stopped', tone: 'idle', icon: CircleStop },
};

/** And every kind. */
export const JOB_KIND: Record<PoolJob['kind'], { readonly word: string; readonly icon: LucideIcon }> = {
  scrub: { word: 'Check', icon: SearchCheck },
  gc: { word: 'Collection', icon: WandSparkles },
  purge: { word: 'Removal', icon: Eraser },
};

/** What a check can find of a message. */
export const PROBLEM: Record<PoolJob['findings'][number]['problem'], string> = {
  gone: 'Gone',
  damaged: 'Damaged',
  unreadable: 'Unreadable',
};

/** Whether nothing more comes of it. */
export function isOver({ state }: Pick<PoolJob, 'state'>): boolean {
  return state !== 'waiting' && state !== 'running';
}
