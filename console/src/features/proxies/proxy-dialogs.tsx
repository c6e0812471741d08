'use client';

import { toast } from 'sonner';
import { filled } from '@/components/form';
import { DeleteDialog } from '@/components/delete-dialog';
import { InUse } from '@/components/in-use';
import { proxyName } from '@/components/pickers';
import { Dialog } from '@/components/ui/dialog';
import { $api } from '@/lib/api';
import { useOverlays } from '@/lib/overlays';
import { useRefresh } from '@/lib/queries';
import type { Proxy } from '@/lib/types';
import { NO_PROXY, ProxyForm, type ProxyValues } from './proxy-form';

/** Only the credentials that the type has; the other ones may be left over from another choice. */
function credentials(values: ProxyValues): { username?: string; password?: string; secret?: string } {
  return values.type === 'mtproto'
    ? filled({ secret: values.secret.trim() })
    : filled({ username: values.username.trim(), password: values.password });
}

/** Registers a proxy; opened from anywhere by the address. */
export function NewProxyDialog() {
  const { creating, close } = useOverlays();
  const refresh = useRefresh();
  const create = $api.useMutation('post', '/v1/proxies');
  if (creating !== 'proxy') return null;
  const finish = (): void => {
    create.reset();
    close();
  };
  return (
    <Dialog
      title="Add a proxy"
      description="Sessions that use it reach Telegram through it and from nowhere else."
      onClose={finish}
    >
      <ProxyForm
        initial={NO_PROXY}
        hasStored={false}
        action="Add proxy"
        lead="The proxy was not added."
        pending={create.isPending}
        error={create.error}
        onClose={finish}
        onSubmit={(values, refuse) =>
          create.mutate(
            {
              body: {
                type: values.type,
                host: values.host.trim(),
                port: Number(values.port),
                ...credentials(values),
                ...filled({ label: values.label.trim() }),
              },
            },
            {
              onSuccess: () => {
                void refresh.proxies();
                toast.success('The proxy is registered.');
                finish();
              },
              onError: refuse,
            },
          )
        }
      />
    </Dialog>
  );
}

/** Changes a proxy; running sessions follow. */
export function EditProxyDialog({ proxy, onClose }: { proxy: Proxy; onClose: () => void }) {
  const refresh = useRefresh();
  const update = $api.useMutation('patch', '/v1/proxies/{id}');
  return (
    <Dialog
      title="Edit the proxy"
      description="Sessions that use it change over at once; their connections drop for a moment."
      onClose={onClose}
    >
      <ProxyForm
        initial={{
          ...NO_PROXY,
          type: proxy.type,
          host: proxy.host,
          port: String(proxy.port),
          username: proxy.username ?? '',
          label: proxy.label ?? '',
        }}
        hasStored
        action="Save"
        lead="The proxy was not changed."
        pending={update.isPending}
        error={update.error}
        onClose={onClose}
        onSubmit={(values, refuse) =>
          update.mutate(
            {
              params: { path: { id: proxy.id } },
              body: {
                type: values.type,
                host: values.host.trim(),
                port: Number(values.port),
                ...credentials(values),
                // Sent even when empty, which clears it; an empty secret is left out and the stored one stays.
                ...(values.type === 'mtproto' ? {} : { username: values.username.trim() }),
                label: values.label.trim(),
              },
            },
            {
              onSuccess: () => {
                void refresh.proxies();
                void refresh.sessions();
                toast.success('The proxy is changed.');
                onClose();
              },
              onError: refuse,
            },
          )
        }
      />
    </Dialog>
  );
}

/** Asks, deletes, and says which sessions stand in the way. */
export function DeleteProxyDialog({ proxy, onClose }: { proxy: Proxy; onClose: () => void }) {
  const refresh = useRefresh();
  const remove = $api.useMutation('delete', '/v1/proxies/{id}');
  return (
    <DeleteDialog
      thing="proxy"
      name={proxyName(proxy)}
      pending={remove.isPending}
      error={remove.error}
      onDelete={(onSuccess) => remove.mutate({ params: { path: { id: proxy.id } } }, { onSuccess })}
      onDeleted={() => void refresh.proxies()}
      onClose={onClose}
      refusal={<InUse error={remove.error} />}
    >
      <p>
        Its address and credentials are forgotten here; the proxy itself is not touched. A proxy that sessions use
        cannot be deleted, so that none of them falls back to this server’s own address.
      </p>
    </DeleteDialog>
  );
}
