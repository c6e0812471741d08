import { useMemo, useSyncExternalStore } from 'react';

/*
 * What the console uses of next/navigation, on jsdom's own address: Next keeps its hooks in step with the History API,
 * and so does this.
 */
const listeners = new Set<() => void>();
const notify = (): void => {
  for (const listener of listeners) listener();
};
for (const method of ['pushState', 'replaceState'] as const) {
  const original = window.history[method].bind(window.history);
  window.history[method] = (data: unknown, unused: string, url?: string | URL | null) => {
    original(data, unused, url);
    notify();
  };
}
window.addEventListener('popstate', notify);

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

export function usePathname(): string {
  return useSyncExternalStore(subscribe, () => window.location.pathname);
}

export function useSearchParams(): URLSearchParams {
  const search = useSyncExternalStore(subscribe, () => window.location.search);
  return useMemo(() => new URLSearchParams(search), [search]);
}

const router = {
  push: (href: string) => window.history.pushState(null, '', href),
  replace: (href: string) => window.history.replaceState(null, '', href),
};

export function useRouter(): typeof router {
  return router;
}
