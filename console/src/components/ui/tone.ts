/** What a colour says, the same everywhere: fine, wait for somebody, broken, at rest, on its way. */
export type Tone = 'ok' | 'wait' | 'bad' | 'idle' | 'info';

/** Text and ground of a tone. */
export const TONE_CHIP: Record<Tone, string> = {
  ok: 'bg-ok-soft text-ok',
  wait: 'bg-wait-soft text-wait',
  bad: 'bg-bad-soft text-bad',
  idle: 'bg-idle-soft text-idle',
  info: 'bg-info-soft text-info',
};

/** Text alone. */
export const TONE_TEXT: Record<Tone, string> = {
  ok: 'text-ok',
  wait: 'text-wait',
  bad: 'text-bad',
  idle: 'text-idle',
  info: 'text-info',
};

/** A filled area, for bars. */
export const TONE_FILL: Record<Tone, string> = {
  ok: 'bg-ok-fill',
  wait: 'bg-wait-fill',
  bad: 'bg-bad-fill',
  idle: 'bg-idle-fill',
  info: 'bg-info-fill',
};
