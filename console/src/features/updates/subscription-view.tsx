import { ArrowLeft, CirclePause, KeyRound, Pencil, Play, Trash2 } from 'lucide-react';
import { useState } from 'react';
import { toast } from 'sonner';
import { DeleteDialog } from '@/components/delete-dialog';
import { Button } from '@/components/ui/button';
import { Card } from '@/components/ui/card';
import { CopyableId } from '@/components/ui/copy';
import { ConfirmCancel, ConfirmDialog } from '@/components/ui/dialog';
import { MenuItem, RowMenu } from '@/components/ui/menu';
import { RelativeTime } from '@/components/ui/relative-time';
import { ErrorNote } from '@/components/ui/states';
import { $api } from '@/lib/api';
import { ApiError } from '@/lib/api-error';
import { useRefresh } from '@/lib/queries';
import type { SessionRef } from '@/lib/td';
import type { Subscription } from '@/lib/types';
import { Deliveries } from './deliveries';
import { SubscriptionBadge } from './delivery-parts';
import { EditSubscriptionDialog } from './edit-subscription';
import { showSecret } from './shown-secret';
import { subscriptionName } from './subscription-row';
import { describeFilters, SubscriptionNumbers } from './subscription-numbers';
import { TestEvent } from './test-event';

interface ViewProps {
  session: SessionRef;
  subscription: Subscription;
  onLeave: () => void;
}

type Asked = 'edit' | 'rotate' | 'delete' | undefined;

/** One subscription: how it goes, what can be done with it, and what it has delivered. */
export function SubscriptionView({ session, subscription, onLeave }: ViewProps) {
  const [asked, setAsked] = useState<Asked>();
  const refresh = useRefresh();
  const path = { kind: session.kind, id: session.id, sub: subscription.id };
  const update = $api.useMutation('patch', '/v1/{kind}/{id}/updates/subscriptions/{sub}');
  const remove = $api.useMutation('delete', '/v1/{kind}/{id}/updates/subscriptions/{sub}');
  const name = subscriptionName(subscription);
  const isWebhook = subscription.kind === 'webhook';
  const close = (): void => setAsked(undefined);
  const toggle = (): void =>
    update.mutate(
      { params: { path }, body: { enabled: !subscription.enabled } },
      {
        onSuccess: () => {
          void refresh.subscriptions();
          toast.success(subscription.enabled ? 'It is off.' : 'It is on again.');
        },
        onError: (thrown) => toast.error(`It was not changed. ${ApiError.from(thrown).message}`),
      },
    );
  return (
    <>
      <Card className="overflow-visible">
        <button
          type="button"
          onClick={onLeave}
          className="inline-flex items-center gap-1.5 rounded text-xs font-medium text-ink-2 hover:text-ink"
        >
          <ArrowLeft aria-hidden className="size-3.5" />
          Webhooks and streams
        </button>
        <div className="mt-3 flex flex-wrap items-center gap-x-4 gap-y-3">
          <div className="min-w-0 flex-1 basis-56">
            <h2 className="text-base font-semibold tracking-tight break-all">{name}</h2>
            <p className="flex flex-wrap items-center gap-x-3 text-xs text-ink-2">
              <span>{describeFilters(subscription.filters)}</span>
              <CopyableId id={subscription.id} what="subscription id" />
            </p>
          </div>
          <SubscriptionBadge state={subscription.state} reason={subscription.disabled_reason} />
          <div className="flex items-center gap-2">
            <Button size="sm" pending={update.isPending} onClick={toggle}>
              {!update.isPending && (subscription.enabled ? <CirclePause aria-hidden /> : <Play aria-hidden />)}
              {subscription.enabled ? 'Switch off' : 'Switch on'}
            </Button>
            <Button size="sm" onClick={() => setAsked('edit')}>
              <Pencil aria-hidden />
              Edit
            </Button>
            <RowMenu label={`More for ${name}`}>
              {isWebhook && (
                <MenuItem icon={KeyRound} onSelect={() => setAsked('rotate')}>
                  New secret
                </MenuItem>
              )}
              <MenuItem icon={Trash2} danger onSelect={() => setAsked('delete')}>
                Delete
              </MenuItem>
            </RowMenu>
          </div>
        </div>
        <Trouble subscription={subscription} />
        <div className="mt-4 border-t border-line pt-4">
          <SubscriptionNumbers subscription={subscription} />
          {subscription.former_secret_until !== undefined && (
            <p className="mt-3 text-xs text-ink-2">
              The secret before this one stops signing <RelativeTime at={subscription.former_secret_until} />.
            </p>
          )}
        </div>
        {isWebhook && subscription.enabled && (
          <div className="mt-4">
            <TestEvent session={session} subscriptionId={subscription.id} />
          </div>
        )}
      </Card>
      <Deliveries session={session} subscription={subscription} />
      {asked === 'edit' && <EditSubscriptionDialog session={session} subscription={subscription} onClose={close} />}
      {asked === 'rotate' && <RotateDialog session={session} subscription={subscription} onClose={close} />}
      {asked === 'delete' && (
        <DeleteDialog
          thing={isWebhook ? 'webhook' : 'stream'}
          name={name}
          pending={remove.isPending}
          error={remove.error}
          onDelete={(onSuccess) => remove.mutate({ params: { path } }, { onSuccess })}
          onDeleted={() => {
            void refresh.subscriptions();
            onLeave();
          }}
          onClose={close}
        >
          <p>
            {subscription.pending > 0
              ? `${subscription.pending} updates that wait for it are removed and reach nobody.`
              : 'Its log of deliveries goes with it.'}{' '}
            Other webhooks of the session are not touched.
          </p>
        </DeleteDialog>
      )}
    </>
  );
}

/** Why it does not do what it should. */
function Trouble({ subscription }: { subscription: Subscription }) {
  const { state, disabled_reason: reason, last_error: error, failing_since: since } = subscription;
  if (state === 'active') return null;
  return (
    <div className="mt-3 rounded-lg bg-wait-soft px-3.5 py-3 text-sm text-wait">
      {state === 'disabled' && <p>{reason ?? 'It was switched off. What came meanwhile was not kept.'}</p>}
      {state === 'token_disabled' && (
        <p>Its token is disabled, or does not cover this session any more. What waits is kept for 24 hours.</p>
      )}
      {state === 'failing' && (
        <p>
          Failing{' '}
          {since !== undefined && (
            <>
              since <RelativeTime at={since} />
            </>
          )}
          . Nothing is lost: what comes waits, and is sent in its order when the receiver is back.
        </p>
      )}
      {error !== undefined && <p className="mt-1 break-words">Last error: {error}</p>}
    </div>
  );
}

function RotateDialog({ session, subscription, onClose }: Omit<ViewProps, 'onLeave'> & { onClose: () => void }) {
  const refresh = useRefresh();
  const update = $api.useMutation('patch', '/v1/{kind}/{id}/updates/subscriptions/{sub}');
  const rotate = (): void =>
    update.mutate(
      {
        params: { path: { kind: session.kind, id: session.id, sub: subscription.id } },
        body: { rotate_secret: true },
      },
      {
        onSuccess: ({ result }) => {
          void refresh.subscriptions();
          onClose();
          if (result.secret !== undefined) {
            showSecret({ session, subscriptionId: subscription.id, secret: result.secret, isRotated: true });
          }
        },
      },
    );
  return (
    <ConfirmDialog
      title="Make a new secret?"
      onClose={onClose}
      actions={
        <>
          <ConfirmCancel asChild>
            <Button>Keep this one</Button>
          </ConfirmCancel>
          <Button tone="primary" pending={update.isPending} onClick={rotate}>
            Make a new secret
          </Button>
        </>
      }
    >
      <p>
        It is shown once. For 24 hours deliveries carry signatures of both secrets in webhook-signature, so that your
        server can change over; X-Tgcontrol-Signature is of the new one at once.
      </p>
      <ErrorNote error={update.error} lead="The secret was not changed." />
    </ConfirmDialog>
  );
}
