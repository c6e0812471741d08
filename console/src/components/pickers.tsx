import type { ComponentProps } from 'react';
import { Select } from '@/components/ui/field';
import type { App, Proxy } from '@/lib/types';

/** How an app is called in a list of choices. */
export function appName(app: Pick<App, 'api_id' | 'label'>): string {
  return app.label !== undefined && app.label !== '' ? `${app.label} (${app.api_id})` : `api_id ${app.api_id}`;
}

/** How a proxy is called in a list of choices. */
export function proxyName(proxy: Pick<Proxy, 'type' | 'host' | 'port' | 'label'>): string {
  const address = `${proxy.type} ${proxy.host}:${proxy.port}`;
  return proxy.label !== undefined && proxy.label !== '' ? `${proxy.label} (${address})` : address;
}

/** Choice of a Telegram app. */
export function AppSelect({ apps, ...rest }: ComponentProps<'select'> & { apps: readonly App[] }) {
  return (
    <Select {...rest}>
      {apps.length !== 1 && <option value="">Choose an app…</option>}
      {apps.map((app) => (
        <option key={app.id} value={app.id}>
          {appName(app)}
        </option>
      ))}
    </Select>
  );
}

/** Choice of a proxy, or none of its own. */
export function ProxySelect({ proxies, ...rest }: ComponentProps<'select'> & { proxies: readonly Proxy[] }) {
  return (
    <Select {...rest}>
      <option value="">No proxy of its own</option>
      {proxies.map((proxy) => (
        <option key={proxy.id} value={proxy.id}>
          {proxyName(proxy)}
        </option>
      ))}
    </Select>
  );
}
