'use client';

import { Blocks, Pencil, Plus, Trash2 } from 'lucide-react';
import { useState } from 'react';
import { Button } from '@/components/ui/button';
import { Card } from '@/components/ui/card';
import { CopyableId } from '@/components/ui/copy';
import { MenuItem, RowMenu } from '@/components/ui/menu';
import { Page } from '@/components/ui/page';
import { RelativeTime } from '@/components/ui/relative-time';
import { EmptyState, LoadFailed, LoadingRows } from '@/components/ui/states';
import { appName } from '@/components/pickers';
import { useOverlays } from '@/lib/overlays';
import { useApps, useSessions } from '@/lib/queries';
import type { App } from '@/lib/types';
import { DeleteAppDialog, EditAppDialog } from './app-dialogs';

type Asked = { readonly what: 'edit' | 'delete'; readonly app: App } | undefined;

/** The api_id and api_hash pairs that sessions sign in with. */
export function AppsPage() {
  const apps = useApps();
  const sessions = useSessions();
  const { openCreate } = useOverlays();
  const [asked, setAsked] = useState<Asked>();
  const add = (
    <Button tone="primary" onClick={() => openCreate('app')}>
      <Plus aria-hidden />
      Add an app
    </Button>
  );
  const users = (app: App): number | undefined => sessions.data?.filter((session) => session.app_id === app.id).length;
  return (
    <Page title="Telegram apps" description="The api_id and api_hash pairs that sessions sign in with." actions={add}>
      <Card flush>
        {apps.isPending ? (
          <LoadingRows what="apps" rows={2} />
        ) : apps.isLoadingError ? (
          <LoadFailed what="apps" error={apps.error} onRetry={apps.refetch} />
        ) : apps.data.length === 0 ? (
          <EmptyState icon={Blocks} title="No apps yet" action={add}>
            Telegram lets a client sign in only with the api_id and api_hash of a registered app. One is enough for many
            sessions.
          </EmptyState>
        ) : (
          <ul className="divide-y divide-line">
            {apps.data.map((app) => (
              <li key={app.id} className="flex items-center gap-4 px-4 py-3.5 sm:px-5">
                <span className="grid size-8 shrink-0 place-items-center rounded-lg border border-line bg-sunken text-ink-2">
                  <Blocks aria-hidden className="size-4" strokeWidth={1.75} />
                </span>
                <div className="min-w-0 flex-1">
                  <p className="truncate text-sm font-semibold">{app.label || `api_id ${app.api_id}`}</p>
                  <p className="flex flex-wrap items-center gap-x-3 text-xs text-ink-2">
                    <span className="tabular">api_id {app.api_id}</span>
                    <CopyableId id={app.id} what="app id" />
                  </p>
                </div>
                <div className="hidden text-right text-xs text-ink-2 sm:block">
                  <p className="tabular">
                    {users(app) ?? '–'} {users(app) === 1 ? 'session' : 'sessions'}
                  </p>
                  <p>
                    added <RelativeTime at={app.created_at} />
                  </p>
                </div>
                <RowMenu label={`Actions for ${appName(app)}`}>
                  <MenuItem icon={Pencil} onSelect={() => setAsked({ what: 'edit', app })}>
                    Edit
                  </MenuItem>
                  <MenuItem icon={Trash2} danger onSelect={() => setAsked({ what: 'delete', app })}>
                    Delete
                  </MenuItem>
                </RowMenu>
              </li>
            ))}
          </ul>
        )}
      </Card>
      {asked?.what === 'edit' && <EditAppDialog app={asked.app} onClose={() => setAsked(undefined)} />}
      {asked?.what === 'delete' && <DeleteAppDialog app={asked.app} onClose={() => setAsked(undefined)} />}
    </Page>
  );
}
