'use client';

import { Activity, Pencil, Plus, Trash2, Waypoints } from 'lucide-react';
import { useState } from 'react';
import { proxyName } from '@/components/pickers';
import { Button } from '@/components/ui/button';
import { Card } from '@/components/ui/card';
import { CopyableId } from '@/components/ui/copy';
import { MenuItem, RowMenu } from '@/components/ui/menu';
import { Page } from '@/components/ui/page';
import { RelativeTime } from '@/components/ui/relative-time';
import { EmptyState, LoadFailed, LoadingRows } from '@/components/ui/states';
import { useOverlays } from '@/lib/overlays';
import { useProxies, useSessions } from '@/lib/queries';
import type { Proxy } from '@/lib/types';
import { DeleteProxyDialog, EditProxyDialog } from './proxy-dialogs';
import { ProxyTestResult, useProxyTest } from './proxy-test';

type Asked = { readonly what: 'edit' | 'delete'; readonly proxy: Proxy } | undefined;

/** The ways to Telegram that sessions can be given. */
export function ProxiesPage() {
  const proxies = useProxies();
  const sessions = useSessions();
  const { openCreate } = useOverlays();
  const test = useProxyTest();
  const [asked, setAsked] = useState<Asked>();
  const add = (
    <Button tone="primary" onClick={() => openCreate('proxy')}>
      <Plus aria-hidden />
      Add a proxy
    </Button>
  );
  const users = (proxy: Proxy): number | undefined =>
    sessions.data?.filter((session) => session.proxy_id === proxy.id).length;
  return (
    <Page title="Proxies" description="Ways to Telegram. Each session can be given one." actions={add}>
      <Card flush>
        {proxies.isPending ? (
          <LoadingRows what="proxies" rows={2} />
        ) : proxies.isLoadingError ? (
          <LoadFailed what="proxies" error={proxies.error} onRetry={proxies.refetch} />
        ) : proxies.data.length === 0 ? (
          <EmptyState icon={Waypoints} title="No proxies" action={add}>
            Without one, sessions reach Telegram from this server’s own address, or through its default proxy. An
            account that lives in another country is safer behind a proxy there.
          </EmptyState>
        ) : (
          <ul className="divide-y divide-line">
            {proxies.data.map((proxy) => (
              <li key={proxy.id} className="flex items-center gap-4 px-4 py-3.5 sm:px-5">
                <span className="grid size-8 shrink-0 place-items-center rounded-lg border border-line bg-sunken text-ink-2">
                  <Waypoints aria-hidden className="size-4" strokeWidth={1.75} />
                </span>
                <div className="min-w-0 flex-1">
                  <p className="truncate text-sm font-semibold">{proxy.label || `${proxy.host}:${proxy.port}`}</p>
                  <p className="flex flex-wrap items-center gap-x-3 text-xs text-ink-2">
                    <span className="font-mono break-all">
                      {proxy.type} {proxy.host}:{proxy.port}
                    </span>
                    {proxy.username !== undefined && proxy.username !== '' && <span>user {proxy.username}</span>}
                    <CopyableId id={proxy.id} what="proxy id" />
                  </p>
                  <ProxyTestResult result={test.results[proxy.id]} />
                </div>
                <div className="hidden text-right text-xs text-ink-2 sm:block">
                  <p className="tabular">
                    {users(proxy) ?? '–'} {users(proxy) === 1 ? 'session' : 'sessions'}
                  </p>
                  <p>
                    added <RelativeTime at={proxy.created_at} />
                  </p>
                </div>
                <RowMenu label={`Actions for ${proxyName(proxy)}`}>
                  <MenuItem icon={Activity} onSelect={() => test.run(proxy.id)}>
                    Test
                  </MenuItem>
                  <MenuItem icon={Pencil} onSelect={() => setAsked({ what: 'edit', proxy })}>
                    Edit
                  </MenuItem>
                  <MenuItem icon={Trash2} danger onSelect={() => setAsked({ what: 'delete', proxy })}>
                    Delete
                  </MenuItem>
                </RowMenu>
              </li>
            ))}
          </ul>
        )}
      </Card>
      {asked?.what === 'edit' && <EditProxyDialog proxy={asked.proxy} onClose={() => setAsked(undefined)} />}
      {asked?.what === 'delete' && <DeleteProxyDialog proxy={asked.proxy} onClose={() => setAsked(undefined)} />}
    </Page>
  );
}
