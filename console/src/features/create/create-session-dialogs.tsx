'use client';

import { Blocks } from 'lucide-react';
import type { ReactNode } from 'react';
import { Button } from '@/components/ui/button';
import { Dialog } from '@/components/ui/dialog';
import { EmptyState, LoadFailed, LoadingRows } from '@/components/ui/states';
import { useOverlays } from '@/lib/overlays';
import { useApps, useProxies } from '@/lib/queries';
import type { App, Proxy } from '@/lib/types';
import { NewBotForm } from './new-bot-form';
import { NewUserForm } from './new-user-form';

/** The two ways to a session, as dialogs that the address can ask for. */
export function CreateSessionDialogs() {
  const { creating, close } = useOverlays();
  if (creating === 'bot') {
    return (
      <Dialog title="Add a bot" description="The bot signs in at once; no code is needed." onClose={close}>
        <WithParts>{(parts) => <NewBotForm {...parts} onClose={close} />}</WithParts>
      </Dialog>
    );
  }
  if (creating === 'user') {
    return (
      <Dialog
        title="Log in a user account"
        description="By a code that Telegram sends to the account, or by a scan from its phone."
        onClose={close}
      >
        <WithParts>{(parts) => <NewUserForm {...parts} onClose={close} />}</WithParts>
      </Dialog>
    );
  }
  return null;
}

/** What both forms choose from. */
export interface Parts {
  readonly apps: readonly App[];
  readonly proxies: readonly Proxy[];
}

function WithParts({ children }: { children: (parts: Parts) => ReactNode }) {
  const apps = useApps();
  const proxies = useProxies();
  const { openCreate } = useOverlays();
  if (apps.isPending || proxies.isPending) return <LoadingRows what="apps and proxies" rows={3} />;
  if (apps.isLoadingError) return <LoadFailed what="apps" error={apps.error} onRetry={apps.refetch} />;
  if (proxies.isLoadingError) return <LoadFailed what="proxies" error={proxies.error} onRetry={proxies.refetch} />;
  if (apps.data.length === 0) {
    return (
      <EmptyState
        icon={Blocks}
        title="A Telegram app comes first"
        action={
          <Button tone="primary" onClick={() => openCreate('app')}>
            Add a Telegram app
          </Button>
        }
      >
        Every session signs in with the api_id and api_hash of an app registered at my.telegram.org.
      </EmptyState>
    );
  }
  return children({ apps: apps.data, proxies: proxies.data });
}
