import { useSyncExternalStore } from 'react';

const TICK_MS = 1_000;
const listeners = new Set<() => void>();
let timer: ReturnType<typeof setInterval> | undefined;
/** Whole seconds, so that two reads within one render are the same value. */
const wholeSecond = (): number => Math.floor(Date.now() / TICK_MS) * TICK_MS;
let now = wholeSecond();

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  timer ??= setInterval(() => {
    now = wholeSecond();
    for (const notify of listeners) notify();
  }, TICK_MS);
  return () => {
    listeners.delete(listener);
    if (listeners.size === 0) {
      clearInterval(timer);
      timer = undefined;
    }
  };
}

function current(): number {
  // Without a running timer nothing refreshes the value, and a component that mounts later would see an old one.
  if (timer === undefined) now = wholeSecond();
  return now;
}

/** The time in milliseconds, renewed every second by one timer for the whole page. */
export function useNow(): number {
  return useSyncExternalStore(subscribe, current, () => 0);
}
