import { usePathname, useSearchParams } from 'next/navigation';
import { useCallback } from 'react';

/** Values for the query of the address; null or an empty text takes a key out. */
export type UrlChange = Readonly<Record<string, string | null>>;

/**
 * State that belongs to the address, so that it can be linked, reloaded and left with the back button.
 *
 * The History API is used directly: Next keeps useSearchParams in step with it, and no page data is fetched again.
 */
export function useUrlState(): {
  readonly get: (key: string) => string | null;
  readonly push: (change: UrlChange) => void;
  readonly replace: (change: UrlChange) => void;
} {
  const pathname = usePathname();
  const params = useSearchParams();
  const address = useCallback(
    (change: UrlChange) => {
      const next = new URLSearchParams(window.location.search);
      for (const [key, value] of Object.entries(change)) {
        if (value === null || value === '') next.delete(key);
        else next.set(key, value);
      }
      const query = next.toString();
      const path = window.location.pathname || pathname;
      return query === '' ? path : `${path}?${query}`;
    },
    [pathname],
  );
  return {
    get: (key) => params.get(key),
    push: useCallback((change) => window.history.pushState(null, '', address(change)), [address]),
    replace: useCallback((change) => window.history.replaceState(null, '', address(change)), [address]),
  };
}
